import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '#main/store/index.ts';
import {
  MAX_NOTE_CHARACTERS,
  MAX_NOTES,
  MAX_PIN_BYTES,
  MAX_PIN_DEPTH,
  MAX_PINS,
  MAX_PINS_BYTES,
} from '#shared/memory/memory.ts';
import { createMemory, type MemoryService } from './index.ts';

const AGENT = '@test/agent';
let folder: string;
let database: Database;
let memory: MemoryService;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-memory-'));
  database = openDatabase(folder);
  memory = createMemory(database);
});
afterEach(() => {
  database[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

const add = (content: string, scope: 'actor' | 'shared' = 'actor') =>
  memory.addNote(AGENT, { content, scope, runId: 'run_1' });
const find = (query: string) => memory.read(AGENT, { query, limit: 50 }).notes.map(({ content }) => content);

describe('notes', () => {
  it('are found by every word of a query, in any order, case and place, the newest first', () => {
    add('Invoices of March come from billing@example.com');
    add('The report for march was sent to Ada');
    add('Ada prefers CSV');
    expect(find('MARCH')).toHaveLength(2);
    expect(find('report march')).toEqual(['The report for march was sent to Ada']);
    expect(find('voice')).toEqual(['Invoices of March come from billing@example.com']);
    expect(find('')).toEqual([
      'Ada prefers CSV',
      'The report for march was sent to Ada',
      'Invoices of March come from billing@example.com',
    ]);
    expect(find('april')).toEqual([]);
  });

  it.each(['"', 'a"b', 'AND', 'NOT x', 'a*', 'content:', '(', '%', '_', '\\', "'; DROP", '日本', 'é'])(
    'take %j as words and not as a language of queries',
    (query) => {
      add('nothing of the kind');
      add(`it says ${query} here`);
      expect(find(query)).toEqual([`it says ${query} here`]);
    },
  );

  it('find whatever they have, whatever it is', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((s) => /\S/.test(s));
    fc.assert(
      fc.property(text, (content) => {
        const { id } = add(content);
        expect(memory.read(AGENT, { query: content.trim(), limit: 1 }).notes).toMatchObject([{ id }]);
        memory.removeNote(AGENT, id);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['a NUL', 'needle\0hay'],
    ['a lone surrogate', 'needle \uD800'],
    ['a thousand short words', 'a '.repeat(1000)],
    ['hundreds of words', Array.from({ length: 400 }, (_, index) => `${index}`.padStart(4, '0')).join(' ')],
    ['one endless word', 'needle'.repeat(330)],
  ])('can be searched with %s', (_, query) => {
    add('hay and a needle');
    expect(() => find(query)).not.toThrow();
    expect(find('needle\0hay')).toEqual(['hay and a needle']);
  });

  it('follow a change and a removal in what is found', () => {
    const { id } = add('the colour is green');
    memory.changeNote(AGENT, id, 'the colour is blue');
    expect([find('green'), find('blue')]).toEqual([[], ['the colour is blue']]);
    memory.removeNote(AGENT, id);
    expect(find('blue')).toEqual([]);
    expect(() => memory.removeNote(AGENT, id)).toThrow(problem('note_unknown'));
  });

  it('of one agent are not another one’s', () => {
    const { id } = add('mine');
    expect(memory.read('@test/other', { query: 'mine', limit: 10 }).notes).toEqual([]);
    expect(() => memory.changeNote('@test/other', id, 'stolen')).toThrow(problem('note_unknown'));
  });

  it('are refused over the limits, and say so: nothing is dropped or cut in silence', () => {
    for (let count = 0; count < MAX_NOTES; count += 1) add(`note ${count}`);
    expect(() => add('one more')).toThrow(problem('memory_full'));
    add('another scope has room', 'shared');
    memory.clear(AGENT);
    expect(() => add('x'.repeat(MAX_NOTE_CHARACTERS + 1))).toThrow(problem('note_too_long'));
    expect(() => add('   ')).toThrow(problem('note_empty'));
    add('🚢'.repeat(MAX_NOTE_CHARACTERS));
    expect(memory.read(AGENT, { limit: 10 }).noteCount).toBe(1);
  });
});

describe('slots', () => {
  const set = (key: string, content: unknown, scope: 'actor' | 'shared' = 'actor') =>
    memory.setPin(AGENT, { key, content, scope });

  it('hold the newest content for each key and scope', () => {
    set('checkpoint', { page: 1 });
    set('checkpoint', { page: 2 });
    set('checkpoint', null, 'shared');
    expect(memory.read(AGENT, { limit: 1 }).pins).toMatchObject([
      { key: 'checkpoint', content: { page: 2 }, scope: 'actor' },
      { key: 'checkpoint', content: null, scope: 'shared' },
    ]);
    memory.removePin(AGENT, 'actor', 'checkpoint');
    expect(() => memory.removePin(AGENT, 'actor', 'checkpoint')).toThrow(problem('pin_unknown'));
  });

  it('are refused over the limits, and the content there was stays', () => {
    set('large', 'kept');
    expect(() => set('large', 'x'.repeat(MAX_PIN_BYTES))).toThrow(problem('pin_too_large'));
    for (let count = 1; count < MAX_PINS; count += 1) set(`slot_${count}`, count);
    expect(() => set('one_more', 1)).toThrow(problem('pins_full'));
    set('slot_1', 'changed');
    expect(memory.read(AGENT, { limit: 1 }).pins.find(({ key }) => key === 'large')?.content).toBe('kept');
  });

  it('are refused when they are nested too deep, or leave a model no room together', () => {
    const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;
    set('deep', nested(MAX_PIN_DEPTH));
    for (const depth of [MAX_PIN_DEPTH + 1, 3000, 30_000])
      expect(() => set('deep', nested(depth))).toThrow(problem('pin_too_deep'));
    const large = 'x'.repeat(MAX_PIN_BYTES - 2);
    const most = MAX_PINS_BYTES / MAX_PIN_BYTES;
    memory.removePin(AGENT, 'actor', 'deep');
    for (let count = 0; count < most; count += 1) set(`large_${count}`, large);
    expect(() => set('small', 1)).toThrow(problem('pins_full'));
    set('large_0', 'less');
    set('small', 1);
    set('large_0', large, 'shared');
  });

  it('keep whatever JSON can hold, under whatever name', () => {
    const odd = JSON.parse('{"__proto__":{"constructor":1},"\\ud800":"\\u0000"}') as unknown;
    for (const key of ['__proto__', 'constructor']) {
      set(key, odd);
      const found = memory.read(AGENT, { limit: 1 }).pins.find((pin) => pin.key === key);
      expect(JSON.stringify(found?.content)).toBe(JSON.stringify(odd));
    }
  });

  it('are made of notes whole or not at all', () => {
    const { id } = add('the account is 42');
    for (let count = 0; count < MAX_PINS; count += 1) set(`slot_${count}`, count);
    expect(() => memory.pinNote(AGENT, id, 'account')).toThrow(problem('pins_full'));
    expect(find('account')).toHaveLength(1);
    memory.pinNote(AGENT, id, 'slot_0');
    expect(find('account')).toEqual([]);
    expect(memory.read(AGENT, { limit: 1 }).pins[0]).toMatchObject({ content: 'the account is 42' });
  });
});

it('exports all of it, the oldest note first', () => {
  add('first');
  add('second');
  memory.setPin(AGENT, { key: 'checkpoint', content: { page: 1 }, scope: 'actor' });
  const lines = memory
    .exportLines(AGENT)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([
    { kind: 'pin', key: 'checkpoint' },
    { kind: 'note', content: 'first', runId: 'run_1' },
    { kind: 'note', content: 'second' },
  ]);
});

it('tells of each change and of whose memory it is', () => {
  const told: (string | undefined)[] = [];
  const stop = memory.onChange((agentId) => told.push(agentId));
  add('one');
  memory.clear('@test/other');
  memory.noticeOthers();
  stop();
  add('two');
  expect(told).toEqual([AGENT, '@test/other', undefined]);
});

const problem = (code: string): unknown =>
  expect.objectContaining({ problem: expect.objectContaining({ code }) as unknown });
