import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findingSchema } from '#shared/manifest/finding.ts';
import { readArchive } from '#main/library/archive/read-archive.ts';
import { writeBundle } from '#main/library/archive/bundle.ts';
import { writeArchive } from '#main/library/archive/write-archive.ts';
import { agentFiles, skillFiles } from '#test/support/test-packages.ts';
import { runWords } from '#test/support/run-command-line.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-cli-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(path: string, files: ReadonlyMap<string, Buffer>): Promise<string> {
  await mkdir(join(folder, path), { recursive: true });
  for (const [name, content] of files) await writeFile(join(folder, path, name), content);
  return join(folder, path);
}

async function validate(path: string): Promise<{ code: number; ok: boolean; found: string[] }> {
  const { code, output } = await runWords('validate', path, '--json');
  const { ok, findings } = JSON.parse(output) as { ok: boolean; findings: unknown[] };
  const parsed = findings.map((finding) => findingSchema.parse(finding));
  return {
    code,
    ok,
    found: parsed.map(({ file, code: rule, pointer, line }) => `${file}:${line} ${rule} ${pointer}`),
  };
}

describe('slipway validate', () => {
  test('finds nothing in a good package, however it comes', async () => {
    const good = await write('good', agentFiles('@you/a'));
    await writeFile(join(folder, 'good.afps'), await writeArchive(agentFiles('@you/a')));
    for (const path of [good, join(good, 'manifest.json'), join(folder, 'good.afps')]) {
      expect(await validate(path)).toEqual({ code: 0, ok: true, found: [] });
    }
  });

  test('gives errors with their places and exits with 1, and takes no notice of warnings', async () => {
    const broken = agentFiles('@you/a', { timeout: 0 });
    expect(await validate(await write('broken', broken))).toEqual({
      code: 1,
      ok: false,
      found: ['manifest.json:8 field_value /timeout'],
    });
    const warned = agentFiles('@you/b', { timeout: 9000 });
    expect(await validate(await write('warned', warned))).toMatchObject({ code: 0, ok: true });
    const unpublishable = agentFiles('@you/b', { author: '' });
    expect(await validate(await write('draft', unpublishable))).toMatchObject({ code: 1, ok: false });
  });

  test('looks at each package of a folder and of a bundle', async () => {
    await write('all/one', agentFiles('@you/a', { timeout: 0 }));
    await write('all/two', skillFiles('@you/b', { version: 'x' }));
    const { found } = await validate(join(folder, 'all'));
    expect(found).toEqual([
      'one/manifest.json:8 field_value /timeout',
      'two/manifest.json:3 field_value /version',
    ]);
    const packages = new Map([['@you/a@1.0.0', agentFiles('@you/a', { timeout: 0 })]]);
    await writeFile(join(folder, 'x.zip'), (await writeBundle({ root: '@you/a@1.0.0', packages })).bytes);
    expect((await validate(join(folder, 'x.zip'))).found).toEqual([
      '@you/a@1.0.0/manifest.json:8 field_value /timeout',
    ]);
  });

  test('makes a finding of what cannot be read, and a usage error of what is not there', async () => {
    await writeFile(join(folder, 'x.afps'), 'no zip');
    expect(await validate(join(folder, 'x.afps'))).toEqual({
      code: 1,
      ok: false,
      found: ['x.afps:1 archive_invalid '],
    });
    expect(await validate(await write('empty', new Map()))).toMatchObject({
      code: 1,
      found: ['manifest.json:1 manifest_missing '],
    });
    const { code, errors } = await runWords('validate', join(folder, 'gone'));
    expect(code).toBe(2);
    expect(errors).toContain('There is nothing at');
  });

  test('prints places that terminals link, and how to mend', async () => {
    const path = await write('broken', agentFiles('@you/a', { version: '1.0' }));
    const { output } = await runWords('validate', path);
    expect(output).toMatch(
      /^manifest\.json:3:14 .*error.* "version" must be .* \[field_value\]\n {2}→ Write "1\.0\.0"\n1 package: 1 error, no warnings\n$/,
    );
  });
});

describe('slipway pack', () => {
  test('makes the same archive of the same folder, and replaces none unless told to', async () => {
    const path = await write('good', agentFiles('@you/a'));
    const out = join(folder, 'a.afps');
    const { code, output } = await runWords('pack', path, '--out', out, '--json');
    expect(code).toBe(0);
    const bytes = await readFile(out);
    expect(JSON.parse(output)).toMatchObject({
      path: out,
      size: bytes.length,
      integrity: expect.stringMatching(/^sha256-/) as string,
    });
    expect((await readArchive(bytes)).files).toEqual(agentFiles('@you/a'));
    expect((await runWords('pack', path, '--out', out)).errors).toContain('--force');
    expect((await runWords('pack', path, '--out', out, '--force')).code).toBe(0);
    expect(await readFile(out)).toEqual(bytes);
  });

  test('refuses a broken package, and one with a key in it', async () => {
    const broken = await runWords('pack', await write('broken', agentFiles('@you/a', { timeout: 0 })));
    expect(broken).toMatchObject({ code: 2, output: '' });
    expect(broken.errors).toContain('manifest.json:8:');
    const key = Buffer.from(`-----BEGIN PRIVATE KEY-----\n${'MIIB'.repeat(20)}\n`);
    const leaking = await runWords('pack', await write('leaking', agentFiles('@you/a').set('key.txt', key)));
    expect(leaking.errors).toContain('"key.txt" holds what looks like a private key');
  });
});
