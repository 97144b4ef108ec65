import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { ProblemError, type Problem } from '#shared/problem.ts';
import {
  CASSETTE_VERSION,
  cassetteEntrySchema,
  type CassetteEntry,
  type CassetteEntryOf,
  type CassetteHead,
} from './cassette-entry.ts';

/** What a run heard from outside, in the order in which it heard it. */
export interface Cassette {
  readonly head: CassetteHead;
  readonly files: readonly CassetteEntryOf<'file'>[];
  readonly models: readonly CassetteEntryOf<'model'>[];
  readonly calls: readonly CassetteEntryOf<'call'>[];
  readonly answers: readonly CassetteEntryOf<'answer'>[];
  /** Why there is no more of it. */
  readonly stopped: Problem | undefined;
}

/**
 * Reads the cassette of a run. A last line that was cut by the end of the app is left out.
 * @throws ProblemError `recording_missing`, `recording_damaged`
 */
export async function readCassette(file: string): Promise<Cassette> {
  const entries = await readEntries(file);
  const [head] = entries;
  if (head?.kind !== 'head') throw damaged(1, 'It does not begin with what the run was told.');
  const of = <K extends CassetteEntry['kind']>(kind: K): CassetteEntryOf<K>[] =>
    entries.filter((entry): entry is CassetteEntryOf<K> => entry.kind === kind);
  return {
    head,
    files: of('file'),
    models: of('model').sort((a, b) => a.index - b.index),
    calls: of('call'),
    answers: of('answer'),
    stopped: of('stopped')[0]?.problem,
  };
}

async function readEntries(file: string): Promise<CassetteEntry[]> {
  const entries: CassetteEntry[] = [];
  let fault: ProblemError | undefined;
  let number = 0;
  const input = createReadStream(file);
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      number += 1;
      // Only the last line may be cut: the fault of another one is told once a line follows.
      if (fault !== undefined) throw fault;
      const parsed = cassetteEntrySchema.safeParse(jsonOf(line));
      if (parsed.success) entries.push(parsed.data);
      else fault = damaged(number, 'It is no entry of a recording.');
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new ProblemError(
      {
        code: 'recording_missing',
        title: 'The run was not recorded',
        detail: 'There is no recording with it: it was made by an earlier Slipway, or never began.',
        action: 'Run the agent again; from then on it can be replayed.',
      },
      { cause: error },
    );
  }
  return entries;
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function damaged(line: number, what: string): ProblemError {
  return new ProblemError({
    code: 'recording_damaged',
    title: 'The recording cannot be read',
    detail: `Line ${line} of it is not as version ${CASSETTE_VERSION} of the format has it. ${what}`,
    line,
  });
}
