import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ProblemError } from '#shared/problem.ts';
import { fileTooLarge } from '#shared/runs/file-too-large.ts';
import { MAX_INPUT_BYTES } from '#shared/runs/run.ts';

/** Bytes all uploads of one process may take; a run's files are at most {@link MAX_INPUT_BYTES}. */
const MAX_KEPT_BYTES = 16 * MAX_INPUT_BYTES;

/** A file that was taken whole. */
export interface Upload {
  readonly path: string;
  readonly size: number;
}

/** Takes uploaded files to temporary ones, which go when the process ends. */
export class Uploads implements Disposable {
  readonly #folder: string;
  #keptBytes = 0;

  /** @param folder Used by nothing else; what an earlier process left there is removed. */
  constructor(folder: string) {
    this.#folder = folder;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Streams a request's body to a file. The size is judged by its header, before anything is read.
   * @throws ProblemError `length_required`, `file_too_large`, `uploads_full`, `disk_full`, `upload_aborted`.
   */
  async receive(request: IncomingMessage, name: string): Promise<Upload> {
    const size = announcedSize(request);
    if (size === undefined) throw new ProblemError(LENGTH_REQUIRED);
    const tooLarge = fileTooLarge(name, size);
    if (tooLarge) throw new ProblemError(tooLarge);
    if (this.#keptBytes + size > MAX_KEPT_BYTES) throw new ProblemError(UPLOADS_FULL);
    this.#keptBytes += size;
    const path = join(this.#folder, randomUUID());
    try {
      await pipeline(request, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
      return { path, size };
    } catch (error) {
      this.#keptBytes -= size;
      await rm(path, { force: true });
      throw describeFailure(error, name);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function announcedSize(request: IncomingMessage): number | undefined {
  const header = request.headers['content-length'];
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

const LENGTH_REQUIRED = {
  code: 'length_required',
  title: 'Size of the file unknown',
  detail: 'The upload did not say how large the file is.',
};

const UPLOADS_FULL = {
  code: 'uploads_full',
  title: 'Too many files uploaded',
  detail: 'The files chosen since Slipway was started take all the room there is for them.',
  action: 'Restart Slipway; finished runs keep their files.',
};

function describeFailure(error: unknown, name: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new ProblemError(
      {
        code: 'disk_full',
        title: 'Disk full',
        detail: `There is no room on the disk for "${name}".`,
        file: name,
        action: 'Free some space and choose the file again.',
      },
      { cause: error },
    );
  }
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') {
    return new ProblemError(
      {
        code: 'upload_aborted',
        title: 'Upload ended early',
        detail: `"${name}" did not arrive whole.`,
        file: name,
      },
      { cause: error },
    );
  }
  return error;
}
