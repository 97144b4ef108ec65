import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { workspaceArchive } from './workspace-archive.ts';

const never = new AbortController().signal;

it.each([
  ['vanished', () => Promise.resolve(createReadStream(join(import.meta.dirname, 'no-such-file')))],
  ['cannot be opened', () => Promise.reject(new Error('EACCES'))],
  ['became shorter', () => Promise.resolve(Readable.from([Buffer.from('ab')]))],
])('names the input file that %s, and not the engine that was to take it', async (_what, open) => {
  const file = { path: 'documents/table.csv', shownName: 'table.csv', size: 4, open };
  const archive = workspaceArchive([file], never);
  await expect(archive.resume().toArray()).rejects.toMatchObject({
    problem: { code: 'input_file_unreadable', file: 'table.csv' },
  });
});
