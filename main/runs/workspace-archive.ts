import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import { DOCUMENTS_FOLDER, OUTPUTS_FOLDER, SANDBOX_USER_ID } from '#shared/protocol/layout.ts';
import { ProblemError } from '#shared/problem.ts';

/** A file that a run has from the start. */
export interface WorkspaceFile {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  readonly size: number;
  /** Name by which a person knows it. */
  readonly shownName: string;
  readonly isExecutable?: boolean;
  open(signal: AbortSignal): Promise<Readable>;
}

const OWNER = { uid: SANDBOX_USER_ID, gid: SANDBOX_USER_ID };

/**
 * A tar stream that fills a workspace: the folders every run has, and its first files, each read once as
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
  for (const file of files) {
    signal.throwIfAborted();
    try {
      const source = await file.open(signal);
      const entry = archive.entry({
        name: file.path,
        size: file.size,
        mode: file.isExecutable === true ? 0o755 : 0o644,
        mtime: new Date(),
        ...OWNER,
      });
      await pipeline(source, entry, { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ProblemError) throw error;
      throw new ProblemError(
        {
          code: 'input_file_unreadable',
          title: 'An input file could not be read',
          detail: `"${file.shownName}" could not be read to its end. It may have changed or been removed since you chose it.`,
          file: file.shownName,
          action: 'Choose the file again.',
        },
        { cause: error },
      );
    }
  }
}
