import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Milliseconds in which writes count as one. */
const SETTLE_MS = 100;

/**
 * Calls back after a file changed, a moment later and once for many writes. The folder is watched, because
 * SQLite makes and removes its log beside the database. Where a folder cannot be watched nothing is told.
 */
export function watchFile(path: string, listener: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
      if (name !== null && name !== basename(path)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        listener();
      }, SETTLE_MS).unref();
    });
    watcher.on('error', () => watcher?.close());
  } catch {
    watcher = undefined;
  }
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      watcher?.close();
    },
  };
}
