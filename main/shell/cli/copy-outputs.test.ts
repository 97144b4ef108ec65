import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunOutputFile } from '#shared/runs/run.ts';
import { FakeRunService } from '#test/support/fake-application.ts';
import { copyOutputs, prepareFolder } from './copy-outputs.ts';

let root: string;
let folder: string;
let runs: FakeRunService;
let runId: string;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'slipway-copy-'));
  folder = await prepareFolder(join(root, 'new', 'out'));
  runs = new FakeRunService();
  runId = runs.create().id;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function output(path: string, content = path): RunOutputFile {
  runs.addFile(runId, path, Buffer.from(content), 'text/plain');
  return { path, size: content.length, mediaType: 'text/plain', modifiedAt: 0, kept: true };
}

test('copies files with their folders, names of any kind and no bytes', async () => {
  const files = ['report.md', 'charts/by "month" 🦊.svg', 'a/b/c/d.txt'].map((path) => output(path));
  files.push(output('empty.txt', ''));
  const copied = await copyOutputs(runs, runId, files, folder, false);
  expect(copied.map(({ savedTo }) => savedTo)).toEqual(files.map(({ path }) => join(folder, path)));
  for (const { path } of files.slice(0, 3)) expect(readFileSync(join(folder, path), 'utf8')).toBe(path);
  expect(readFileSync(join(folder, 'empty.txt'), 'utf8')).toBe('');
});

test('leaves what is there alone, says so, and replaces it with force', async () => {
  writeFileSync(join(folder, 'report.md'), 'mine');
  const files = [output('report.md'), output('other.md')];
  const copied = await copyOutputs(runs, runId, files, folder, false);
  expect(copied).toMatchObject([
    { problem: { code: 'output_exists' } },
    { savedTo: join(folder, 'other.md') },
  ]);
  expect(readFileSync(join(folder, 'report.md'), 'utf8')).toBe('mine');
  await copyOutputs(runs, runId, files, folder, true);
  expect(readFileSync(join(folder, 'report.md'), 'utf8')).toBe('report.md');
});

test('writes nothing outside of the folder, whatever the paths are', async () => {
  const part = fc.constantFrom('..', '.', 'a', 'b', '', '/', 'x.txt');
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 6 }), async (parts) => {
      await copyOutputs(runs, runId, [output(parts.join('/'))], folder, true);
      expect(readdirSync(root)).toEqual(['new']);
      expect(readdirSync(join(root, 'new'))).toEqual(['out']);
    }),
  );
});

test('follows no link, neither to a folder nor to a file', async () => {
  const elsewhere = join(root, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'file.txt'), 'mine');
  symlinkSync(elsewhere, join(folder, 'linked'));
  symlinkSync(join(elsewhere, 'file.txt'), join(folder, 'file.txt'));
  symlinkSync(join(elsewhere, 'new.txt'), join(folder, 'dangling.txt'));
  const files = [output('linked/deep/x.txt'), output('file.txt'), output('dangling.txt')];
  for (const force of [false, true]) await copyOutputs(runs, runId, files, folder, force);
  expect(readFileSync(join(elsewhere, 'file.txt'), 'utf8')).toBe('mine');
  expect(readdirSync(elsewhere)).toEqual(['file.txt']);
  expect(readFileSync(join(folder, 'file.txt'), 'utf8')).toBe('file.txt');
});

test('tells of a file that the run did not keep, and copies the others', async () => {
  const copied = await copyOutputs(
    runs,
    runId,
    [{ ...output('big.bin'), kept: false }, output('small.txt')],
    folder,
    false,
  );
  expect(copied[0]?.problem?.code).toBe('output_not_kept');
  expect(existsSync(join(folder, 'small.txt'))).toBe(true);
});

test('a folder that is a file is refused before anything is run', async () => {
  writeFileSync(join(root, 'file'), '');
  await expect(prepareFolder(join(root, 'file'))).rejects.toMatchObject({
    problem: { code: 'output_folder_unusable' },
  });
});
