import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkWritable, openWorkspaceFile, PathRefused, writeWorkspaceFile } from './workspace-file.ts';

let root: string;
let workspace: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'slipway-workspace-'));
  workspace = join(root, 'workspace');
  mkdirSync(join(workspace, 'outputs'), { recursive: true });
  mkdirSync(join(root, 'elsewhere'));
  writeFileSync(join(root, 'elsewhere', 'secret.txt'), 'secret');
  writeFileSync(join(workspace, 'data.txt'), 'data');
  writeFileSync(join(workspace, 'empty.txt'), '');
  symlinkSync(join(root, 'elsewhere'), join(workspace, 'linked'));
  symlinkSync(join(root, 'elsewhere', 'secret.txt'), join(workspace, 'link.txt'));
  symlinkSync('data.txt', join(workspace, 'inner.txt'));
  symlinkSync('outputs', join(workspace, 'inner'));
  symlinkSync(join(root, 'elsewhere', 'new.txt'), join(workspace, 'dangling.txt'));
  execFileSync('mkfifo', [join(workspace, 'pipe')]);
});
afterEach(() => rmSync(root, { recursive: true }));

async function read(path: string): Promise<string> {
  await using file = await openWorkspaceFile(workspace, path);
  return file.handle.readFile('utf8');
}

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const REFUSED: [string, RegExp][] = [
  ['../elsewhere/secret.txt', /outside of the workspace/],
  ['outputs/../../elsewhere/secret.txt', /outside of the workspace/],
  ['/etc/passwd', /not relative.*copy the file/],
  ['/tmp/x', /not relative/],
  ['C:\\x', /not relative/],
  ['link.txt', /symbolic link/],
  ['inner.txt', /symbolic link/],
  ['linked/secret.txt', /symbolic link/],
  ['inner/x.txt', /symbolic link/],
  ['./linked/../linked/secret.txt', /symbolic link/],
  ['dangling.txt', /symbolic link/],
  ['outputs', /a folder/],
  ['outputs/', /a folder/],
  ['.', /a folder/],
  ['', /empty/],
  ['a\0b', /zero byte/],
  ['data.txt/x', /no folder/],
  ['pipe', /no regular file/],
];

describe('reading', () => {
  test('a file of the workspace, however it is written', async () => {
    expect(await read('data.txt')).toBe('data');
    expect(await read('./outputs/../data.txt')).toBe('data');
    expect(await read('empty.txt')).toBe('');
  });
  test.each([...REFUSED, ['missing.txt', /no file/], ['missing/x.txt', /no file/]] as [string, RegExp][])(
    '%j is refused',
    async (path, message) => {
      await expect(read(path)).rejects.toThrow(message);
      await expect(read(path)).rejects.toBeInstanceOf(PathRefused);
    },
  );
  test('an absolute path into it is told how to be written', async () => {
    await expect(read(join(workspace, 'data.txt'))).rejects.toThrow('write "data.txt"');
  });
});

describe('writing', () => {
  test('makes folders, replaces files and leaves nothing half done', async () => {
    expect(await writeWorkspaceFile(workspace, 'a/b/c.txt', pieces('one', 'two'))).toBe(6);
    expect(readFileSync(join(workspace, 'a/b/c.txt'), 'utf8')).toBe('onetwo');
    expect(statSync(join(workspace, 'a/b/c.txt')).mode & 0o777).toBe(0o644);
    await writeWorkspaceFile(workspace, 'data.txt', pieces());
    expect(readFileSync(join(workspace, 'data.txt'), 'utf8')).toBe('');
    const failing = (async function* () {
      yield Buffer.from('half');
      throw new Error('the source ended');
    })();
    await expect(writeWorkspaceFile(workspace, 'a/b/c.txt', failing)).rejects.toThrow('the source ended');
    expect(readFileSync(join(workspace, 'a/b/c.txt'), 'utf8')).toBe('onetwo');
    expect(readdirSync(join(workspace, 'a/b'))).toEqual(['c.txt']);
  });

  test.each(REFUSED)('%j is refused, also beforehand', async (path, message) => {
    await expect(checkWritable(workspace, path)).rejects.toThrow(message);
    await expect(writeWorkspaceFile(workspace, path, pieces('x'))).rejects.toThrow(message);
    expect(readdirSync(join(root, 'elsewhere'))).toEqual(['secret.txt']);
    expect(readFileSync(join(root, 'elsewhere', 'secret.txt'), 'utf8')).toBe('secret');
  });

  test('a check makes nothing', async () => {
    await checkWritable(workspace, 'x/y/z.txt');
    expect(readdirSync(workspace)).not.toContain('x');
  });

  test('a link that appears in the meantime is replaced, not followed', async () => {
    const swapping = (async function* () {
      yield Buffer.from('mine');
      rmSync(join(workspace, 'data.txt'));
      symlinkSync(join(root, 'elsewhere', 'secret.txt'), join(workspace, 'data.txt'));
    })();
    await writeWorkspaceFile(workspace, 'data.txt', swapping);
    expect(readFileSync(join(root, 'elsewhere', 'secret.txt'), 'utf8')).toBe('secret');
    expect(readFileSync(join(workspace, 'data.txt'), 'utf8')).toBe('mine');
  });

  test('a folder that is swapped for a link in the meantime leads nowhere else', async () => {
    mkdirSync(join(workspace, 'folder'));
    const swapping = (async function* () {
      yield Buffer.from('mine');
      execFileSync('mv', [join(workspace, 'folder'), join(workspace, 'moved')]);
      symlinkSync(join(root, 'elsewhere'), join(workspace, 'folder'));
    })();
    await writeWorkspaceFile(workspace, 'folder/x.txt', swapping);
    expect(readdirSync(join(root, 'elsewhere'))).toEqual(['secret.txt']);
    expect(readdirSync(join(workspace, 'moved'))).toEqual(['x.txt']);
  });

  test('whatever the path is, nothing outside is touched', async () => {
    const part = fc.constantFrom('..', '.', '', 'a', 'linked', 'inner', 'link.txt', 'outputs', 'x.txt', '/');
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 6 }), async (parts) => {
        await writeWorkspaceFile(workspace, parts.join('/'), pieces('x')).catch(() => undefined);
        expect(readdirSync(root).sort()).toEqual(['elsewhere', 'workspace']);
        expect(readdirSync(join(root, 'elsewhere'))).toEqual(['secret.txt']);
        expect(readFileSync(join(root, 'elsewhere', 'secret.txt'), 'utf8')).toBe('secret');
      }),
    );
  });
});
