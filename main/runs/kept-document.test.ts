import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openKeptDocument } from './kept-document.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-documents-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('keeps what the run reads', async () => {
  const target = join(folder, 'documents', 'my "file" 🚢.csv');
  const file = { open: () => Promise.resolve(Readable.from([Buffer.from('a,b')])) };
  expect(await text(await openKeptDocument(file, target))).toBe('a,b');
  expect(readFileSync(target, 'utf8')).toBe('a,b');
});

it('keeps nothing of a file that breaks half-way, and says why', async () => {
  const target = join(folder, 'documents', 'a.csv');
  async function* breaking() {
    yield Buffer.from('a');
    await Promise.resolve();
    throw new Error('EIO');
  }
  const file = { open: () => Promise.resolve(Readable.from(breaking())) };
  await expect(openKeptDocument(file, target)).rejects.toThrow('EIO');
  expect(existsSync(target)).toBe(false);
  expect(readdirSync(join(folder, 'documents'))).toEqual([]);
});

it('says that the disk is full', async () => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const file = { open: () => Promise.reject(full) };
  await expect(openKeptDocument(file, join(folder, 'a'))).rejects.toMatchObject({
    problem: { code: 'disk_full' },
  });
});
