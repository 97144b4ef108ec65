import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tryExclusiveLock } from './exclusive-lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('one holds it at a time, and a killed holder leaves no lock behind', async () => {
  const path = join(folder, 'shell.lock');
  const holder = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '-e',
      `import { tryExclusiveLock } from ${JSON.stringify(join(import.meta.dirname, 'exclusive-lock.ts'))};
       globalThis.lock = tryExclusiveLock(${JSON.stringify(path)});
       console.log(globalThis.lock ? 'held' : 'refused');
       setInterval(() => undefined, 1000);`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = (await once(holder.stdout, 'data')) as [Buffer];
  expect(String(line).trim()).toBe('held');
  expect(tryExclusiveLock(path)).toBeUndefined();
  const ended = once(holder, 'exit');
  holder.kill('SIGKILL');
  await ended;
  const lock = tryExclusiveLock(path);
  expect(lock).toBeDefined();
  expect(tryExclusiveLock(path)).toBeUndefined();
  lock?.[Symbol.dispose]();
  const again = tryExclusiveLock(path);
  expect(again).toBeDefined();
  again?.[Symbol.dispose]();
});
