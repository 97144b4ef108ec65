import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readFileOption, readInput, readTimeout } from './run-request.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-request-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const nothing = Readable.from([]);

describe('readInput', () => {
  test('reads a file or the standard input', async () => {
    writeFileSync(join(folder, 'in.json'), '{"a": 1}');
    expect(await readInput(join(folder, 'in.json'), nothing)).toEqual({ a: 1 });
    expect(await readInput('-', Readable.from([Buffer.from('{"b":'), Buffer.from('2}')]))).toEqual({ b: 2 });
    expect(await readInput(undefined, nothing)).toEqual({});
  });

  test('names the place where JSON is broken', async () => {
    await expect(readInput('-', Readable.from(['{\n  "a": 1,\n  "b": oops\n}']))).rejects.toMatchObject({
      problem: { code: 'input_not_json', file: 'standard input', line: 3, column: 8 },
    });
  });

  test('takes nothing but an object', async () => {
    for (const source of ['[1]', '"a"', 'null', '3'])
      await expect(readInput('-', Readable.from([source]))).rejects.toMatchObject({
        problem: { code: 'input_not_object' },
      });
    await expect(readInput('-', Readable.from(['']))).rejects.toMatchObject({
      problem: { code: 'input_not_json' },
    });
  });

  test('says that a file is missing, or is a folder', async () => {
    await expect(readInput(join(folder, 'none.json'), nothing)).rejects.toMatchObject({
      problem: { code: 'input_unreadable', detail: expect.stringContaining('no such file') as string },
    });
    await expect(readInput(folder, nothing)).rejects.toMatchObject({
      problem: { detail: expect.stringContaining('not a file') as string },
    });
  });
});

describe('readFileOption', () => {
  test('tells a field from a name with an equals sign in it', async () => {
    writeFileSync(join(folder, 'a=b.csv'), 'x');
    writeFileSync(join(folder, 'data.csv'), 'xy');
    const whole = await readFileOption(join(folder, 'a=b.csv'));
    expect(whole).toMatchObject({ field: undefined, originalName: 'a=b.csv', size: 1 });
    const fielded = await readFileOption(`table=${join(folder, 'data.csv')}`);
    expect(fielded).toMatchObject({ field: 'table', originalName: 'data.csv', size: 2 });
    expect(await text(await fielded.open())).toBe('xy');
    expect(await readFileOption(`table=${join(folder, 'a=b.csv')}`)).toMatchObject({
      field: 'table',
      originalName: 'a=b.csv',
    });
  });

  test('refuses what is no file, naming the path that was meant', async () => {
    mkdirSync(join(folder, 'dir'));
    await expect(readFileOption(join(folder, 'dir'))).rejects.toMatchObject({
      problem: { code: 'input_unreadable', detail: expect.stringContaining('not a file') as string },
    });
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await expect(readFileOption(pipe)).rejects.toMatchObject({ problem: { code: 'input_unreadable' } });
    await expect(readFileOption('table=/no/such.csv')).rejects.toMatchObject({
      problem: { file: '/no/such.csv' },
    });
  });
});

test('readTimeout takes seconds within the ceiling and nothing else', () => {
  expect(readTimeout('1.5')).toBe(1.5);
  expect(readTimeout(undefined)).toBeUndefined();
  for (const option of ['0', '-1', '1801', '10s', '', 'NaN', '1e3', ' 5'])
    expect(() => readTimeout(option)).toThrow(/--timeout/);
});
