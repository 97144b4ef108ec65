import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FileHandles } from '#main/app/shell-services.ts';
import type { InputFile } from '#main/runs/run-service.ts';
import type { RegisteredFile } from '#shared/ipc/frames.ts';
import { ProblemError } from '#shared/problem.ts';

interface HeldFile {
  readonly path: string;
  readonly name: string;
  readonly size: number;
}

/** The files and folders one session has picked, dropped or uploaded, under handles nobody can guess. */
export class SessionFiles implements FileHandles {
  readonly #files = new Map<string, HeldFile>();
  readonly #folders = new Map<string, string>();

  /** Makes a file of the disk usable under the handle in the answer. */
  register(file: HeldFile): RegisteredFile {
    const handle = newHandle();
    this.#files.set(handle, file);
    return { handle, name: file.name, size: file.size };
  }

  resolve(handle: string): Omit<InputFile, 'field'> {
    const file = this.#files.get(handle);
    if (!file) {
      throw new ProblemError({
        code: 'file_handle_unknown',
        title: 'File no longer known',
        detail: 'A file of this run is not known to Slipway any more.',
        action: 'Choose the file again.',
      });
    }
    return { originalName: file.name, size: file.size, open: () => openUnchanged(file) };
  }

  registerFolder(path: string): string {
    const handle = newHandle();
    this.#folders.set(handle, path);
    return handle;
  }

  resolveFolder(handle: string): string {
    const path = this.#folders.get(handle);
    if (path !== undefined) return path;
    throw new ProblemError({
      code: 'folder_handle_unknown',
      title: 'Folder no longer known',
      detail: 'This folder is not known to Slipway any more.',
      action: 'Choose the folder again.',
    });
  }
}

function newHandle(): string {
  return randomBytes(24).toString('base64url');
}

async function openUnchanged(file: HeldFile) {
  const size = await stat(file.path).then(
    (information) => information.size,
    () => undefined,
  );
  if (size !== file.size) {
    throw new ProblemError({
      code: 'file_changed',
      title: 'File changed',
      detail:
        size === undefined
          ? `"${file.name}" cannot be read any more.`
          : `"${file.name}" changed after it was chosen: it had ${file.size} bytes and now has ${size}.`,
      file: file.name,
      action: 'Choose the file again.',
    });
  }
  return createReadStream(file.path);
}
