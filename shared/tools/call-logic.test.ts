import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AuthMethod } from '../manifest/model/integration.ts';
import { chooseConnection, distinctLabels, withConnectionParameter } from './connection-parameter.ts';
import { httpDeliveryOf, renderDelivery } from './http-delivery.ts';
import { charsetOf, extensionOf, isTextType } from './media-types.ts';
import { fillJson, fillPlaceholders, namesField, spacedScheme } from './placeholders.ts';
import { shownHeaders } from './response-headers.ts';
import { DEFAULT_SIDECAR_LIMITS, readSidecarLimits } from './sidecar-limits.ts';
import { TokenBudget } from './token-budget.ts';

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
const render = (
  type: AuthMethod['type'],
  delivery: AuthMethod['delivery'],
  fields: Record<string, string>,
) => {
  const plan = httpDeliveryOf({ type, delivery });
  return plan && renderDelivery(plan, fields, base64);
};

describe('delivery', () => {
  test('defaults by kind', () => {
    expect(render('oauth2', {}, { access_token: 't' })).toMatchObject({ value: 'Bearer t' });
    expect(render('api_key', {}, { api_key: 'k' })).toMatchObject({ value: 'k' });
    expect(render('basic', {}, { username: 'u', password: 'pä' })).toMatchObject({
      value: `Basic ${base64('u:pä')}`,
    });
    expect(render('custom', {}, { x: '1' })).toBeUndefined();
    expect(render('mtls', {}, {})).toBeUndefined();
    expect(render('oauth2', { env: { A: { value: '{$credential.x}' } } }, { x: '1' })).toBeUndefined();
  });

  test('a bare scheme gets one space; another header’s prefix none; a secret not a byte more or less', () => {
    const http = (name: string, prefix: string) =>
      ({ http: { in: 'header', name, prefix, value: '{$credential.k}' } }) as const;
    expect(render('custom', http('authorization', 'Token'), { k: 's' })).toMatchObject({ value: 'Token s' });
    expect(render('custom', http('Authorization', 'Token '), { k: 's' })).toMatchObject({ value: 'Token s' });
    expect(render('custom', http('X-Key', 'Token'), { k: 's' })).toMatchObject({ value: 'Tokens' });
    expect(render('custom', http('Authorization', ''), { k: 'basically_a_key' })).toMatchObject({
      value: 'basically_a_key',
    });
    expect(render('custom', http('X-Key', ''), { k: ' spaced ' })).toMatchObject({ value: ' spaced ' });
  });

  test('nothing is sent for nothing, and nothing that would break the header', () => {
    expect(render('oauth2', {}, {})).toEqual({ kind: 'empty' });
    expect(render('basic', {}, { username: '', password: '' })).toEqual({ kind: 'empty' });
    for (const secret of ['a\r\nX: y', 'a\0b', 'ключ']) {
      expect(render('api_key', {}, { api_key: secret })).toMatchObject({ kind: 'unusable' });
    }
    expect(JSON.stringify(render('api_key', {}, { api_key: 'secret\n' }))).not.toContain('secret');
  });
});

describe('placeholders', () => {
  const fields = { token: 'a"b\n{{other}}', other: 'x' };
  test('are filled once, and the unknown are named', () => {
    expect(fillPlaceholders('{{token}} {{ other }} {{nope}}', fields)).toEqual({
      text: 'a"b\n{{other}} x {{nope}}',
      unresolved: ['nope'],
    });
    expect(fillPlaceholders('{{constructor}} {{__proto__}}', fields).unresolved).toHaveLength(2);
    expect(namesField('x{{ token }}', fields)).toBe(true);
    expect(namesField('{{nope}} {token} {{toString}}', fields)).toBe(false);
  });
  test('in JSON are filled in texts only, so that it stays JSON', () => {
    const { value, unresolved } = fillJson({ '{{token}}': ['{{token}}', 1, null, { a: '{{zzz}}' }] }, fields);
    expect(JSON.parse(JSON.stringify(value))).toEqual({
      '{{token}}': [fields.token, 1, null, { a: '{{zzz}}' }],
    });
    expect(unresolved).toEqual(['zzz']);
  });
  test('a forgotten space is put before a placeholder, never into a value', () => {
    expect(spacedScheme('Authorization', 'bearer{{x}}')).toBe('bearer {{x}}');
    expect(spacedScheme('authorization', 'basically_a_key')).toBe('basically_a_key');
    expect(spacedScheme('X-Other', 'Bearer{{x}}')).toBe('Bearer{{x}}');
  });
  test('what has none comes back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes('{{'));
        expect(fillPlaceholders(text, fields)).toEqual({ text, unresolved: [] });
      }),
    );
  });
});

describe('types of bodies', () => {
  test.each([
    'text/csv; charset=latin1',
    'application/json',
    'APPLICATION/JSON;x=y',
    'application/problem+json',
    'image/svg+xml',
    'application/xhtml+xml',
    'application/atom+xml; charset=utf-8',
    'application/x-ndjson',
    'application/ld+json',
    'application/x-www-form-urlencoded',
    'application/openapi+yaml',
  ])('%s is text', (type) => expect(isTextType(type)).toBe(true));
  test.each([
    undefined,
    '',
    'application/octet-stream',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    'application/xml+zip',
    'application/pdf',
    'application/json-but-not',
    'image/png',
    'multipart/mixed',
    'x; text/plain',
  ])('%s is not', (type) => expect(isTextType(type)).toBe(false));
  test('character sets and endings', () => {
    expect(charsetOf('text/csv;header=present; Charset="ISO-8859-1"')).toBe('iso-8859-1');
    expect(charsetOf('text/csv')).toBeUndefined();
    expect(extensionOf('application/problem+json')).toBe('json');
    expect(extensionOf('constructor')).toBeUndefined();
  });
});

test('no cookie and no unknown header of a response is shown', () => {
  expect(
    shownHeaders({
      'Content-Type': 'a/b',
      'set-cookie': ['s=1'],
      'x-secret': 'y',
      ETag: '"1"',
      link: ['a', 'b'],
    }),
  ).toEqual({ 'content-type': 'a/b', etag: '"1"', link: 'a, b' });
});

describe('the token budget', () => {
  const text = (tokens: number) => Math.floor(tokens * 3.5);
  const budget = (extra = {}) =>
    new TokenBudget({ inlineCapTokens: 8000, runBudgetTokens: 100_000, ...extra });

  test('the cap is strict and what is spilled is not counted', () => {
    const run = budget();
    expect(run.decide(text(8000))).toMatchObject({ decision: 'inline', consumedTokens: 8000 });
    expect(run.decide(28_001)).toMatchObject({
      estimatedTokens: 8001,
      decision: 'spill',
      reason: 'exceeds_inline_cap',
      consumedTokens: 8000,
    });
  });

  test('twelve bodies of exactly the cap are read, the thirteenth is spilled', () => {
    const run = budget();
    const decisions = Array.from({ length: 13 }, () => run.decide(text(8000)));
    expect(decisions.map(({ decision }) => decision)).toEqual([...Array<string>(12).fill('inline'), 'spill']);
    expect(decisions[12]).toMatchObject({ reason: 'exceeds_run_budget', consumedTokens: 96_000 });
    expect(run.forceInline(text(8000))).toMatchObject({ consumedTokens: 104_000, reason: 'store_full' });
  });

  test('a small window ends it earlier, and a model that writes its whole window leaves a fifth', () => {
    const small = budget({ contextWindow: 20_000, maxTokens: 12_000 });
    expect(small.decide(text(8000)).decision).toBe('inline');
    expect(small.decide(text(1)).reason).toBe('exceeds_context_window');
    const greedy = budget({ contextWindow: 20_000, maxTokens: 20_000 });
    expect(greedy.decide(text(4000)).decision).toBe('inline');
    expect(budget({ contextWindow: 20_000 }).decide(text(4001)).decision).toBe('spill');
  });
});

describe('settings', () => {
  test('what is no number is named and left at its default', () => {
    for (const value of ['0', '-1', '1e3', '10MB', '0x10', '1.5', 'NaN', '١٢', '99999999999999999999']) {
      const { limits, ignored } = readSidecarLimits({ SIDECAR_API_CALL_CONCURRENCY: value });
      expect(limits).toEqual(DEFAULT_SIDECAR_LIMITS);
      expect(ignored).toMatchObject([{ variable: 'SIDECAR_API_CALL_CONCURRENCY' }]);
    }
    for (const value of ['', ' ', undefined]) {
      expect(readSidecarLimits({ SIDECAR_API_CALL_CONCURRENCY: value }).ignored).toEqual([]);
    }
  });
  test('what is one is taken, up to the ceiling', () => {
    const environment = {
      SIDECAR_MAX_REQUEST_BODY_BYTES: '104857600',
      SIDECAR_INLINE_TOOL_OUTPUT_TOKENS: ' 100 ',
    };
    expect(readSidecarLimits(environment).limits).toMatchObject({
      maxRequestBodyBytes: 104_857_600,
      inlineToolOutputTokens: 100,
    });
    for (const wrong of [
      { SIDECAR_MAX_REQUEST_BODY_BYTES: '104857601' },
      { SIDECAR_MAX_MCP_ENVELOPE_BYTES: '100000000000' },
      { SIDECAR_RUN_TOOL_OUTPUT_BUDGET_TOKENS: '7999' },
    ]) {
      expect(() => readSidecarLimits(wrong)).toThrow(Object.keys(wrong)[0]);
    }
  });
});

describe('several connections', () => {
  const connections = [
    { id: '1', authKey: 'oauth', label: 'Work', account: 'me@work.example' },
    { id: '2', authKey: 'oauth', label: 'Home' },
  ];
  test('the parameter is required, restricted to the labels and says whose they are', () => {
    const schema = {
      type: 'object',
      properties: { target: {}, connection: { type: 'number' } },
      required: ['target', 'connection'],
    };
    expect(withConnectionParameter(schema, connections)).toEqual({
      type: 'object',
      properties: {
        target: {},
        connection: {
          type: 'string',
          enum: ['Work', 'Home'],
          description: 'Which account this acts on: "Work" is me@work.example; "Home".',
        },
      },
      required: ['target', 'connection'],
    });
  });
  test('it is taken out before the call, and what is wrong lists what is right', () => {
    expect(chooseConnection({ target: 'x', connection: 'Home' }, connections, false)).toEqual({
      ok: true,
      connection: connections[1],
      input: { target: 'x' },
    });
    for (const connection of [undefined, 'work', 7, '']) {
      expect(chooseConnection({ connection }, connections, false)).toMatchObject({
        ok: false,
        error: expect.stringContaining('"Work", "Home"') as string,
      });
    }
  });
  test('with one there is none, and an argument of that name is the tool’s own', () => {
    const input = { connection: 'mine' };
    expect(chooseConnection(input, connections.slice(0, 1), true)).toMatchObject({ ok: true, input });
  });
  test('labels are told apart and keep as much as they can', () => {
    expect(distinctLabels(['a', 'a', 'b', 'a', 'a (2)'])).toEqual(['a', 'a (3)', 'b', 'a (4)', 'a (2)']);
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'a (2)', 'b', 'a (3)'), { maxLength: 20 }), (labels) => {
        const distinct = distinctLabels(labels);
        expect(new Set(distinct).size).toBe(labels.length);
        for (const [index, label] of distinct.entries()) expect(label.startsWith(labels[index]!)).toBe(true);
      }),
    );
  });
});
