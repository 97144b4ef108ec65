import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProblemError, type Problem } from '#shared/problem.ts';
import { buildZip, extraField, type EntrySpec, type ZipSpec } from '#test/support/zip-builder.ts';
import { pathFault, repeatedPath } from '../package-path.ts';
import { hasIntegrity, integrityOf } from './integrity.ts';
import { ARCHIVE_LIMITS } from './limits.ts';
import { readArchive } from './read-archive.ts';
import { BUNDLE_WRITING, writeArchive } from './write-archive.ts';

async function refusal(bytes: Buffer, limits = ARCHIVE_LIMITS): Promise<Problem> {
  try {
    await readArchive(bytes, limits);
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
  throw new Error('The archive was read.');
}

const manifest: EntrySpec = { name: 'manifest.json', content: '{}' };

function unix(mode: number): Pick<EntrySpec, 'attributes' | 'madeBy'> {
  return { madeBy: 0x0314, attributes: mode * 65_536 };
}

function linkBy(system: number): Pick<EntrySpec, 'attributes' | 'madeBy'> {
  return { madeBy: system * 256 + 20, attributes: 0x400 };
}

interface Attack {
  readonly name: string;
  readonly code: string;
  readonly entries: readonly EntrySpec[];
  readonly zip?: ZipSpec;
}

function named(...names: (string | Buffer)[]): EntrySpec[] {
  return [manifest, ...names.map((name) => ({ name, content: name.toString('latin1') }))];
}

const zeros = Buffer.alloc(10 * 1024 * 1024);
const bomb = deflateRawSync(zeros);

const attacks: readonly Attack[] = [
  ...[
    '../evil',
    'a/../../evil',
    '..',
    'a/..',
    '/etc/passwd',
    'C:/evil',
    'c:evil',
    'a/c:evil',
    'prompt.md:hidden',
    'prompt.md::$DATA',
    'a\\b',
    '..\\evil',
    'a//b',
    './a',
    'a/./b',
    'a\0b',
    'a\nb',
    'a\u202Eb',
    '\uFEFFa',
    '',
    '//host/share',
  ].map((name): Attack => ({
    name: `path ${JSON.stringify(name)}`,
    code: 'archive_path_unsafe',
    entries: named(name),
  })),
  { name: 'a path too deep', code: 'archive_path_unsafe', entries: named('d/'.repeat(16) + 'f') },
  { name: 'a path too long', code: 'archive_path_unsafe', entries: named('x'.repeat(1025)) },
  { name: 'a bad path among litter', code: 'archive_path_unsafe', entries: named('__MACOSX/../../x') },
  { name: 'a folder that leaves', code: 'archive_path_unsafe', entries: [manifest, { name: '../' }] },
  {
    name: 'a symbolic link',
    code: 'archive_path_unsafe',
    entries: [manifest, { name: 'l', content: '/etc/passwd', ...unix(0o120777) }],
  },
  { name: 'a device', code: 'archive_path_unsafe', entries: [manifest, { name: 'd', ...unix(0o020666) }] },
  { name: 'a pipe', code: 'archive_path_unsafe', entries: [manifest, { name: 'p', ...unix(0o010666) }] },
  {
    name: 'a folder that is a link',
    code: 'archive_path_unsafe',
    entries: [manifest, { name: 'l/', ...unix(0o120777) }],
  },
  {
    name: 'a link of another system',
    code: 'archive_path_unsafe',
    entries: [manifest, { name: 'l', madeBy: 0x1314, attributes: 0o120777 * 65_536 }],
  },
  { name: 'a reparse point', code: 'archive_path_unsafe', entries: [manifest, { name: 'l', ...linkBy(0) }] },
  {
    name: 'a reparse point of NTFS',
    code: 'archive_path_unsafe',
    entries: [manifest, { name: 'l', ...linkBy(10) }],
  },

  { name: 'a name twice', code: 'archive_path_repeated', entries: [manifest, manifest] },
  { name: 'names that differ in case', code: 'archive_path_repeated', entries: named('a/B', 'a/b') },
  { name: 'folders that differ in case', code: 'archive_path_repeated', entries: named('A/x', 'a/y') },
  {
    name: 'names that differ in how they write é',
    code: 'archive_path_repeated',
    entries: named('é', 'e\u0301'),
  },
  {
    name: 'names that are one when folded',
    code: 'archive_path_repeated',
    entries: named('straße', 'STRASSE'),
  },
  {
    name: 'names that Windows cuts to one',
    code: 'archive_path_repeated',
    entries: named('prompt.md', 'prompt.md. .'),
  },
  {
    name: 'folders that Windows cuts to one',
    code: 'archive_path_repeated',
    entries: named('scripts/a', 'scripts./b'),
  },
  { name: 'a file that is a folder too', code: 'archive_path_repeated', entries: named('a', 'a/b') },
  {
    name: 'a file that is a folder too, the other way',
    code: 'archive_path_repeated',
    entries: named('a/b', 'A'),
  },

  { name: 'an encrypted file', code: 'archive_encrypted', entries: [manifest, { name: 'a', flags: 0x801 }] },
  { name: 'strong encryption', code: 'archive_encrypted', entries: [manifest, { name: 'a', flags: 0x841 }] },
  {
    name: 'an unknown method',
    code: 'archive_invalid',
    entries: [manifest, { name: 'a', method: 14, content: 'a' }],
  },
  { name: 'a masked directory', code: 'archive_invalid', entries: [manifest, { name: 'a', flags: 0x2800 }] },
  { name: 'a name that is not UTF-8', code: 'archive_invalid', entries: named(Buffer.from([0xff, 0xfe])) },
  {
    name: 'a wrong checksum',
    code: 'archive_invalid',
    entries: [{ ...manifest, crc: 1, local: { crc: 1 } }],
  },
  {
    name: 'content that is no deflate',
    code: 'archive_invalid',
    entries: [{ ...manifest, stored: Buffer.from([7, 7]) }],
  },
  {
    name: 'content that ends early',
    code: 'archive_invalid',
    entries: [{ name: 'a', content: 'abc', stored: deflateRawSync('abc').subarray(0, 3) }],
  },
  { name: 'less than it claims', code: 'archive_invalid', entries: [{ ...manifest, size: 3 }] },
  { name: 'text', code: 'archive_invalid', entries: [], zip: { prefix: Buffer.from('hello') } },

  {
    name: 'a second name',
    code: 'archive_ambiguous',
    entries: [
      { ...manifest, extra: extraField(0x7075, Buffer.concat([Buffer.alloc(5), Buffer.from('evil.json')])) },
    ],
  },
  {
    name: 'another name before the content',
    code: 'archive_ambiguous',
    entries: [{ ...manifest, local: { name: 'manifest.jsoN' } }],
  },
  {
    name: 'another size before the content',
    code: 'archive_ambiguous',
    entries: [{ ...manifest, local: { size: 5 } }],
  },
  {
    name: 'another compressed size before the content',
    code: 'archive_ambiguous',
    entries: [{ ...manifest, local: { compressedSize: 5 } }],
  },
  {
    name: 'another checksum before the content',
    code: 'archive_ambiguous',
    entries: [{ ...manifest, local: { crc: 5 } }],
  },
  {
    name: 'another method before the content',
    code: 'archive_ambiguous',
    entries: [{ ...manifest, local: { method: 0 } }],
  },
  {
    name: 'other flags before the content',
    code: 'archive_ambiguous',
    entries: [{ ...manifest, local: { flags: 0 } }],
  },
  { name: 'a wrong descriptor', code: 'archive_ambiguous', entries: [{ ...manifest, descriptor: 'wrong' }] },
  {
    name: 'a file only streaming readers see',
    code: 'archive_ambiguous',
    entries: [manifest, { name: 'hidden', content: 'x', isHidden: true }],
  },
  {
    name: 'a hidden file in the middle',
    code: 'archive_ambiguous',
    entries: [{ name: 'hidden', isHidden: true }, manifest],
  },
  {
    name: 'bytes between files',
    code: 'archive_ambiguous',
    entries: [{ ...manifest, gap: Buffer.from('gap') }],
  },
  {
    name: 'bytes after the end of a content',
    code: 'archive_ambiguous',
    entries: [{ ...manifest, stored: Buffer.concat([deflateRawSync('{}'), Buffer.from('tail')]) }],
  },
  {
    name: 'bytes before the archive',
    code: 'archive_ambiguous',
    entries: [manifest],
    zip: { prefix: Buffer.from('PKxx') },
  },
  {
    name: 'files that overlap',
    code: 'archive_ambiguous',
    entries: [manifest, { name: 'again', content: '{}', offset: 0 }],
  },
  { name: 'a header beyond the end', code: 'archive_ambiguous', entries: [{ ...manifest, offset: 99_999 }] },
  {
    name: 'a folder with content',
    code: 'archive_ambiguous',
    entries: [manifest, { name: 'a/', content: 'x' }],
  },
  {
    name: 'a count that hides entries',
    code: 'archive_ambiguous',
    entries: named('a', 'b'),
    zip: { entryCount: 1 },
  },
  {
    name: 'a count beyond the entries',
    code: 'archive_invalid',
    entries: named('a'),
    zip: { entryCount: 5 },
  },
  {
    name: 'a directory of another size',
    code: 'archive_ambiguous',
    entries: [manifest],
    zip: { directorySize: 1 },
  },
  {
    name: 'a directory elsewhere',
    code: 'archive_invalid',
    entries: [manifest],
    zip: { directoryOffset: 3 },
  },
  {
    name: 'bytes after the archive',
    code: 'archive_invalid',
    entries: [manifest],
    zip: { trailing: Buffer.from('x') },
  },
  {
    name: 'an end record in the comment',
    code: 'archive_invalid',
    entries: [manifest],
    zip: { comment: buildZip([]), trailing: Buffer.from('x') },
  },
  { name: 'ZIP64 records', code: 'archive_ambiguous', entries: [manifest], zip: { isZip64: true } },
  {
    name: 'a ZIP64 size',
    code: 'archive_ambiguous',
    entries: [{ ...manifest, extra: extraField(1, Buffer.alloc(16)) }],
  },

  { name: 'an honest bomb', code: 'archive_bomb', entries: [{ name: 'a', stored: bomb, content: zeros }] },
  {
    name: 'a bomb that claims to be small',
    code: 'archive_bomb',
    entries: [{ name: 'a', stored: bomb, size: 10 }],
  },
  {
    name: 'a bomb that claims a byte less',
    code: 'archive_bomb',
    entries: [{ name: 'a', content: 'abc', size: 2 }],
  },
  {
    name: 'a bomb that claims to be empty',
    code: 'archive_bomb',
    entries: [{ name: 'a', stored: bomb, size: 0 }],
  },
];

describe('reading an archive', () => {
  it.each(attacks.map((attack) => [attack.name, attack] as const))(
    'refuses %s',
    async (_, { code, entries, zip }) => {
      const problem = await refusal(buildZip(entries, zip));
      expect(problem.code).toBe(code);
      expect(problem.detail).not.toMatch(/[\0\n\u202E]/);
    },
  );

  it('stops before anything is inflated when the directory is over a limit', async () => {
    const limits = { archiveBytes: 10_000, totalBytes: 1000, fileBytes: 600, entries: 5, depth: 4 };
    const file = (name: string, size: number): EntrySpec => ({ name, stored: Buffer.from('broken'), size });
    const over: [string, EntrySpec[]][] = [
      ['archive', [{ name: 'a', method: 0, content: Buffer.alloc(10_001) }]],
      ['one file', [file('a', 601)]],
      ['all files', [file('a', 500), file('b', 501)]],
      ['entries', ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => file(name, 1))],
    ];
    for (const [what, entries] of over) {
      expect([what, (await refusal(buildZip(entries), limits)).code]).toEqual([what, 'archive_too_large']);
    }
  });

  it('refuses a thousandfold bomb by its directory, and ends one that lies within its claim', async () => {
    // Content that cannot be inflated: had it been tried, the archive would be called damaged.
    const broken = { name: 'a', stored: Buffer.alloc(20_000, 0xff), size: 20_000_000 };
    expect((await refusal(buildZip([broken]))).code).toBe('archive_bomb');

    const large = deflateRawSync(Buffer.alloc(128 * 1024 * 1024));
    for (const size of [10, 4_000_000]) {
      const outcome: unknown = await readArchive(buildZip([{ name: 'a', stored: large, size }])).catch(
        (error: unknown) => error,
      );
      expect(outcome).toMatchObject({
        problem: { code: 'archive_bomb' },
        cause: { code: 'ERR_BUFFER_TOO_LARGE', message: expect.stringContaining(String(size + 1)) },
      });
    }
  });

  it('refuses a thousandfold bomb in many small pieces', async () => {
    // Again content that would be called damaged if anyone tried to inflate it.
    const piece = { stored: Buffer.alloc(4_096, 0xff), size: 4 * 1024 * 1024 };
    const pieces = Array.from({ length: 6 }, (_, index) => ({ name: `f${index}`, ...piece }));
    expect((await refusal(buildZip(pieces))).code).toBe('archive_bomb');
    const one = { name: 'a', content: Buffer.alloc(4 * 1024 * 1024) };
    expect((await readArchive(buildZip([one]))).files.size).toBe(1);
  });

  it('takes less than 20 MB of memory to refuse a thousandfold bomb, whatever it claims', () => {
    const size = 64 * 1024 * 1024;
    const stored = deflateRawSync(Buffer.alloc(size));
    expect(size / stored.length).toBeGreaterThan(1_000);
    const half = { stored: deflateRawSync(Buffer.alloc(size / 2)), size: 4_000_000 };
    const bombs = [
      [{ name: 'honest', stored, size }],
      [{ name: 'empty', stored, size: 0 }],
      [{ name: 'small', stored, size: 10 }],
      [{ name: 'as large as passes', stored, size: 4_000_000 }],
      [
        { name: 'two', ...half },
        { name: 'halves', ...half },
      ],
    ].map((entries) => buildZip(entries).toString('base64'));
    // In a process of its own, whose highest use of memory is the bombs' alone.
    const script = `
      import { readArchive } from ${JSON.stringify(new URL('read-archive.ts', import.meta.url).href)};
      const bombs = JSON.parse(${JSON.stringify(JSON.stringify(bombs))}).map((text) => Buffer.from(text, 'base64'));
      await readArchive(Buffer.from(${JSON.stringify(buildZip([manifest]).toString('base64'))}, 'base64'));
      const before = process.resourceUsage().maxRSS;
      const codes = [];
      for (const bomb of bombs) codes.push(await readArchive(bomb).then(() => 'read', ({ problem }) => problem.code));
      console.log(JSON.stringify({ codes, megabytes: (process.resourceUsage().maxRSS - before) / 1024 }));`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-'], { input: script });
    const { codes, megabytes } = JSON.parse(printed.toString()) as { codes: string[]; megabytes: number };
    expect(new Set(codes)).toEqual(new Set(['archive_bomb']));
    expect(megabytes).toBeLessThan(20);
  });

  it('reads what ordinary writers leave: descriptors, folders, notes of a system and one folder around it all', async () => {
    const contents = await readArchive(
      buildZip(
        [
          { name: 'agent/', ...unix(0o040755) },
          { name: 'agent/manifest.json', content: '{}', descriptor: 'signed', ...unix(0o100644) },
          { name: 'agent/ä b.txt', content: 'x', descriptor: 'plain', flags: 0 },
          { name: 'agent/stored', content: 'as it is', method: 0 },
          { name: 'agent/empty', content: '' },
          { name: 'agent/.DS_Store', content: 'x' },
          { name: '__MACOSX/agent/._manifest.json', content: 'x' },
        ],
        { comment: Buffer.from('made by hand') },
      ),
    );
    expect([...contents.files].map(([path, bytes]) => [path, bytes.toString()])).toEqual([
      ['manifest.json', '{}'],
      ['ä b.txt', 'x'],
      ['stored', 'as it is'],
      ['empty', ''],
    ]);
    expect(contents.wrapper).toBe('agent');
    expect(contents.ignored).toEqual(['agent/.DS_Store', '__MACOSX/agent/._manifest.json']);
  });

  it('keeps a folder that does not hold everything', async () => {
    const { files, wrapper } = await readArchive(buildZip([manifest, { name: 'a/b', content: 'x' }]));
    expect([...files.keys()]).toEqual(['manifest.json', 'a/b']);
    expect(wrapper).toBeUndefined();
  });

  it('reads what other programs write', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-zip-'));
    await mkdir(join(folder, 'a'));
    await writeFile(join(folder, 'a', 'ü.txt'), 'text '.repeat(1000));
    const program = 'import shutil,sys; shutil.make_archive(sys.argv[1], "zip", sys.argv[2])';
    execFileSync('python3', ['-c', program, join(folder, 'made'), join(folder, 'a')]);
    const { files } = await readArchive(await readFile(join(folder, 'made.zip')));
    expect(files.get('ü.txt')?.toString()).toBe('text '.repeat(1000));
    await rm(folder, { recursive: true });
  });

  it('never throws anything but a problem, whatever the bytes', async () => {
    const good = buildZip([
      manifest,
      { name: 'a/b.txt', content: 'hello hello hello', descriptor: 'signed' },
    ]);
    const change = fc.record({ at: fc.nat(good.length - 1), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.nat(good.length),
        async (changes, length) => {
          const bytes = Buffer.from(good.subarray(0, length < 10 ? length : good.length));
          for (const { at, byte } of changes) if (at < bytes.length) bytes[at] = byte;
          const outcome: unknown = await readArchive(bytes).catch((error: unknown) => error);
          expect(outcome instanceof Error && !(outcome instanceof ProblemError)).toBe(false);
        },
      ),
      { numRuns: 1500 },
    );
  });
});

const path = fc
  .array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'))
  .filter((text) => pathFault(text, ARCHIVE_LIMITS.depth) === undefined)
  .filter((text) => !/__MACOSX|\.DS_Store|Thumbs\.db|desktop\.ini/.test(text));

const folder = fc
  .uniqueArray(fc.tuple(path, fc.uint8Array({ maxLength: 2000 })), {
    maxLength: 12,
    selector: ([name]) => name.split('/')[0],
  })
  .map((entries) => new Map<string, Uint8Array>([['manifest.json', Buffer.from('{}')], ...entries]))
  .filter((files) => repeatedPath(files.keys()) === undefined);

describe('writing an archive', () => {
  it('gives what is read back, and the same bytes for the same content in any order', async () => {
    await fc.assert(
      fc.asyncProperty(folder, fc.boolean(), async (files, isBundle) => {
        const options = isBundle ? BUNDLE_WRITING : undefined;
        const bytes = await writeArchive(files, options);
        const read = await readArchive(bytes);
        expect(new Map([...read.files].map(([name, content]) => [name, [...content]]))).toEqual(
          new Map([...files].map(([name, content]) => [name, [...content]])),
        );
        const turned = await writeArchive(new Map([...files].toReversed()), options);
        expect(turned.equals(bytes)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('does not depend on the clock or the zone', async () => {
    const files = new Map([['a', Buffer.from('a')]]);
    const script = `import { writeArchive } from ${JSON.stringify(new URL('write-archive.ts', import.meta.url).href)};
      process.stdout.write((await writeArchive(new Map([['a', Buffer.from('a')]]))).toString('hex'));`;
    const run = (zone: string) =>
      execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        env: { TZ: zone },
        cwd: process.cwd(),
      }).toString();
    const here = (await writeArchive(files)).toString('hex');
    expect([run('Asia/Tokyo'), run('America/St_Johns')]).toEqual([here, here]);
  });

  it('refuses to write what it would not read', async () => {
    await expect(writeArchive(new Map([['../a', Buffer.alloc(0)]]))).rejects.toThrow(/leaves the package/);
    for (const [one, other] of [
      ['A/x', 'a/y'],
      ['a', 'a/b'],
      ['é', 'e\u0301'],
    ] as const) {
      const both = new Map([one, other].map((path) => [path, Buffer.alloc(0)] as const));
      await expect(writeArchive(both)).rejects.toMatchObject({ problem: { code: 'archive_path_repeated' } });
    }
  });

  it('lets any changed byte be found', async () => {
    const bytes = await writeArchive(new Map([['manifest.json', Buffer.from('{"a": 1}')]]));
    const integrity = integrityOf(bytes);
    expect(integrity).toMatch(/^sha256-[A-Za-z0-9+/]{43}=$/);
    expect(hasIntegrity(bytes, integrity)).toBe(true);
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(hasIntegrity(changed, integrity)).toBe(false);
    }
  });
});
