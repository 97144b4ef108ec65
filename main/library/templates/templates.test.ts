import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PACKAGE_TYPES, type PackageType } from '#shared/manifest/dialect.ts';
import { PACKAGE_NAME } from '#shared/manifest/identity.ts';
import { MANIFEST_FILE, validatePackage } from '#shared/manifest/validate.ts';
import { ProblemError } from '#shared/problem.ts';
import { createSchemaChecker } from '../json-schema.ts';
import { newPackageFiles, type NewPackage, type PackageText } from './index.ts';

const schemaChecker = createSchemaChecker();
const identity = { name: '@you/first-try', author: 'You' };

function check(files: PackageText) {
  return validatePackage(
    files.get(MANIFEST_FILE) ?? '',
    { has: (path) => files.has(path), text: (path) => files.get(path) },
    { direction: 'author', schemaChecker },
  );
}

const slug = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,90}[a-z0-9])?$/);
const anyText = fc.option(fc.string({ unit: 'binary', maxLength: 1200 }), { nil: undefined });
const anyIdentity: fc.Arbitrary<NewPackage> = fc.record({
  name: fc.tuple(slug, slug).map(([scope, name]) => `@${scope}/${name}`),
  displayName: anyText,
  description: anyText,
  author: anyText,
});

describe.each(PACKAGE_TYPES)('a new %s', (type) => {
  it('has nothing to find fault with once its author is named', () => {
    const { findings, manifest } = check(newPackageFiles(type, identity));
    expect(findings).toEqual([]);
    expect(manifest).toMatchObject({
      type,
      name: '@you/first-try',
      displayName: 'First try',
      version: '0.1.0',
    });
  });

  it('lacks only what a draft may lack, whatever its author calls it', () => {
    fc.assert(
      fc.property(anyIdentity, (given) => {
        const { findings, manifest } = check(newPackageFiles(type, given));
        expect(manifest?.name).toBe(given.name);
        const expected = type === 'agent' && !given.author?.trim() ? ['author_missing'] : [];
        expect(findings.map(({ code }) => code)).toEqual(expected);
        expect(findings.every(({ blocks }) => blocks === 'publish')).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('says what it was told, and is written as the other packages are', () => {
    const given = { ...identity, displayName: 'Täglicher "Bericht"', description: 'Schreibt:\n- viel' };
    const files = newPackageFiles(type, given);
    expect(JSON.parse(files.get(MANIFEST_FILE) ?? '')).toMatchObject({
      display_name: given.displayName,
      description: given.description,
    });
    for (const content of files.values()) expect(content.endsWith('\n')).toBe(true);
  });

  it('refuses a name that no package may have', () => {
    for (const name of ['first-try', '@You/x', '@you/', '@you/../x']) {
      expect(PACKAGE_NAME.test(name)).toBe(false);
      expect(() => newPackageFiles(type, { name })).toThrow(ProblemError);
    }
  });
});

describe('the files of a template', () => {
  it('are the ones each type must have', () => {
    const paths = (type: PackageType) => [...newPackageFiles(type, identity).keys()];
    expect(paths('agent')).toEqual([MANIFEST_FILE, 'prompt.md']);
    expect(paths('skill')).toEqual([MANIFEST_FILE, 'SKILL.md', 'references/special-cases.md']);
    expect(paths('integration')).toEqual([MANIFEST_FILE, 'INTEGRATION.md']);
    expect(paths('mcp-server')).toEqual([MANIFEST_FILE, 'server/index.mjs']);
  });

  it('refer to each other by paths that exist', () => {
    const files = newPackageFiles('skill', identity);
    const [, path = ''] = /\]\(([^)]+)\)/.exec(files.get('SKILL.md') ?? '') ?? [];
    expect([...files.keys()]).toContain(path);
  });
});

describe('the server of the template', () => {
  it('speaks MCP as it is, and answers what it does not know with an error', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'template-'));
    try {
      const files = newPackageFiles('mcp-server', { ...identity, displayName: 'Say "hi"\u2028\\' });
      for (const [path, content] of files) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), content);
      }
      const replies = await converse(join(folder, 'server/index.mjs'), [
        request(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} }),
        JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
        request(2, 'tools/list'),
        request(3, 'tools/call', { name: 'count_words', arguments: { text: ' one two\nthree\u2028four ' } }),
        request(4, 'tools/call', { name: 'count_words', arguments: {} }),
        request(5, 'tools/call', { name: 'toString' }),
        request(6, 'constructor'),
        'no json',
      ]);
      expect(replies.get(1)).toMatchObject({
        result: {
          protocolVersion: '2025-06-18',
          serverInfo: { name: '@you/first-try' },
          capabilities: { tools: {} },
        },
      });
      expect(replies.get(2)).toMatchObject({ result: { tools: [{ name: 'count_words' }] } });
      expect(replies.get(3)).toMatchObject({ result: { content: [{ type: 'text', text: '4' }] } });
      expect(replies.get(4)).toMatchObject({ result: { isError: true } });
      expect(replies.get(5)).toMatchObject({ error: { code: -32602 } });
      expect(replies.get(6)).toMatchObject({ error: { code: -32601 } });
      expect(replies.get(null)).toMatchObject({ error: { code: -32700 } });
      expect(replies.size).toBe(7);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

function request(id: number, method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** What a server answers, by the id of the request; it ends when its input does. */
async function converse(file: string, lines: readonly string[]): Promise<Map<unknown, unknown>> {
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(`${lines.join('\n')}\n`);
  const answers = await text(child.stdout);
  const replies = answers.split('\n').filter((line) => line !== '');
  return new Map(
    replies.map((line) => JSON.parse(line) as { id: unknown }).map((reply) => [reply.id, reply]),
  );
}
