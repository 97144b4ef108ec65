import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProblemError, type Problem } from '#shared/problem.ts';
import { MAX_OUTPUT_FILE_BYTES, MAX_OUTPUT_FILES, type RunOutputFile } from '#shared/runs/run.ts';
import { OutputCollector } from './output-collector.ts';
import { isKeepable } from './output-names.ts';

type Entry = {
  name: string;
  content?: string;
  type?: 'symlink' | 'directory';
  linkname?: string;
  size?: number;
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-outputs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A workspace whose archive is whatever `entries` answers. */
function collectorOver(entries: () => Entry[], foldsNames = false) {
  const kept = new Map<string, RunOutputFile>();
  const skipped: { path: string; problem: Problem }[] = [];
  const removed: string[] = [];
  const collector = new OutputCollector(
    {
      getArchive: async () => {
        const archive = pack();
        for (const { name, content = '', ...header } of entries())
          archive.entry({ name, ...header }, content);
        archive.finalize();
        return Readable.from(archive);
      },
    },
    folder,
    {
      kept: (file) => kept.set(file.path, file),
      skipped: (path, problem) => skipped.push({ path, problem }),
      removed: (path) => removed.push(path),
    },
    foldsNames,
  );
  return { collector, kept, skipped, removed };
}

const signal = () => AbortSignal.timeout(10_000);

describe('OutputCollector', () => {
  it.each([
    ['work/a.md', undefined, 'a.md'],
    ['outputs/deep/b.md', undefined, 'deep/b.md'],
    ['outputs/deep/b.md', 'final.md', 'final.md'],
    ['./outputs/deep/b.md', undefined, 'deep/b.md'],
    ['a.md', 'Report "1".md', 'Report "1".md'],
  ])('publishes %s, named %s, as %s, and keeps it whatever becomes of it', async (path, name, expected) => {
    let isThere = true;
    const { collector, kept, removed } = collectorOver(() =>
      isThere ? [{ name: path.split('/').at(-1)!, content: 'text' }] : [],
    );
    expect(await collector.publish(path, name, signal())).toEqual({ path: expected, size: 4 });
    isThere = false;
    await collector.gone(expected);
    await collector.finish(signal());
    expect([...kept.keys()]).toEqual([expected]);
    expect(removed).toEqual([]);
    expect(readFileSync(join(folder, ...expected.split('/')), 'utf8')).toBe('text');
  });

  it('publishes beside a file of that name, and again in its own place', async () => {
    const { collector, kept } = collectorOver(() => [{ name: 'a.md', content: 'text' }]);
    const publish = async (path: string) => (await collector.publish(path, undefined, signal())).path;
    expect(await publish('outputs/a.md')).toBe('a.md');
    expect(await publish('work/a.md')).toBe('a (2).md');
    expect(await publish('notes/a.md')).toBe('a (3).md');
    expect(await publish('work/a.md')).toBe('a (2).md');
    expect(await publish('outputs/a.md')).toBe('a.md');
    expect([...kept.keys()]).toEqual(['a.md', 'a (2).md', 'a (3).md']);
  });

  it('gives two files a place each that are published under one name at once', async () => {
    const { collector, kept } = collectorOver(() => [{ name: 'a.md', content: 'text' }]);
    const published = ['x/a.md', 'y/a.md'].map((path) => collector.publish(path, 'final.md', signal()));
    expect((await Promise.all(published)).map(({ path }) => path)).toEqual(['final.md', 'final (2).md']);
    expect(kept.size).toBe(2);
  });

  it('puts nothing of outputs/ in the place of a file that was published, and says so', async () => {
    let entries: Entry[] = [{ name: 'a.md', content: 'published' }];
    const { collector, skipped } = collectorOver(() => entries);
    await collector.publish('work/a.md', undefined, signal());
    entries = [
      { name: 'outputs/a.md', content: 'another' },
      { name: 'outputs/b.md', content: 'kept' },
    ];
    await collector.finish(signal());
    expect(readFileSync(join(folder, 'a.md'), 'utf8')).toBe('published');
    expect(readFileSync(join(folder, 'b.md'), 'utf8')).toBe('kept');
    expect(skipped).toMatchObject([{ path: 'a.md', problem: { code: 'name_clash' } }]);
  });

  it.each([
    '/etc/passwd',
    '../x',
    'a/../../x',
    'a//b',
    '',
    'outputs/',
    '.env',
    'a/.hidden',
    'a/./b',
    'a\0b',
    '\uD800',
    'a/'.repeat(9000),
  ])('publishes nothing for the path %j', async (path) => {
    const { collector } = collectorOver(() => [{ name: 'x', content: 'text' }]);
    await expect(collector.publish(path, undefined, signal())).rejects.toMatchObject({
      problem: { code: 'path_refused' },
    });
  });

  it('publishes no folder, no link and nothing over the limits, and says which it was', async () => {
    const entries: Entry[][] = [
      [
        { name: 'x/', type: 'directory' },
        { name: 'x/secret', content: 's' },
      ],
      [{ name: 'x', type: 'symlink', linkname: '/etc/passwd' }],
      [],
    ];
    for (const each of entries) {
      const { collector, kept } = collectorOver(() => each);
      await expect(collector.publish('x', undefined, signal())).rejects.toMatchObject({
        problem: { code: 'not_a_file' },
      });
      expect(kept.size).toBe(0);
    }
  });

  it('keeps the first of two files that are one on this computer, and names the other', async () => {
    const files = [
      { name: 'outputs/Report.md', content: 'first' },
      { name: 'outputs/report.md', content: 'second' },
      { name: 'outputs/caf\u00e9.txt', content: 'composed' },
      { name: 'outputs/cafe\u0301.txt', content: 'decomposed' },
    ];
    const folding = collectorOver(() => files, true);
    await folding.collector.finish(signal());
    expect([...folding.kept.keys()]).toEqual(['Report.md', 'caf\u00e9.txt']);
    expect(folding.skipped.map(({ path, problem }) => [path, problem.code])).toEqual([
      ['report.md', 'name_clash'],
      ['cafe\u0301.txt', 'name_clash'],
    ]);
    expect(readFileSync(join(folder, 'Report.md'), 'utf8')).toBe('first');

    const telling = collectorOver(() => files);
    await telling.collector.finish(signal());
    expect(telling.kept.size).toBe(4);
  });

  it('keeps files in folders with their bytes and media types', async () => {
    const { collector, kept } = collectorOver(() => [
      { name: 'outputs/', type: 'directory' },
      { name: 'outputs/report.md', content: '# Report' },
      { name: 'outputs/data/my "best" 🚢.csv', content: 'a,b' },
    ]);
    await collector.finish(signal());
    expect([...kept.keys()]).toEqual(['report.md', 'data/my "best" 🚢.csv']);
    expect(kept.get('report.md')).toMatchObject({ size: 8, mediaType: 'text/markdown' });
    expect(readFileSync(join(folder, 'data', 'my "best" 🚢.csv'), 'utf8')).toBe('a,b');
  });

  it('writes nothing outside its folder, whatever names an archive has', async () => {
    const { collector, kept } = collectorOver(() => [
      { name: 'outputs/../../escape.txt', content: 'x' },
      { name: '/outputs/../../../tmp/escape.txt', content: 'x' },
      { name: 'outputs/a\\..\\..\\escape.txt', content: 'x' },
      { name: 'outputs/.hidden', content: 'x' },
    ]);
    await collector.finish(signal());
    expect([...kept.keys()]).toEqual([]);
    expect(existsSync(join(folder, '..', 'escape.txt'))).toBe(false);
  });

  it('tells of each file whose name cannot be kept, and of no hidden one', async () => {
    const { collector, kept, skipped } = collectorOver(() => [
      { name: 'outputs/', type: 'directory' },
      { name: 'outputs/new\nline.txt', content: 'x' },
      { name: 'outputs/back\\slash.txt', content: 'x' },
      { name: `outputs/${'a'.repeat(255)}`, content: 'x' },
      { name: `outputs/${'deep/'.repeat(400)}f.txt`, content: 'x' },
      { name: 'outputs/.hidden', content: 'x' },
      { name: 'outputs/.git/config', content: 'x' },
      { name: 'outputs/fine.txt', content: 'x' },
    ]);
    await collector.finish(signal());
    expect([...kept.keys()]).toEqual(['fine.txt']);
    expect(skipped.map(({ problem }) => problem.code)).toEqual(Array(4).fill('name_refused'));
    expect(skipped[0]?.path).toBe('new\uFFFDline.txt');
    expect(skipped.every(({ path }) => path.length <= 201)).toBe(true);
  });

  it.each([
    ['a link', { name: 'outputs', type: 'symlink', linkname: '/etc' }],
    ['a file', { name: 'outputs', content: 'x' }],
  ] as const)('says that outputs/ was replaced by %s', async (_what, entry) => {
    const { collector, kept, skipped } = collectorOver(() => [entry]);
    await collector.finish(signal());
    expect(kept.size).toBe(0);
    expect(skipped).toMatchObject([{ path: 'outputs', problem: { code: 'outputs_replaced' } }]);
  });

  it('does not follow a link and says that it was left', async () => {
    const { collector, kept, skipped } = collectorOver(() => [
      { name: 'outputs/passwd', type: 'symlink', linkname: '/etc/passwd' },
    ]);
    await collector.finish(signal());
    expect(kept.size).toBe(0);
    expect(skipped).toMatchObject([{ path: 'passwd', problem: { code: 'link_refused' } }]);
  });

  it('keeps the first files of a flood and tells of the rest as a number', async () => {
    const { collector, kept, skipped } = collectorOver(() =>
      Array.from({ length: MAX_OUTPUT_FILES + 500 }, (_, index) => ({
        name: `outputs/${index}.txt`,
        content: 'x',
      })),
    );
    await collector.finish(signal());
    expect(kept.size).toBe(MAX_OUTPUT_FILES);
    expect(skipped).toHaveLength(21);
    expect(skipped.at(-1)?.problem.detail).toBe('480 more files were not kept.');
  });

  it('leaves a file that is too large, and still takes the one after it', async () => {
    const { collector, kept, skipped } = collectorOver(() => [
      { name: 'outputs/large.bin', content: 'x'.repeat(MAX_OUTPUT_FILE_BYTES + 1) },
      { name: 'outputs/small.txt', content: 'ok' },
    ]);
    await collector.finish(signal());
    expect([...kept.keys()]).toEqual(['small.txt']);
    expect(skipped).toMatchObject([{ path: 'large.bin', problem: { code: 'file_too_large' } }]);
  });

  it('brings the new bytes of a file that changed after it was kept, and drops one that went', async () => {
    let entries: Entry[] = [
      { name: 'report.md', content: 'draft' },
      { name: 'scratch.txt', content: 'x' },
    ];
    const { collector, kept, removed } = collectorOver(() => entries);
    collector.changed('report.md');
    await expect.poll(() => kept.size, { timeout: 5000 }).toBe(2);
    entries = [{ name: 'outputs/report.md', content: 'final text' }];
    await collector.finish(signal());
    expect(kept.get('report.md')?.size).toBe(10);
    expect(readFileSync(join(folder, 'report.md'), 'utf8')).toBe('final text');
    expect(removed).toEqual(['scratch.txt']);
    expect(existsSync(join(folder, 'scratch.txt'))).toBe(false);
  });

  it('follows a file that became a folder, and a folder that became a file', async () => {
    let entries: Entry[] = [{ name: 'a', content: 'file' }];
    const { collector, kept, removed } = collectorOver(() => entries);
    collector.changed('a');
    await expect.poll(() => kept.size, { timeout: 5000 }).toBe(1);
    entries = [
      { name: 'b', content: 'in it' },
      { name: 'c', content: 'too' },
    ];
    collector.changed('a/b');
    await expect.poll(() => kept.size, { timeout: 5000 }).toBe(3);
    expect(readFileSync(join(folder, 'a', 'b'), 'utf8')).toBe('in it');
    entries = [
      { name: 'outputs/a', content: 'file again' },
      { name: 'outputs/z', content: 'after it' },
    ];
    await collector.finish(signal());
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('file again');
    expect(readFileSync(join(folder, 'z'), 'utf8')).toBe('after it');
    expect(removed).toEqual(['a', 'a/b', 'a/c']);
  });

  it('publishes no longer what was cancelled before its turn, and keeps nobody waiting', async () => {
    const turn = Promise.withResolvers<void>();
    const asked: string[] = [];
    const collector = new OutputCollector(
      {
        getArchive: async (path) => {
          asked.push(path);
          await turn.promise;
          throw new Error('Not there.');
        },
      },
      folder,
      { kept: () => undefined, skipped: () => undefined, removed: () => undefined },
    );
    const first = collector.publish('first', undefined, signal());
    first.catch(() => undefined);
    await expect(collector.publish('second', undefined, AbortSignal.timeout(50))).rejects.toThrow('timeout');
    turn.resolve();
    await expect(first).rejects.toThrow('Not there.');
    await collector.close();
    expect(asked).toEqual(['/workspace/first']);
    // Whoever asks when all is over is told so at once.
    await expect(collector.publish('late', undefined, signal())).rejects.toThrow('aborted');
  });

  it('does not wait for what it leaves before it takes the next', async () => {
    const asked: string[] = [];
    async function* endless() {
      const header = pack();
      header.entry({ name: 'sparse', size: 7 * 1024 ** 3 });
      const [first] = (await once(header, 'data')) as [Buffer];
      yield first;
      for (;;) yield await new Promise<Buffer>((resolve) => setImmediate(resolve, Buffer.alloc(65_536)));
    }
    const collector = new OutputCollector(
      {
        getArchive: (path) => {
          asked.push(path);
          if (path.endsWith('/sparse')) return Promise.resolve(Readable.from(endless()));
          const archive = pack();
          archive.entry({ name: 'a.txt' }, 'x');
          archive.finalize();
          return Promise.resolve(Readable.from(archive));
        },
      },
      folder,
      { kept: () => undefined, skipped: () => undefined, removed: () => undefined },
    );
    collector.changed('sparse');
    await expect.poll(() => asked, { timeout: 5000 }).toEqual(['/workspace/outputs/sparse']);
    expect(await collector.publish('a.txt', undefined, AbortSignal.timeout(3000))).toMatchObject({ size: 1 });
    await collector.close();
  });

  it('says so when this computer does not take a file, and when the last look breaks off', async () => {
    const { collector, skipped } = collectorOver(() => [{ name: 'outputs/a.txt', content: 'x' }]);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'in the way');
    await collector.finish(signal());
    expect(skipped).toMatchObject([{ path: 'a.txt', problem: { code: 'file_not_written' } }]);

    const broken = collectorOver(() => []);
    await broken.collector.finish(AbortSignal.abort());
    expect(broken.skipped).toMatchObject([{ path: 'outputs', problem: { code: 'outputs_cut_short' } }]);
  });

  it('drops what it kept when the agent has removed the folder', async () => {
    let isThere = true;
    const { collector, removed, skipped } = collectorOver(() => {
      if (isThere) return [{ name: 'a.txt', content: 'x' }];
      throw new ProblemError({ code: 'path_absent', title: 'Not there', detail: 'Gone.' });
    });
    collector.changed('a.txt');
    await expect.poll(() => existsSync(join(folder, 'a.txt')), { timeout: 5000 }).toBe(true);
    isThere = false;
    await collector.finish(signal());
    expect([removed, skipped]).toEqual([['a.txt'], []]);
  });
});

describe('isKeepable', () => {
  it.each(['a.txt', 'a/b c/d.csv', 'naïve 🚢.md', "it's.txt"])('takes %j', (path) => {
    expect(isKeepable(path)).toBe(true);
  });
  it.each([
    '',
    '/a',
    'a//b',
    '../a',
    'a/../b',
    '.git/config',
    'a/.env',
    'a\0b',
    'a\\b',
    'a\nb',
    'a\u2028b',
    'bill\u202Efdp.exe',
    'a\uD800',
    ' ',
    'x'.repeat(300),
  ])('refuses %j', (path) => {
    expect(isKeepable(path)).toBe(false);
  });

  it.each(['CON', 'a/nul.txt', 'com1.csv', 'a:b', 'a?', 'a.', 'a '])(
    'refuses %j on Windows alone, which has no such file',
    (path) => {
      expect([isKeepable(path, 'win32'), isKeepable(path, 'linux')]).toEqual([false, true]);
    },
  );
});
