import { constants } from 'node:os';

const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type EndSignal = (typeof END_SIGNALS)[number];

/**
 * Milliseconds in which a further signal is the first one again: a closed terminal or a stopped service
 * tells every process of a group, and those that started this one hand it on.
 */
const SAME_REQUEST_MS = 500;

/** Exit code that says a signal ended the process (128 and its number). */
export function exitCodeOf(signal: EndSignal): number {
  return 128 + constants.signals[signal];
}

/**
 * Calls back at the first signal that asks the process to end; a second one ends it at once, for a person
 * who does not want to wait. Disposing gives the signals back.
 */
export function onEndSignal(listener: (signal: EndSignal) => void): Disposable {
  let askedAt: number | undefined;
  const handlers = END_SIGNALS.map((name) => {
    const handler = () => {
      if (askedAt === undefined) {
        askedAt = performance.now();
        listener(name);
      } else if (performance.now() - askedAt > SAME_REQUEST_MS) {
        process.exit(exitCodeOf(name));
      }
    };
    process.on(name, handler);
    return { name, handler };
  });
  return {
    [Symbol.dispose]() {
      for (const { name, handler } of handlers) process.off(name, handler);
    },
  };
}

/** Resolves when the process is asked to end. */
export async function askedToEnd(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _signals = onEndSignal(() => resolve());
  await promise;
}
