import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ProblemError } from '#shared/problem.ts';
import type { Streams } from './streams.ts';

/** Bytes of a secret or of several that are read from the standard input. */
const MAX_INPUT_CHARACTERS = 1_000_000;

/** Whether a person sits at the standard input. */
export function isInteractive({ input }: Pick<Streams, 'input'>): boolean {
  return input.isTTY;
}

/**
 * Asks at the terminal. The question goes to the error stream, so that what a program reads of the output
 * stays clean; a hidden answer is not echoed.
 * @throws ProblemError `cancelled` when the person ends it, Error of the signal.
 */
export async function ask(
  { input, errors }: Streams,
  question: string,
  { isHidden = false, signal }: { isHidden?: boolean; signal?: AbortSignal } = {},
): Promise<string> {
  let isMuted = false;
  const shown = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) errors.write(chunk);
      done();
    },
  });
  const terminal = createInterface({ input, output: shown, terminal: true, historySize: 0 });
  const ended = new AbortController();
  const end = () => ended.abort();
  terminal.once('SIGINT', end);
  terminal.once('close', end);
  try {
    const answer = terminal.question(question, {
      signal: signal ? AbortSignal.any([signal, ended.signal]) : ended.signal,
    });
    // The question itself has been written by now.
    isMuted = isHidden;
    return await answer;
  } catch (error) {
    signal?.throwIfAborted();
    if (!ended.signal.aborted) throw error;
    throw new ProblemError(
      { code: 'cancelled', title: 'Cancelled', detail: 'Nothing was changed.' },
      { cause: error },
    );
  } finally {
    terminal.close();
    if (isHidden) errors.write('\n');
  }
}

/** All of the standard input, without the line end that shells and editors add. @throws ProblemError. */
export async function readAll({ input }: Pick<Streams, 'input'>): Promise<string> {
  const all = (await text(input)).replace(/\r?\n$/, '');
  if (all.length <= MAX_INPUT_CHARACTERS) return all;
  throw new ProblemError({
    code: 'input_too_large',
    title: 'Too much on the standard input',
    detail: `At most ${MAX_INPUT_CHARACTERS} characters are read.`,
  });
}
