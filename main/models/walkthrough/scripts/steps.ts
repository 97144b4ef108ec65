import type { Mend } from '../programs/mend.ts';
import { call, turn, type ScriptContext, type ScriptedCall, type Turn } from '../turn.ts';

export type LogLevel = 'info' | 'warn' | 'error';

/** A `log` call, where the agent has that tool. */
export function log(context: ScriptContext, level: LogLevel, message: string): ScriptedCall | undefined {
  return context.hasTool('log') ? call('log', { level, message }) : undefined;
}

/** A `bash` call with a limit, so that a program that hangs does not take the whole run. */
export function bash(command: string, timeoutSeconds = 120): ScriptedCall {
  return call('bash', { command, timeout: timeoutSeconds });
}

/** An `edit` call. */
export function edit(path: string, ...mends: readonly Mend[]): ScriptedCall {
  return call('edit', { path, edits: mends });
}

/** Quotes a word for bash. */
export function quote(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The exit code in the result of a `bash` call, as Pi's tool writes it. */
export function exitCode(result: string): number {
  if (/Command (timed out|aborted)/.test(result)) return 124;
  return Number(/Command exited with code (\d+)\s*$/.exec(result)?.[1] ?? 0);
}

/** The JSON object in a text, which may be followed by a remark of the tool. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** A text of the run's input, or an empty one. */
export function inputText(context: ScriptContext, name: string): string {
  const value = Object.hasOwn(context.task.input, name) ? context.task.input[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/** A number with its noun, in the plural unless it is one. */
export function counted(count: unknown, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Last part of a path. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Tools of the sandbox that every sample needs. */
const NEEDED = ['read', 'write', 'edit', 'bash'];

/** What to say when the run lacks a tool the script cannot do without. */
export function missingTools(context: ScriptContext): string | undefined {
  const missing = NEEDED.filter((name) => !context.hasTool(name));
  return missing.length === 0
    ? undefined
    : `This script needs the tools ${missing.join(', ')}, which this run does not have.`;
}

/** The last step of a script: tells the person, and hands over the result, which ends the run. */
export function* deliver(
  context: ScriptContext,
  level: LogLevel,
  message: string,
  data: Readonly<Record<string, unknown>>,
): Generator<Turn, string, readonly string[]> {
  const logged = log(context, level, message);
  const output = context.hasTool('output') ? call('output', { data }) : undefined;
  if (!logged && !output) return message;
  const results = yield turn('', logged, output);
  return output ? `The result was not taken: ${results.at(-1) ?? ''}` : message;
}
