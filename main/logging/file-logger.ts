import { mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { ProblemError } from '#shared/problem.ts';
import type { Logger } from './logger.ts';
import type { Redactor } from './redactor.ts';

/** Size at which a log is set aside; one such file is kept. */
const MAX_LOG_BYTES = 5 * 1024 * 1024;

/**
 * The app's log: JSON lines in a file that only the author can read, every line passed through the
 * redactor. A log that cannot be written is no reason not to run.
 */
export function createFileLogger(
  folder: string,
  redactor: Redactor,
  level: 'debug' | 'info' = 'info',
): Logger & Disposable {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'slipway.log');
  const file = pino.destination({ dest: path, sync: true, mode: 0o600 });
  file.on('error', () => undefined);
  let size = sizeOf(path);
  const write = (line: string) => {
    if (size > MAX_LOG_BYTES) {
      setAside(path);
      file.reopen();
      size = 0;
    }
    file.write(line);
    size += Buffer.byteLength(line);
  };
  // What ends after the app does may still have something to say.
  let isOpen = true;
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: describeError },
    },
    {
      write: (line: string) => {
        if (isOpen) write(redactor.redact(line));
      },
    },
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    [Symbol.dispose]: () => {
      isOpen = false;
      file.end();
    },
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function setAside(path: string): void {
  try {
    renameSync(path, `${path}.1`);
  } catch {
    // Another process has done so, or the log cannot be written anyway.
  }
}

function describeError(error: unknown): unknown {
  if (error instanceof ProblemError) {
    return {
      ...error.problem,
      stack: error.stack,
      ...(error.cause !== undefined && { cause: describeError(error.cause) }),
    };
  }
  return error instanceof Error ? pino.stdSerializers.err(error) : String(error);
}
