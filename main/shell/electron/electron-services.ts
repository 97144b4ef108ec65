import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { app, BrowserWindow, dialog, shell, type OpenDialogOptions } from 'electron';
import type { ShellServices } from '#main/app/shell-services.ts';
import { ProblemError } from '#shared/problem.ts';

/** What Electron can do for the person. */
export const electronServices: ShellServices = {
  kind: 'electron',
  canReveal: true,
  async openExternal(url) {
    // The route takes nothing else either; the system would start programs for other schemes.
    if (new URL(url).protocol !== 'https:') throw new TypeError('Only https addresses are opened');
    await shell.openExternal(url);
  },
  async saveFile(suggestedName, open, signal) {
    const options = { defaultPath: join(app.getPath('downloads'), suggestedName) };
    const window = BrowserWindow.getFocusedWindow();
    const { canceled, filePath } = await (window
      ? dialog.showSaveDialog(window, options)
      : dialog.showSaveDialog(options));
    if (canceled || !filePath) return undefined;
    await writeWhole(filePath, open(), signal);
    return filePath;
  },
  async pickFolder() {
    const window = BrowserWindow.getFocusedWindow();
    const options: OpenDialogOptions = { properties: ['openDirectory'] };
    const { canceled, filePaths } = await (window
      ? dialog.showOpenDialog(window, options)
      : dialog.showOpenDialog(options));
    return canceled ? undefined : filePaths[0];
  },
  async revealFolder(path) {
    const failure = await shell.openPath(path);
    if (failure) {
      throw new ProblemError({
        code: 'reveal_unavailable',
        title: 'Folder not shown',
        detail: `The system could not open the folder: ${failure}`,
        action: `The files are in ${path}.`,
      });
    }
  },
};

/** Writes beside the target first, so that a failure leaves what was there. */
async function writeWhole(path: string, source: Readable, signal: AbortSignal): Promise<void> {
  const partial = `${path}.${randomUUID().slice(0, 8)}.part`;
  try {
    await pipeline(source, createWriteStream(partial, { flags: 'wx' }), { signal });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    if (signal.aborted) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new ProblemError(
      {
        code: 'save_failed',
        title: 'File not saved',
        detail: `${path} could not be written (${code ?? 'unknown reason'}).`,
        action: 'Choose another place.',
      },
      { cause: error },
    );
  }
}
