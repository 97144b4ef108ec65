import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import { DOCUMENTS_FOLDER, OUTPUTS_FOLDER, SANDBOX_USER_ID } from '#shared/protocol/layout.ts';
import { ProblemError } from '#shared/problem.ts';
import type { InputFile } from './run-service.ts';

/** An input file and the name it gets. */
export interface WorkspaceFile {
  /** Name under `documents/`. */
  readonly name: string;
  readonly file: InputFile;
}

const OWNER = { uid: SANDBOX_USER_ID, gid: SANDBOX_USER_ID };

/**
 * A tar stream that fills a workspace: the folders every run has, and its input files, each read once as
 * the archive is taken. Destroy the stream to stop; an error of a file ends it with that error.
 */
export function workspaceArchive(files: readonly WorkspaceFile[], signal: AbortSignal): Readable {
  const archive = pack();
  // It may break before anyone reads; whoever reads is told then.
  archive.on('error', () => undefined);
  const written = writeEntries(archive, files, signal);
  written.then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return Readable.from(bytesOf(archive, written));
}

async function* bytesOf(archive: Pack, written: Promise<void>): AsyncGenerator<Buffer> {
  try {
    yield* archive as AsyncIterable<Buffer>;
  } catch (error) {
    // The archive breaks with a file's bare error, a moment before it is known whose it is.
    await written;
    throw error;
  }
}

async function writeEntries(
  archive: Pack,
  files: readonly WorkspaceFile[],
  signal: AbortSignal,
): Promise<void> {
  for (const name of [DOCUMENTS_FOLDER, OUTPUTS_FOLDER]) {
    archive.entry({ name: `${name}/`, type: 'directory', mode: 0o755, ...OWNER });
  }
  for (const { name, file } of files) {
    signal.throwIfAborted();
    try {
      const source = await file.open();
      const entry = archive.entry({
        name: `${DOCUMENTS_FOLDER}/${name}`,
        size: file.size,
        mode: 0o644,
        mtime: new Date(),
        ...OWNER,
      });
      await pipeline(source, entry, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw new ProblemError(
        {
          code: 'input_file_unreadable',
          title: 'An input file could not be read',
          detail: `"${file.originalName}" could not be read to its end. It may have changed or been removed since you chose it.`,
          file: file.originalName,
          action: 'Choose the file again.',
        },
        { cause: error },
      );
    }
  }
}
