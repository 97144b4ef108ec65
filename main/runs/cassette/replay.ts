import type { RecordedModelAnswer } from '#main/models/index.ts';
import type { RunEventData } from '#shared/events/run-event.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';
import type { RecordedAnswer } from '#shared/protocol/cassette.ts';
import { mainRequests } from '#shared/protocol/sidecar.ts';
import type { PromptMemory } from '#shared/runs/system-prompt.ts';
import { canonicalJson } from '#shared/text/canonical-json.ts';
import type { MemoryAnswer, MemoryInput, MemoryMethod, RunMemory } from '../run-memory.ts';
import type { CassetteEntryOf } from './cassette-entry.ts';
import type { Cassette } from './read-cassette.ts';

/** Arguments of a call in the sentence that says it was not recorded. */
const SHOWN_CHARACTERS = 300;

/**
 * What a run asks of the world, answered as another run was. Equal questions get their answers in the order
 * in which they were recorded, and the last one again after that.
 */
export class Replay implements RunMemory {
  readonly #cassette: Cassette;
  readonly #calls: Recorded<CassetteEntryOf<'call'>>;
  readonly #answers: Recorded<CassetteEntryOf<'answer'>>;
  readonly #missing = Promise.withResolvers<Problem>();
  #modelIndex = 0;

  constructor(cassette: Cassette) {
    this.#cassette = cassette;
    this.#calls = new Recorded(cassette.calls, ({ tool, key }) => `${tool} ${key}`);
    this.#answers = new Recorded(cassette.answers, ({ method, key }) => `${method} ${key}`);
  }

  /** Resolves with what was asked first that is not in the recording: the run cannot go on. */
  get missing(): Promise<Problem> {
    return this.#missing.promise;
  }

  /** The model's next answer. @throws ProblemError `recording_ended` */
  nextModelAnswer(): RecordedModelAnswer {
    const entry = this.#cassette.models[this.#modelIndex];
    this.#modelIndex += 1;
    if (entry === undefined) throw this.#endWith(recordingEnded(this.#cassette.stopped));
    const { answer } = entry;
    if (answer.kind === 'failure') return answer;
    const { status, headers, data } = answer;
    return { kind: 'response', status, headers, body: Buffer.from(data, 'base64') };
  }

  /** @throws ProblemError `call_not_recorded` */
  call({ tool, key }: { readonly tool: string; readonly key: string }): RecordedAnswer {
    const recorded = this.#calls.next(`${tool} ${key}`);
    if (recorded === undefined) throw this.#notRecorded(`${tool} was never called with these arguments.`);
    if (recorded.omittedBytes === undefined) return recorded.answer;
    const mebibytes = Math.ceil(recorded.omittedBytes / 1_048_576);
    throw this.#notRecorded(
      `${tool} was answered with ${mebibytes} MB, which is more than is recorded of a call.`,
    );
  }

  prompt(): { readonly memory: PromptMemory; readonly event?: RunEventData | undefined } {
    const { memory, prompted } = this.#cassette.head;
    return { memory, event: prompted };
  }

  answer<M extends MemoryMethod>(method: M, input: MemoryInput<M>): MemoryAnswer<M> {
    const asked = canonicalJson(input);
    const recorded = this.#answers.next(`${method} ${asked}`);
    if (recorded === undefined)
      throw this.#notRecorded(`${method} was never asked with ${asked.slice(0, SHOWN_CHARACTERS)}.`);
    const { outcome, event } = recorded;
    if (outcome.kind === 'failure') throw new ProblemError(outcome.problem);
    // The method is in the key, so its answer is of the method's kind.
    const output = mainRequests[method].output.parse(outcome.output) as MemoryAnswer<M>['output'];
    return { output, event };
  }

  #notRecorded(what: string): ProblemError {
    const { stopped } = this.#cassette;
    return this.#endWith({
      code: 'call_not_recorded',
      title: 'The recording does not hold this call',
      detail: `${what} A replay asks nobody, so it ends here.${stopped === undefined ? '' : ` ${stopped.detail}`}`,
      action: 'Run the agent itself to have it answered.',
    });
  }

  #endWith(problem: Problem): ProblemError {
    this.#missing.resolve(problem);
    return new ProblemError(problem);
  }
}

function recordingEnded(stopped: Problem | undefined): Problem {
  return {
    code: 'recording_ended',
    title: 'The recording ends here',
    detail:
      stopped?.detail ??
      'The recorded run asked its model no more: it was ended there, or does something else this time.',
    action: 'Look at where the two runs part.',
  };
}

/** Entries by what was asked. */
class Recorded<Entry> {
  readonly #queues: ReadonlyMap<string, Entry[]>;

  constructor(entries: readonly Entry[], keyOf: (entry: Entry) => string) {
    this.#queues = Map.groupBy(entries, keyOf);
  }

  /** The next answer, of which the last stays. */
  next(key: string): Entry | undefined {
    const queue = this.#queues.get(key);
    return queue !== undefined && queue.length > 1 ? queue.shift() : queue?.[0];
  }
}
