import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentFiles, skillFiles, type Files } from '#test/support/test-packages.ts';
import { writeBundle } from './archive/bundle.ts';
import { writeArchive } from './archive/write-archive.ts';
import { checkPath, packFolder } from './check-path.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-check-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(name: string, files: Files): Promise<string> {
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, name, path)), { recursive: true });
    await writeFile(join(folder, name, path), content);
  }
  return join(folder, name);
}

async function putFile(name: string, bytes: Uint8Array): Promise<string> {
  await writeFile(join(folder, name), bytes);
  return join(folder, name);
}

async function found(path: string): Promise<string[]> {
  const { findings } = await checkPath(path);
  return findings.map(({ severity, code, file }) => `${severity} ${code} ${file}`);
}

const broken = (): Files => agentFiles('@you/a', { version: 'banana' });

describe('checkPath', () => {
  it('says in which of several packages, and in which file of it, something is wrong', async () => {
    await put('a/agent', broken());
    await put('a/skill', new Map([...skillFiles('@you/s')].filter(([path]) => path !== 'SKILL.md')));
    expect(await checkPath(join(folder, 'a'))).toMatchObject({ packageCount: 2 });
    expect(await found(join(folder, 'a'))).toEqual([
      'error field_value agent/manifest.json',
      'error skill_file_missing skill/SKILL.md',
    ]);
  });

  it('finds the same in a folder, its manifest, an archive and a bundle', async () => {
    const at = await put('a', broken());
    const archive = await putFile('a.afps', await writeArchive(broken()));
    const packages = new Map([['@you/a@1.0.0', broken()]]);
    const { bytes } = await writeBundle({ root: '@you/a@1.0.0', packages });
    const bundle = await putFile('b.zip', bytes);
    for (const path of [at, join(at, 'manifest.json'), archive]) {
      expect([path, await found(path)]).toEqual([path, ['error field_value manifest.json']]);
    }
    expect(await found(bundle)).toEqual(['error field_value @you/a@1.0.0/manifest.json']);
  });

  it('finds in a folder what would keep it from being packed', async () => {
    const at = await put('a', new Map(agentFiles('@you/a')).set('notes:1.md', Buffer.from('x')));
    expect(await found(at)).toEqual(['error file_path_unsafe notes:1.md']);
    await expect(packFolder(at)).rejects.toMatchObject({ problem: { code: 'file_path_unsafe' } });
  });

  it('makes a finding of what is no archive, and a problem of what is not there', async () => {
    expect(await found(await putFile('x.afps', Buffer.from('%PDF-1.7')))).toEqual([
      'error archive_invalid x.afps',
    ]);
    await expect(checkPath(join(folder, 'gone'))).rejects.toMatchObject({
      problem: { code: 'path_unknown' },
    });
  });
});
