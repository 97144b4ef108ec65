import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { extract, pack, type Header } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packFrom, unpackInto } from './folder-archive.ts';

const never = new AbortController().signal;
let root: string;
let boundary: string;
let outside: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'slipway-archive-'));
  boundary = join(root, 'inside');
  outside = join(root, 'outside');
  await mkdir(boundary);
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), 'untouched');
});
afterEach(() => rm(root, { recursive: true }));

function archive(...entries: (Partial<Header> & { name: string; content?: string })[]): Readable {
  const packed = pack();
  for (const { content = '', ...header } of entries) packed.entry(header, content);
  packed.finalize();
  return Readable.from(packed);
}

async function unpacked(stream: Readable): Promise<Map<string, { header: Header; content: string }>> {
  const entries = new Map<string, { header: Header; content: string }>();
  const reader = extract();
  reader.end(await buffer(stream));
  for await (const entry of reader)
    entries.set(entry.header.name, { header: entry.header, content: (await buffer(entry)).toString() });
  return entries;
}

describe('unpackInto', () => {
  it('keeps names with blanks, quotes and emoji, modes and contents', async () => {
    const names = ["a b's “file”.txt", 'ü/🚢 ship.csv', '-rf', '"quoted"'];
    await unpackInto(
      boundary,
      boundary,
      archive(...names.map((name) => ({ name, content: name, mode: 0o755 }))),
      never,
    );
    for (const name of names) expect(await readFile(join(boundary, name), 'utf8')).toBe(name);
    expect((await lstat(join(boundary, '-rf'))).mode & 0o777).toBe(0o755);
  });

  it.each(['../outside/new', 'a/../../outside/new', '/etc/new', '..', 'a/..'])(
    'refuses the entry %j and writes nothing outside',
    async (name) => {
      const header = archive({ name: 'placeholder' });
      const bytes = Buffer.from(await buffer(header));
      // The library would clean some names: write it into the header as an attacker would.
      bytes.fill(0, 0, 100);
      bytes.write(name, 0, 'utf8');
      let sum = 0;
      bytes.fill(0x20, 148, 156);
      for (const byte of bytes.subarray(0, 512)) sum += byte;
      bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
      await expect(unpackInto(boundary, boundary, Readable.from([bytes]), never)).rejects.toMatchObject({
        problem: { code: 'archive_refused' },
      });
      expect(await readdir(outside)).toEqual(['secret']);
      expect(await readdir(root)).toEqual(['inside', 'outside']);
    },
  );

  it.each(['symlink', 'link', 'fifo', 'character-device'] as const)(
    'refuses an entry of type %s',
    async (type) => {
      const entries = archive({ name: 'x', type, linkname: '../outside/secret' });
      await expect(unpackInto(boundary, boundary, entries, never)).rejects.toMatchObject({
        problem: { code: 'archive_refused' },
      });
      expect(await readdir(boundary)).toEqual([]);
    },
  );

  it('does not go through a folder that was replaced by a link', async () => {
    await symlink(outside, join(boundary, 'documents'));
    for (const [folder, name] of [
      [boundary, 'documents/new'],
      [join(boundary, 'documents'), 'new'],
    ] as const)
      await expect(
        unpackInto(folder, boundary, archive({ name, content: 'x' }), never),
      ).rejects.toMatchObject({ problem: { code: 'archive_refused' } });
    expect(await readdir(outside)).toEqual(['secret']);
  });

  it('replaces a link that stands where a file goes, and leaves what it points to', async () => {
    await symlink(join(outside, 'secret'), join(boundary, 'file'));
    await unpackInto(boundary, boundary, archive({ name: 'file', content: 'new' }), never);
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('untouched');
    expect(await readFile(join(boundary, 'file'), 'utf8')).toBe('new');
  });

  it('fails on an archive that is cut', async () => {
    const bytes = await buffer(archive({ name: 'file', content: 'x'.repeat(5000) }));
    await expect(
      unpackInto(boundary, boundary, Readable.from([bytes.subarray(0, 2000)]), never),
    ).rejects.toThrow(/broke off/);
  });
});

describe('packFrom', () => {
  it('names entries from the last part of the path on, as Docker does', async () => {
    await mkdir(join(boundary, 'outputs', 'deep'), { recursive: true });
    await writeFile(join(boundary, 'outputs', 'deep', 'a.txt'), 'a');
    await writeFile(join(boundary, 'outputs', 'empty'), '');
    await chmod(join(boundary, 'outputs', 'deep', 'a.txt'), 0o600);
    const entries = await unpacked(await packFrom(join(boundary, 'outputs'), boundary));
    expect([...entries.keys()].toSorted()).toEqual([
      'outputs/',
      'outputs/deep/',
      'outputs/deep/a.txt',
      'outputs/empty',
    ]);
    expect(entries.get('outputs/deep/a.txt')).toMatchObject({ content: 'a', header: { mode: 0o600 } });
    const one = await unpacked(await packFrom(join(boundary, 'outputs', 'deep', 'a.txt'), boundary));
    expect([...one.keys()]).toEqual(['a.txt']);
  });

  it('gives a link as a link, and never what it points to', async () => {
    await symlink(join(outside, 'secret'), join(boundary, 'link'));
    const entries = await unpacked(await packFrom(join(boundary, 'link'), boundary));
    expect(entries.get('link')).toMatchObject({
      content: '',
      header: { type: 'symlink', linkname: await readlink(join(boundary, 'link')) },
    });
  });

  it('refuses a path that a link leads out of the workspace', async () => {
    await symlink(outside, join(boundary, 'outputs'));
    await expect(packFrom(join(boundary, 'outputs', 'secret'), boundary)).rejects.toMatchObject({
      problem: { code: 'archive_refused' },
    });
    await expect(packFrom(outside, boundary)).rejects.toMatchObject({ problem: { code: 'archive_refused' } });
  });

  it('says when there is nothing', async () => {
    for (const path of ['none', 'none/deeper'])
      await expect(packFrom(join(boundary, path), boundary)).rejects.toMatchObject({
        problem: { code: 'path_absent' },
      });
  });

  it('passes over sockets and pipes instead of waiting on them', async () => {
    const { execFileSync } = await import('node:child_process');
    execFileSync('mkfifo', [join(boundary, 'pipe')]);
    await writeFile(join(boundary, 'z'), 'z');
    const entries = await unpacked(await packFrom(boundary, boundary));
    expect([...entries.keys()].toSorted()).toEqual(['inside/', 'inside/z']);
  });

  it('gives back what was put in, whatever it is called', async () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter(
        (text) => !/[/\0]/.test(text) && text !== '.' && text !== '..' && Buffer.byteLength(text) < 200,
      );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, fc.string({ maxLength: 2000 }), { maxKeys: 5 }), async (files) => {
        const folder = await mkdtemp(join(boundary, 'round-'));
        const entries = Object.entries(files).map(([each, content]) => ({ name: each, content }));
        await unpackInto(folder, boundary, archive(...entries), never);
        const back = await unpacked(await packFrom(folder, boundary));
        const prefix = folder.slice(boundary.length + 1);
        for (const { name: each, content } of entries)
          expect(back.get(`${prefix}/${each}`)?.content).toBe(content);
      }),
      { numRuns: 25 },
    );
  });
});
