import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProblemError } from '#shared/problem.ts';
import { isPackagePath, PackageFolder } from './package-folder.ts';

let base: string;
let root: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'slipway-folder-'));
  root = join(base, 'agent');
  await mkdir(join(root, 'examples'), { recursive: true });
  await writeFile(join(base, 'secret.txt'), 'secret');
  await writeFile(join(root, 'manifest.json'), '{}');
  await writeFile(join(root, 'examples', 'ä "b".csv'), 'a,b\n');
});

afterEach(() => rm(base, { recursive: true, force: true }));

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof ProblemError ? error.problem.code : `not refused: ${String(error)}`;
}

describe('PackageFolder', () => {
  it('lists files with forward slashes and leaves out what is no part of a package', async () => {
    for (const folder of ['.git', 'node_modules', '__MACOSX']) {
      await mkdir(join(root, folder));
      await writeFile(join(root, folder, 'x'), 'x');
    }
    await writeFile(join(root, '.DS_Store'), '');
    const files = await (await PackageFolder.at(root)).list();
    expect(files.map(({ path, size }) => [path, size])).toEqual([
      ['examples/ä "b".csv', 4],
      ['manifest.json', 2],
    ]);
  });

  it('reads text and nothing for a file that is not there', async () => {
    const folder = await PackageFolder.at(root);
    expect(await folder.readText('manifest.json', 10)).toBe('{}');
    expect(await folder.readText('prompt.md', 10)).toBeUndefined();
    expect(await folder.readText('manifest.json/x', 10)).toBeUndefined();
    const opened = await folder.openFile('examples/ä "b".csv');
    expect(opened).toMatchObject({ name: 'ä "b".csv', size: 4 });
    expect(await text(opened.stream)).toBe('a,b\n');
  });

  it('does not follow a link out of the package, be it a file or a folder', async () => {
    await symlink(join(base, 'secret.txt'), join(root, 'prompt.md'));
    await symlink(base, join(root, 'up'));
    const folder = await PackageFolder.at(root);
    expect(await codeOf(folder.readText('prompt.md', 100))).toBe('file_unreadable');
    expect(await codeOf(folder.openFile('up/secret.txt'))).toBe('file_unreadable');
    expect((await folder.list()).map(({ path }) => path)).not.toContain('prompt.md');
  });

  it('reads through a link that stays inside, and from a folder that is a link itself', async () => {
    await symlink('manifest.json', join(root, 'alias.json'));
    await symlink(root, join(base, 'linked'));
    const folder = await PackageFolder.at(join(base, 'linked'));
    expect(await folder.readText('alias.json', 10)).toBe('{}');
  });

  it('refuses a path that leaves the folder by its text', async () => {
    const folder = await PackageFolder.at(root);
    for (const path of [
      '../secret.txt',
      '/etc/hostname',
      'a/../../secret.txt',
      '',
      '.',
      'a\\b',
      'a\0b',
      'a//b',
    ]) {
      expect(isPackagePath(path)).toBe(false);
      expect(await codeOf(folder.openFile(path))).toBe('file_unreadable');
    }
  });

  it('does not wait for a named pipe', async () => {
    execFileSync('mkfifo', [join(root, 'prompt.md')]);
    const folder = await PackageFolder.at(root);
    expect(await codeOf(folder.readText('prompt.md', 100))).toBe('file_unreadable');
  });

  it('refuses what is too large or not text, naming the file', async () => {
    await writeFile(join(root, 'prompt.md'), Buffer.from([0x41, 0xff, 0xfe]));
    const folder = await PackageFolder.at(root);
    expect(await codeOf(folder.readText('prompt.md', 100))).toBe('file_unreadable');
    await expect(folder.readText('prompt.md', 2)).rejects.toThrow(/"prompt\.md".*3 bytes/);
  });

  it('says what is wrong with a folder that is none', async () => {
    await expect(PackageFolder.at(join(base, 'nowhere'))).rejects.toThrow(/There is no folder/);
    await expect(PackageFolder.at(join(root, 'manifest.json'))).rejects.toThrow(/is a file/);
  });

  it('says that it is gone when it went meanwhile', async () => {
    const folder = await PackageFolder.at(root);
    await rm(root, { recursive: true });
    expect(await codeOf(folder.list())).toBe('folder_unknown');
    await writeFile(root, 'a file now');
    expect(await codeOf(folder.list())).toBe('folder_unknown');
  });

  it('stops at a folder that is far more than a package', async () => {
    const deep = Array.from({ length: 17 }, (_, level) => `d${level}`).join('/');
    await mkdir(join(root, deep), { recursive: true });
    await writeFile(join(root, deep, 'x'), '');
    expect(await codeOf((await PackageFolder.at(root)).list())).toBe('package_too_large');
  });
});
