import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSchemaChecker } from '#main/library/json-schema.ts';
import { agent, agentCases, older } from '#test/support/manifest-cases/agent.ts';
import { drop, put, type Case } from '#test/support/manifest-cases/case.ts';
import {
  integration,
  integrationCases,
  local,
  olderIntegration,
  remote,
} from '#test/support/manifest-cases/integration.ts';
import {
  goodSelections,
  mcpServer,
  mcpServerCases,
  mcpServerFiles,
  promptCases,
  selectionCases,
  skill,
  skillCases,
  skillText,
} from '#test/support/manifest-cases/others.ts';
import type { Finding } from './finding.ts';
import { editJson } from './json-edit.ts';
import { pointerOf, valueAt } from './json-pointer.ts';
import type { AgentManifest } from './model/agent.ts';
import { RULES } from './rules/catalogue.ts';
import type { PackageFiles } from './rules/common.ts';
import { validateManifest, validatePackage, type ValidationOptions } from './validate.ts';

const schemaChecker = createSchemaChecker();
const author: ValidationOptions = { direction: 'author', schemaChecker };
const stored: ValidationOptions = { direction: 'stored', schemaChecker };

const cases: readonly Case[] = [
  ...agentCases,
  ...promptCases,
  ...selectionCases,
  ...skillCases,
  ...mcpServerCases,
  ...integrationCases,
];

function filesOf(texts: Readonly<Record<string, string>>): PackageFiles {
  return { text: (path) => texts[path], has: (path) => path in texts };
}

function findingsOf({ files, packages }: Pick<Case, 'files' | 'packages'>, text: string): readonly Finding[] {
  const options = { ...author, packages };
  const report =
    files === undefined ? validateManifest(text, options) : validatePackage(text, filesOf(files), options);
  return report.findings;
}

function find(test: Case, text: string = test.text): Finding | undefined {
  return findingsOf(test, text).find(
    ({ code, pointer, file }) => code === test.code && pointer === test.pointer && file === test.file,
  );
}

function errorCount(test: Case, text: string): number {
  return findingsOf(test, text).filter(({ severity }) => severity === 'error').length;
}

function agentIn(text: string, options = author): AgentManifest | undefined {
  const { manifest } = validateManifest(text, options);
  return manifest?.type === 'agent' ? manifest : undefined;
}

describe('checking a manifest', () => {
  it.each([
    ['agent 0.x', agent, {}],
    ['agent 2.x', older, {}],
    ['skill', skill, { 'SKILL.md': skillText }],
    ['MCP server', mcpServer, mcpServerFiles],
    ['integration without a server', integration, {}],
    ['integration with a remote server', remote, {}],
    ['integration with a local server', local, {}],
    ['integration 2.x', olderIntegration, {}],
  ])('finds nothing in a good %s', (_, text, files) => {
    const report = validatePackage(text, filesOf({ 'prompt.md': 'Do {{#it}}.', ...files }), author);
    expect(report.findings).toEqual([]);
    expect(report.manifest).toBeDefined();
  });

  it.each(cases.map((test) => [test.row, test.code, test.pointer || test.file, test] as const))(
    '%s %s at %s',
    (_row, code, _at, test) => {
      expect(findingsOf(test, test.text)).toContainEqual(
        expect.objectContaining({ code, pointer: test.pointer }),
      );
      const { severity, blocks } = RULES[code];
      expect(find(test)).toMatchObject({ severity, blocks, file: test.file });
      expect(find(test)?.message).toMatch(test.message);
    },
  );

  it('has a case for every row of the must-reject list and for every code', () => {
    const rows = [
      ...Array.from({ length: 14 }, (_, index) => `C${index + 1}`),
      ...Array.from({ length: 12 }, (_, index) => `A${index + 1}`),
      'S1',
      'S2',
      ...Array.from({ length: 9 }, (_, index) => `M${index + 1}`),
      ...Array.from({ length: 35 }, (_, index) => `I${index + 1}`),
    ];
    // A cycle needs the packages of others; it is found where dependencies are resolved.
    const covered = new Set([...cases.map(({ row }) => row), 'C13']);
    expect(rows.filter((row) => !covered.has(row))).toEqual([]);

    const elsewhere = [
      'json_syntax',
      'json_duplicate_key',
      'json_unsafe_key',
      'json_limit',
      'manifest_missing',
      'file_unreadable',
      'file_name_unportable',
    ];
    const codes = new Set<string>([...cases.map(({ code }) => code), ...elsewhere]);
    expect(Object.keys(RULES).filter((code) => !codes.has(code))).toEqual([]);
  });

  it('mends what a fix says it mends, and breaks nothing else', () => {
    const fixable = cases.filter((test) => find(test)?.fix !== undefined);
    for (const test of fixable) {
      const after = editJson(test.text, find(test)?.fix?.edits ?? []);
      expect({ ...test, after: find(test, after) }).toEqual({ ...test, after: undefined });
      expect(errorCount(test, after)).toBeLessThanOrEqual(errorCount(test, test.text));
    }
    expect(fixable.length).toBeGreaterThan(30);
  });

  it.each(['output', 'log', 'note', 'pin', 'publish_file', 'publish_document'])(
    'lets an agent choose %s',
    (id) => {
      const text = JSON.stringify({
        ...(JSON.parse(agent) as object),
        runtime_tools: [...new Set(['output', id])],
      });
      expect(validateManifest(text, author).findings).toEqual([]);
    },
  );

  it('tells a hundred faults of one kind and those of others, however many there are', () => {
    const tools = Array.from({ length: 5000 }, (_, index) => `tool-${index}`);
    const agentWith = (more: object) => JSON.stringify({ ...(JSON.parse(agent) as object), ...more });
    const { manifest, findings } = validateManifest(agentWith({ runtime_tools: tools, timeout: 0 }), author);
    expect(manifest).toBeUndefined();
    expect(findings.filter(({ code }) => code === 'runtime_tool_unknown')).toHaveLength(100);
    expect(findings.filter(({ pointer }) => pointer === '/timeout')).toHaveLength(1);
    const [long] = validateManifest(
      agentWith({ _meta: { [`${'K'.repeat(100_000)}!`]: {} } }),
      author,
    ).findings;
    expect(long?.message.length).toBeLessThan(500);
  });

  it('converts an old package to one without errors, or says what it lacks and offers nothing', () => {
    const old = { type: 'agent', displayName: 'B', schemaVersion: '1.1', name: '@you/b', version: '1.0' };
    const output = { schema: { type: 'object', properties: { n: { type: 'integer' } } } };
    const [finding] = validateManifest(JSON.stringify({ ...old, output }), author).findings;
    const after = editJson(JSON.stringify(old), finding?.fix?.edits ?? []);
    expect(agentIn(after)).toMatchObject({ version: '1.0.0', runtimeTools: ['output'] });

    const [nameless] = validateManifest(JSON.stringify({ ...old, name: 'B' }), author).findings;
    expect(nameless?.fix).toBeUndefined();
    expect(nameless?.message).toMatch(/1\.x.*"name" must be/);
  });

  it.each(goodSelections)('lets an agent choose what its integration has', ({ text, packages }) => {
    expect(validateManifest(text, { ...author, packages }).findings).toEqual([]);
  });

  it('keeps what it does not know and does not complain of it', () => {
    const text = editJson(agent, [
      put('/$schema', 'https://schemas.afps.dev/v0/agent.schema.json'),
      put('/_meta/vendor.example~1thing', { any: 1 }),
      put(`/input/schema/properties/title/x-widget`, 'area'),
      put(`/input/schema/properties/title/format`, 'color'),
      put('/dependencies/widgets', { '@a/b': '1' }),
    ]);
    expect(validateManifest(text, author).findings).toEqual([]);
  });

  it('lets a stored manifest keep working with tools that were withdrawn, and says so', () => {
    const text = editJson(agent, [
      put('/runtime_tools', ['report', 'output', 'publish_document', 'log', 'publish_file']),
      put('/dependencies/tools', { '@you/report': '*' }),
    ]);
    expect(validateManifest(text, author).manifest).toBeUndefined();
    const report = validateManifest(text, stored);
    expect(report.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(report.findings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['runtime_tool_unknown', 'dependency_kind_retired']),
    );
    expect(agentIn(text, stored)?.runtimeTools).toEqual(['output', 'publish_file', 'log']);
  });

  it('reads both spellings of an integration into one model', () => {
    const both = editJson(older, [
      put('/integrations_configuration/@you~1mail', { tools: ['x'], scopes: ['lost'] }),
    ]);
    const read = agentIn(both);
    expect(read?.dependencies.integrations).toEqual({ '@you/mail': '^1' });
    expect(read?.integrationChoices).toEqual({ '@you/mail': { tools: ['x'], scopes: ['a'], authKey: 'b' } });
    const current = agentIn(agent);
    expect(current?.integrationChoices).toEqual({
      '@you/mail': { tools: ['api_call'], scopes: ['send'], authKey: 'main' },
    });
    expect(current?.input).toMatchObject({
      fileConstraints: { table: { accept: '.csv', maxSize: 1000 } },
      hints: { title: { placeholder: 'A title' } },
      order: ['title', 'table', 'gone'],
    });
  });

  it('asks for the author only when publishing', () => {
    const report = validateManifest(editJson(agent, [drop('/author')]), author);
    expect(report.findings).toMatchObject([{ code: 'author_missing', blocks: 'publish' }]);
    expect(report.manifest).toBeDefined();
  });

  it('tells every fault at once, in the order of the text', () => {
    const text = editJson(agent, [
      put('/name', 'x'),
      put('/timeout', 0),
      put('/runtime_tools', []),
      put('/integrations_configuration/@you~1other', {}),
    ]);
    const { findings } = validateManifest(text, author);
    expect(findings.map(({ pointer }) => pointer)).toEqual([
      '/name',
      '/timeout',
      '/runtime_tools',
      '/integrations_configuration/@you~1other',
    ]);
  });

  it('points into the text at the line a person would look at', () => {
    const [finding] = validateManifest(
      editJson(agent, [put(`/input/schema/properties/title/type`, 'text')]),
      author,
    ).findings;
    const lines = agent.split('\n');
    const line = lines.findIndex((content) => content.includes('"title": {')) + 2;
    expect(finding).toMatchObject({ line, column: (lines[line - 1] ?? '').indexOf('"string"') + 1 });
  });

  it('never throws and never leaves the text, whatever it is given', () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }),
      fc.constantFrom('*', '', null, [], {}, -1, '@a/b', [[]], { schema: {} }),
    );
    const mutation = fc.record({ path: fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), value });
    fc.assert(
      fc.property(
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(agent, older, integration, olderIntegration, mcpServer),
        (edits, of) => {
          let text = of;
          for (const edit of edits) text = editJson(text, [put(pointerBy(text, edit.path), edit.value)]);
          const lines = text.split('\n');
          for (const finding of validateManifest(text, author).findings) {
            expect(lines[finding.line - 1]?.length).toBeGreaterThanOrEqual(finding.column);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** A place in a document chosen by numbers, so that a failing case shrinks well. */
function pointerBy(text: string, numbers: readonly number[]): string {
  let value: unknown = JSON.parse(text);
  const path: string[] = [];
  for (const number of numbers) {
    const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    const key = keys[number % Math.max(keys.length, 1)];
    if (key === undefined) break;
    path.push(key);
    value = valueAt(value, [key]);
  }
  return pointerOf(path);
}
