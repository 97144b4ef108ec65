import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import { ResourceCollector, resourceNameOf } from './resource-collector.ts';

let folder: string;
const kept: [string, number][] = [];
const skipped: Problem[] = [];
const listener = {
  kept: (path: string, size: number) => void kept.push([path, size]),
  skipped: (_path: string, problem: Problem) => void skipped.push(problem),
};

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'slipway-resources-')), 'resources');
  kept.length = 0;
  skipped.length = 0;
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

type Entry = { type?: 'file' | 'symlink'; content?: string; linkname?: string };

/** A workspace whose files are what a test says at the moment they are fetched. */
function workspace(files: Record<string, Entry>) {
  const asked: string[] = [];
  return {
    asked,
    getArchive: (path: string): Promise<Readable> => {
      asked.push(path);
      const entry = files[path];
      if (entry === undefined) return Promise.reject(new Error(`There is no ${path}`));
      const archive = pack();
      const name = path.slice(path.lastIndexOf('/') + 1);
      const { type = 'file', linkname } = entry;
      archive.entry({ name, type, ...(linkname !== undefined && { linkname }) }, entry.content ?? '');
      archive.finalize();
      return Promise.resolve(Readable.from(archive));
    },
  };
}

const anytime = new AbortController().signal;

it('keeps each result as it was, one after another', async () => {
  const source = workspace({
    '/workspace/resources/call-1.json': { content: '{"a":1}' },
    '/workspace/resources/call-2.bin': { content: '' },
  });
  const collector = new ResourceCollector(source, folder, listener);
  collector.take('resources/call-1.json');
  collector.take('resources/call-2.bin');
  await collector.finish(anytime);
  expect(kept).toEqual([
    ['resources/call-1.json', 7],
    ['resources/call-2.bin', 0],
  ]);
  expect(readFileSync(join(folder, 'call-1.json'), 'utf8')).toBe('{"a":1}');
  expect(readdirSync(folder)).toEqual(['call-1.json', 'call-2.bin']);
});

it('follows neither a link nor a path that leads elsewhere, and says so', async () => {
  const source = workspace({
    '/workspace/resources/link.txt': { type: 'symlink', linkname: '/etc/passwd' },
  });
  const collector = new ResourceCollector(source, folder, listener);
  for (const path of [
    'resources/link.txt',
    'resources/gone.txt',
    'resources/../../etc/passwd',
    'resources/a/b',
    'resources/.hidden',
    'outputs/a.txt',
    '/etc/passwd',
    '',
  ]) {
    collector.take(path);
  }
  await collector.finish(anytime);
  expect(kept).toEqual([]);
  expect(skipped.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 'resource_not_kept'));
  expect(source.asked).toEqual(['/workspace/resources/link.txt', '/workspace/resources/gone.txt']);
});

it('gives up what has not come when the time is over', async () => {
  const collector = new ResourceCollector(
    {
      getArchive: (_path, signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
        ),
    },
    folder,
    listener,
  );
  collector.take('resources/slow.json');
  await collector.finish(AbortSignal.timeout(20));
  expect(skipped[0]?.detail).toContain('the run ended before');
});

it.each([
  ['resources/call_0_a-01ABC.json', 'call_0_a-01ABC.json'],
  ['resources/..', undefined],
  ['resources/a\nb', undefined],
  ['resources/', undefined],
])('takes %j for the name %s', (path, name) => expect(resourceNameOf(path)).toBe(name));
