import type { ModelDescription } from '#shared/models/model.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';
import { MeteredRunModel } from './metered-run-model.ts';
import type { RunModel } from './model-gateway.ts';

/** What a model answered once: a provider's response, or why there was none. */
export type RecordedModelAnswer =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    }
  | { readonly kind: 'failure'; readonly problem: Problem };

/**
 * A model that answers as it once did, whatever it is asked now. It costs nothing.
 * @param next the next answer; throws when there is none
 */
export function createReplayedModel(
  description: ModelDescription,
  next: () => RecordedModelAnswer,
): RunModel {
  return new MeteredRunModel({
    description,
    prices: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, tiers: [] },
    key: undefined,
    transport: {
      async send(_request, signal) {
        signal.throwIfAborted();
        const answer = next();
        if (answer.kind === 'failure') throw new ProblemError(answer.problem);
        const { status, headers, body } = answer;
        return Promise.resolve({ status, headers, body: pieces(body) });
      },
    },
  });
}

/** Bytes of one piece of an answer. */
const PIECE_BYTES = 16 * 1024;

async function* pieces(body: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let start = 0; start < body.length; start += PIECE_BYTES) {
    yield await Promise.resolve(body.subarray(start, start + PIECE_BYTES));
  }
}
