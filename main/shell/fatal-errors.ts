import type { Logger } from '#main/logging/index.ts';

/** Logs an error that nothing caught and has the process end. Disposing gives the errors back to Node. */
export function onUncaughtError(logger: Logger, end: (error: Error) => void): Disposable {
  const handle = (error: Error) => {
    logger.error({ error }, 'An error that nothing caught');
    end(error);
  };
  process.on('uncaughtException', handle);
  return { [Symbol.dispose]: () => void process.off('uncaughtException', handle) };
}
