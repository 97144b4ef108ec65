import { mkdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryExclusiveLock } from '#main/store/index.ts';

/** Held for the life of the process. */
let lock: Disposable | undefined;

/**
 * Whether this process is the first on a folder. A later one leaves its arguments there for the first.
 */
export function claimSingleInstance(folder: string, onSecond: (argv: string[]) => void): boolean {
  const messages = join(folder, 'second-instances');
  lock = tryExclusiveLock(join(folder, 'standin.lock'));
  if (!lock) {
    writeFileSync(join(messages, `${process.pid}.json`), JSON.stringify(process.argv));
    return false;
  }
  rmSync(messages, { recursive: true, force: true });
  mkdirSync(messages);
  watch(messages, (_type, name) => {
    if (!name) return;
    try {
      const argv = JSON.parse(readFileSync(join(messages, name), 'utf8')) as string[];
      rmSync(join(messages, name));
      onSecond(argv);
    } catch {
      // Not written whole yet, or taken already: another event comes, or came.
    }
  }).unref();
  return true;
}
