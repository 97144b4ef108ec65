import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase, type Database } from '#main/store/index.ts';
import { DatabaseTypedTexts } from './index.ts';

const DAY = 24 * 60 * 60 * 1_000;

let folder: string;
let database: Database;
let now = DAY;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-typed-'));
  database = openDatabase(folder);
});
afterEach(async () => {
  database[Symbol.dispose]();
  await rm(folder, { recursive: true });
});

const typed = (writer: string, text: string) => ({
  writer,
  basedOn: 3,
  files: [{ path: 'manifest.json', text }],
});

it('keeps the last text of each writer apart, the newest first, half a surrogate pair too', () => {
  const texts = new DatabaseTypedTexts(database, () => (now += 1));
  texts.keep('@me/a', typed('one', '{'));
  texts.keep('@me/a', typed('two', '{"x": "\ud800'));
  texts.keep('@me/a', typed('one', '{"na'));
  texts.keep('@me/b', typed('one', 'other'));
  const kept = new DatabaseTypedTexts(database, () => now).list('@me/a');
  expect(kept.map(({ writer, files }) => [writer, files[0]?.text])).toEqual([
    ['one', '{"na'],
    ['two', '{"x": "\ud800'],
  ]);
  expect(kept[0]?.basedOn).toBe(3);
});

it('forgets one writer, a whole package, and what is older than a month', () => {
  const texts = new DatabaseTypedTexts(database, () => now);
  for (const writer of ['one', 'two']) texts.keep('@me/a', typed(writer, writer));
  texts.forget('@me/a', 'one');
  expect(texts.list('@me/a').map(({ writer }) => writer)).toEqual(['two']);
  texts.keep('@me/b', typed('one', 'b'));
  texts.forgetAll('@me/a');
  expect(texts.list('@me/a')).toEqual([]);
  now += 31 * DAY;
  expect(new DatabaseTypedTexts(database, () => now).list('@me/b')).toEqual([]);
});
