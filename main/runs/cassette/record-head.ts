import { buffer } from 'node:stream/consumers';
import type { RunEventData } from '#shared/events/run-event.ts';
import type { RecordedTool } from '#shared/protocol/cassette.ts';
import type { PromptMemory } from '#shared/runs/system-prompt.ts';
import type { SessionRequest } from '../session-request.ts';
import { CASSETTE_VERSION } from './cassette-entry.ts';

/** Bytes of the files of an agent's packages that are recorded with a run. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** What a run's programs turned out to be told and to have. */
export interface RecordedHead {
  readonly systemPrompt: string;
  readonly services: readonly RecordedTool[];
  readonly memory: PromptMemory;
  readonly prompted: RunEventData | undefined;
}

/**
 * Begins a run's cassette: what it was told, and the files of its packages.
 * @throws the signal's reason, or what opening a package's file throws
 */
export async function recordHead(
  { agent, model, skills, serviceNames, serviceNotes, packageFiles, cassette }: SessionRequest,
  { systemPrompt, services, memory, prompted }: RecordedHead,
  signal: AbortSignal,
): Promise<void> {
  if (cassette === undefined) return;
  const { checkpoint, pins, noteCount } = memory;
  cassette.add({
    kind: 'head',
    version: CASSETTE_VERSION,
    model: model.description,
    systemPrompt,
    runtimeTools: [...agent.runtimeTools],
    timeoutSeconds: agent.timeoutSeconds,
    skills: [...skills],
    services: [...services],
    serviceNames: [...serviceNames],
    serviceNotes: [...serviceNotes],
    memory: { checkpoint, pins: [...pins], noteCount },
    prompted,
  });
  const size = packageFiles.reduce((sum, file) => sum + file.size, 0);
  if (size > MAX_FILE_BYTES) {
    cassette.stop({
      code: 'recording_full',
      title: 'The run cannot be replayed to its end',
      detail: `The skills of the agent have ${Math.ceil(size / 1_048_576)} MB, and ${MAX_FILE_BYTES / 1_048_576} MB of them are recorded.`,
    });
    return;
  }
  for (const file of packageFiles) {
    const data = (await buffer(await file.open(signal))).toString('base64');
    cassette.add({ kind: 'file', path: file.path, isExecutable: file.isExecutable === true, data });
  }
}
