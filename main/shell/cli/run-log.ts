import { styleText } from 'node:util';
import type { RunEvent, RunEventData } from '#shared/events/run-event.ts';
import { oneLine, terminalText } from '../terminal-text.ts';

/** Characters of a call's arguments and results that the log shows. */
const ARGUMENT_LENGTH = 160;
const TEXT_LENGTH = 200;

const PHASES = {
  engine: 'Looking for an engine',
  image: 'Preparing the image',
  containers: 'Starting the sandbox',
  workspace: 'Filling the workspace',
  agent: 'Starting the agent',
} as const;

/** Tells a run's events to a person, a line for each thing worth a line. */
export class RunLog {
  readonly #write: (line: string) => void;
  #lastProgress = '';
  #omitted = '';

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  event({ data }: RunEvent): void {
    for (const line of this.#lines(data)) this.#write(line);
  }

  #lines(data: RunEventData): string[] {
    switch (data.type) {
      case 'run.queued':
        return [
          `${styleText('bold', terminalText(data.agentName))} ${data.agentVersion} on ${terminalText(data.model)}`,
        ];
      case 'phase.started':
        // Its first step often has the same words.
        this.#lastProgress = PHASES[data.phase];
        return [dim(`${PHASES[data.phase]} …`)];
      case 'phase.progress':
        return this.#progress(data.detail, data.fraction);
      case 'message.ended':
        return data.text.trim() ? [dim(`  ${oneLine(data.text, TEXT_LENGTH)}`)] : [];
      case 'tool.started':
        return [
          `${styleText('cyan', '→')} ${terminalText(data.tool)} ${dim(oneLine(JSON.stringify(data.arguments) ?? '', ARGUMENT_LENGTH))}`,
        ];
      case 'tool.ended':
        return [toolEnd(data)];
      case 'log.written':
        return [logLine(data.level, data.message)];
      case 'file.kept':
        return [`${styleText('green', '+')} ${terminalText(data.path)} ${dim(`${data.size} bytes`)}`];
      case 'resource.spilled':
        return [dim(`  (a result went to ${oneLine(data.path, TEXT_LENGTH)}: ${data.size} bytes)`)];
      case 'resource.skipped':
      case 'file.skipped':
        return [styleText('yellow', `! ${terminalText(data.problem.detail)}`)];
      case 'run.warned':
        return [styleText('yellow', `! ${terminalText(data.problem.detail)}`)];
      case 'memory.added':
        return [`${styleText('magenta', '•')} noted: ${oneLine(data.content, TEXT_LENGTH)}`];
      case 'pinned.set':
        return [
          `${styleText('magenta', '•')} pinned ${terminalText(data.key)}: ${oneLine(JSON.stringify(data.content) ?? '', TEXT_LENGTH)}`,
        ];
      case 'run.nudged':
        return [dim(`  (told the model: ${oneLine(data.detail, TEXT_LENGTH)})`)];
      case 'context.compacted':
        return [dim(`  (the context was shortened: ${oneLine(data.reason, TEXT_LENGTH)})`)];
      case 'model.retried':
        return [styleText('yellow', `! Model asked again: ${oneLine(data.detail, TEXT_LENGTH)}`)];
      case 'files.omitted':
        this.#omitted = `! ${data.atLeast ? 'At least ' : ''}${data.count} further files under outputs/ were not kept`;
        return [];
      case 'run.ended':
        return this.#omitted ? [styleText('yellow', this.#omitted)] : [];
      case 'phase.ended':
      case 'run.started':
      case 'turn.started':
      case 'turn.ended':
      case 'message.delta':
      case 'tool.progress':
      case 'output.emitted':
      case 'usage.updated':
      case 'file.written':
      case 'file.removed':
      case 'resource.kept':
      case 'memory.prompted':
      case 'memory.recalled':
      case 'file.published':
        return [];
    }
  }

  /** A build tells of its progress many times a second; a new step is worth a line. */
  #progress(detail: string, fraction: number | undefined): string[] {
    const step = oneLine(detail, TEXT_LENGTH);
    if (step === this.#lastProgress) return [];
    this.#lastProgress = step;
    return [dim(`  ${step}${fraction === undefined ? '' : ` (${Math.round(fraction * 100)} %)`}`)];
  }
}

function toolEnd(data: Extract<RunEventData, { type: 'tool.ended' }>): string {
  const seconds = (data.durationMs / 1000).toFixed(1);
  const [first] = data.content;
  const shown = first?.type === 'text' ? oneLine(first.text, ARGUMENT_LENGTH) : '';
  const mark = data.isError ? styleText('red', '✗') : styleText('green', '✓');
  return `${mark} ${terminalText(data.tool)} ${dim(`${seconds} s`)}${shown ? ` ${dim(shown)}` : ''}`;
}

function logLine(level: 'info' | 'warn' | 'error', message: string): string {
  const text = `${level}: ${terminalText(message)}`;
  switch (level) {
    case 'info':
      return text;
    case 'warn':
      return styleText('yellow', text);
    case 'error':
      return styleText('red', text);
  }
}

function dim(text: string): string {
  return styleText('dim', text);
}
