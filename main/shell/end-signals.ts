import { constants } from 'node:os';

const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type EndSignal = (typeof END_SIGNALS)[number];

/** Exit code that says a signal ended the process (128 and its number). */
export function exitCodeOf(signal: EndSignal): number {
  return 128 + constants.signals[signal];
}

/**
 * Calls back at the first signal that asks the process to end; a second one ends it at once, for a person
 * who does not want to wait. Disposing gives the signals back.
 */
export function onEndSignal(listener: (signal: EndSignal) => void): Disposable {
  let asked = false;
  const handlers = END_SIGNALS.map((name) => {
    const handler = () => {
      if (asked) process.exit(exitCodeOf(name));
      asked = true;
      listener(name);
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
