import { toProblem } from '#shared/problem.ts';
import { canonicalJson } from '#shared/text/canonical-json.ts';
import type { CassetteEntryOf } from './cassette/cassette-entry.ts';
import type { CassetteWriter } from './cassette/cassette-writer.ts';
import type { SidecarConnection } from './pair.ts';
import type { MemoryInput, MemoryMethod, MemoryOutput, RunMemory } from './run-memory.ts';
import type { RunRecorder } from './run-recorder.ts';

/**
 * Answers what the sidecar asks for the tools that read and write memory. Everything a run reads or writes
 * is an event of it, and in its cassette.
 */
export function serveMemory(
  peer: SidecarConnection['peer'],
  memory: RunMemory,
  recorder: RunRecorder,
  cassette: CassetteWriter | undefined,
): void {
  const answer = <M extends MemoryMethod>(method: M, input: MemoryInput<M>): Promise<MemoryOutput<M>> =>
    Promise.try(() => {
      const record = (rest: Pick<CassetteEntryOf<'answer'>, 'outcome' | 'event'>) =>
        cassette?.add({ kind: 'answer', method, key: canonicalJson(input), ...rest });
      try {
        const { output, event } = memory.answer(method, input);
        if (event !== undefined) recorder.append(event);
        record({ outcome: { kind: 'output', output }, event });
        return output;
      } catch (error) {
        record({ outcome: { kind: 'failure', problem: toProblem(error) } });
        throw error;
      }
    });
  peer.handle('runHistory', (input) => answer('runHistory', input));
  peer.handle('recallMemory', (input) => answer('recallMemory', input));
  peer.handle('addNote', (input) => answer('addNote', input));
  peer.handle('setPin', (input) => answer('setPin', input));
}
