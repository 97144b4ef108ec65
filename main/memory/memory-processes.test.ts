import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '#main/store/index.ts';
import { MAX_NOTES } from '#shared/memory/memory.ts';
import { root } from '#test/support/engine-harness.ts';
import { createMemory } from './index.ts';

const AGENT = '@test/agent';
/** Writes notes until it has tried so often, and says of each what became of it once it is kept. */
const WRITER = `
  const [folder, name, tries] = process.argv.slice(1);
  const { openDatabase } = await import('#main/store/index.ts');
  const { createMemory } = await import('#main/memory/index.ts');
  const memory = createMemory(openDatabase(folder));
  for (let count = 0; count < Number(tries); count += 1) {
    const content = name + ' ' + count;
    try {
      memory.addNote('${AGENT}', { content, scope: 'actor' });
      process.stdout.write('kept ' + content + '\\n');
    } catch (error) {
      process.stdout.write((error.problem?.code ?? String(error)) + '\\n');
      if (name.startsWith('endless')) memory.clear('${AGENT}');
    }
  }
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-memory-'));
  openDatabase(folder)[Symbol.dispose]();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, tries: number) {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', WRITER, '--', folder, name, `${tries}`],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return { child, lines: createInterface({ input: child.stdout }), ended: once(child, 'close') };
}

it('keeps the limit of notes exactly, whichever of two processes writes them', async () => {
  const said: string[] = [];
  const writers = ['first', 'second'].map((name) => write(name, 80));
  for (const { lines } of writers) lines.on('line', (line) => said.push(line));
  await Promise.all(writers.map(({ ended }) => ended));
  const kept = said.filter((line) => line.startsWith('kept '));
  expect(kept).toHaveLength(MAX_NOTES);
  expect(new Set(said.filter((line) => !line.startsWith('kept ')))).toEqual(new Set(['memory_full']));
  using database = openDatabase(folder);
  expect(createMemory(database).read(AGENT, { limit: 1 }).noteCount).toBe(MAX_NOTES);
});

it('has what a killed process was told it had, and can be searched', async () => {
  const { child, lines, ended } = write('endless', 1_000_000);
  let last = '';
  let count = 0;
  for await (const line of lines) {
    if (line.startsWith('kept ')) last = line.slice('kept '.length);
    count += 1;
    if (count === 150) child.kill('SIGKILL');
  }
  await ended;
  using database = openDatabase(folder);
  const memory = createMemory(database);
  expect(memory.read(AGENT, { query: last, limit: 1 }).notes).toMatchObject([{ content: last }]);
  expect(database.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  database.execute("INSERT INTO memory_note_text (memory_note_text) VALUES ('integrity-check')");
});
