import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError } from '#shared/problem.ts';
import type { Pair } from './pair.ts';

/** Milliseconds that a container may take to say why the connection to it ended. */
const EXPLANATION_MS = 2_000;

/** Waits for work with a pair, but not longer than the pair lives or the run is wanted. */
export async function whilePairLives<T>(pair: Pair, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  const giveUp = () => ended.reject(signal.reason as Error);
  signal.addEventListener('abort', giveUp, { once: true });
  const promise = work();
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, ended.promise, failureOf(pair)]);
  } catch (error) {
    // The connection's end is seen before the container's; the container knows why.
    if (error instanceof ProblemError && error.problem.code === 'peer_closed' && !signal.aborted) {
      return await Promise.race([failureOf(pair), delayedThrow(error)]);
    }
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

async function failureOf(pair: Pair): Promise<never> {
  throw await pair.failure;
}

async function delayedThrow(error: unknown): Promise<never> {
  await delay(EXPLANATION_MS, undefined, { ref: false });
  throw error;
}

/** Waits at most so long, and never throws. */
export async function atMost(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    promise.catch(() => undefined),
    new Promise((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    }),
  ]);
  clearTimeout(timer);
}
