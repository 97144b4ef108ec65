import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openKeptDocument } from './kept-document.ts';

/** Of a run that nobody ends. */
const going = new AbortController().signal;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-documents-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('keeps what the run reads', async () => {
  const target = join(folder, 'documents', 'my "file" 🚢.csv');
  const file = { open: () => Promise.resolve(Readable.from([Buffer.from('a,b')])) };
  expect(await text(await openKeptDocument(file, target, going))).toBe('a,b');
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
  await expect(openKeptDocument(file, target, going)).rejects.toThrow('EIO');
  expect(existsSync(target)).toBe(false);
  expect(readdirSync(join(folder, 'documents'))).toEqual([]);
});

it('says that the disk is full', async () => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const file = { open: () => Promise.reject(full) };
  await expect(openKeptDocument(file, join(folder, 'a'), going)).rejects.toMatchObject({
    problem: { code: 'disk_full' },
  });
});

it('ends with the run, though the file goes on, and keeps nothing', async () => {
  const ended = new AbortController();
  const file = { open: () => Promise.resolve(new Readable({ read: () => undefined })) };
  const opening = openKeptDocument(file, join(folder, 'a'), ended.signal);
  ended.abort(new Error('ended'));
  await expect(opening).rejects.toThrow('ended');
  expect(readdirSync(folder)).toEqual([]);
});
