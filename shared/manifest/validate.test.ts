import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSchemaChecker } from '#main/library/json-schema.ts';
import type { Finding, Fix } from './finding.ts';
import { editJson } from './json-edit.ts';
import { pointerOf, valueAt } from './json-pointer.ts';
import type { AgentManifest } from './model/agent.ts';
import { RULES } from './rules/catalogue.ts';
import type { PackageFiles } from './rules/common.ts';
import { validateManifest, validatePackage, type ValidationOptions } from './validate.ts';

const schemaChecker = createSchemaChecker();
const author: ValidationOptions = { direction: 'author', schemaChecker };
const stored: ValidationOptions = { direction: 'stored', schemaChecker };

const agent = JSON.stringify(
  {
    name: '@you/csv-report',
    version: '1.2.0',
    type: 'agent',
    schema_version: '0.2',
    display_name: 'CSV report',
    author: 'Ada',
    'x-own': { kept: [1, 2] },
    input: {
      schema: {
        type: 'object',
        properties: {
          table: { type: 'string', format: 'uri', contentMediaType: 'text/csv' },
          title: { type: 'string' },
        },
        required: ['table'],
      },
      file_constraints: { table: { accept: '.csv', max_size: 1000 } },
      ui_hints: { title: { placeholder: 'A title' } },
      property_order: ['title', 'table', 'gone'],
    },
    output: { schema: { type: 'object', properties: { rows: { type: 'integer' } } } },
    timeout: 60,
    runtime_tools: ['output', 'log'],
    dependencies: { integrations: { '@you/mail': '^1.0.0' }, skills: { '@you/charts': '*' } },
    integrations_configuration: { '@you/mail': { tools: ['api_call'], scopes: ['send'], auth_key: 'main' } },
    _meta: { 'dev.appstrate/resources': { memory_mb: 512 }, plain: {} },
  },
  null,
  2,
);

const older = editJson(agent, [
  put('/schema_version', '2.0'),
  put('/dependencies/integrations/@you~1mail', { version: '^1', scopes: ['a'], auth_key: 'b' }),
]);

type Edit = Fix['edits'][number];

function put(pointer: string, value: unknown): Edit {
  return { pointer, value };
}

function drop(pointer: string): Edit {
  return { pointer, remove: true };
}

interface Case {
  /** Row of the reference's must-reject list; `--` for a rule of our own. */
  readonly row: string;
  readonly code: string;
  readonly pointer: string;
  readonly text: string;
  readonly message: RegExp;
}

/** A good manifest with one thing wrong: by default the value at the place the finding must name. */
function wrong(
  row: string,
  code: string,
  pointer: string,
  change: unknown,
  more: { of?: string; says?: RegExp } = {},
): Case {
  const edits =
    Array.isArray(change) && change.every(isEdit) && change.length > 0 ? change : [put(pointer, change)];
  return { row, code, pointer, text: editJson(more.of ?? agent, edits), message: more.says ?? /\.$/ };
}

function isEdit(value: unknown): value is Edit {
  return typeof value === 'object' && value !== null && 'pointer' in value;
}

function missing(row: string, pointer: string, of: string = agent): Case {
  return wrong(row, 'field_missing', pointer, [drop(pointer)], { of });
}

const mail = '/dependencies/integrations/@you~1mail';
const choice = '/integrations_configuration/@you~1mail';
const resources = '/_meta/dev.appstrate~1resources';
const examples = '/_meta/app.slipway~1examples';
const title = '/input/schema/properties/title';

const cases: readonly Case[] = [
  { row: 'C1', code: 'manifest_not_object', pointer: '', text: '["agent"]', message: /a list/ },
  wrong('C2', 'type_unknown', '/type', [drop('/type')], { says: /"mcp-server"/ }),
  wrong('C2', 'type_unknown', '/type', 'bot'),
  wrong('C2', 'dialect_legacy', '', [put('/type', 'provider')], { says: /integration/ }),
  wrong('C2', 'dialect_legacy', '', [put('/type', 'tool')], { says: /Tool packages/ }),
  wrong('--', 'dialect_legacy', '', { type: 'agent', displayName: 'B', schemaVersion: '1.1' }),
  wrong('--', 'dialect_legacy', '', [put('/$schema', 'https://x.dev/schema/v1/agent.json')]),
  ...['CSV', '@you', 'you/x', '@You/x', '@you/x_y', '@you/-x', '@you/x-', '@you/x/y'].map((name) =>
    wrong('C3', 'field_value', '/name', name),
  ),
  ...['banana', '1.0', '01.0.0', '=1.0.0', 'latest', ''].map((version) =>
    wrong('C4', 'field_value', '/version', version),
  ),
  wrong('--', 'version_unclean', '/version', ' v1.2.0'),
  missing('C5', '/name'),
  missing('C5', '/version'),
  ...['2', '2.0.0', 'v2.0', '02.0', 0.1, null].map((version) =>
    wrong('C6', 'schema_version_malformed', '/schema_version', version),
  ),
  wrong('C6', 'schema_version_unsupported', '/schema_version', '3.0'),
  wrong('C6', 'dialect_legacy', '', [put('/schema_version', '1.0')]),
  missing('C6', '/schema_version'),
  wrong('--', 'schema_version_newer', '/schema_version', '0.99'),
  wrong('C7', 'field_type', '/_meta', []),
  wrong('C7', 'field_type', '/_meta/a.b~1c', 'text'),
  ...['a b', 'one/x', 'A.b/c', 'mcp', 'mcp.dev/x', 'mcp/x', 'modelcontextprotocol/x', 'a.b/', '/x'].map(
    (key) => wrong('C7', 'key_invalid', `/_meta/${key.replaceAll('/', '~1')}`, {}),
  ),
  wrong('C8', 'author_missing', '/author', ''),
  wrong('C8', 'field_missing', '/author/name', [put('/author', { email: 'a@b' })]),
  wrong('C8', 'field_type', '/author', 5),
  wrong('C9', 'field_value', '/icons/0/size', [put('/icons', [{ src: 'a.png', size: '64' }])]),
  wrong('C9', 'field_value', '/icons/0/theme', [put('/icons', [{ src: 'a.png', theme: 'sepia' }])]),
  wrong('C9', 'field_value', '/compatibility/platforms/1', [
    put('/compatibility', { platforms: ['linux', 'beos'] }),
  ]),
  wrong('C10', 'field_type', '/keywords', 'csv'),
  wrong('C10', 'field_type', '/description', null),
  wrong('C10', 'field_missing', '/repository/url', [put('/repository', { type: 'git' })]),
  wrong('C11', 'key_invalid', '/dependencies/skills/charts', '*'),
  wrong('C11', 'field_value', mail, 'latest'),
  wrong('C11', 'field_type', mail, { version: '^1' }),
  missing('C11', `${mail}/version`, older),
  wrong('C11', 'field_value', `${mail}/version`, 'newest', { of: older }),
  wrong('C12', 'dependency_self', '/dependencies/skills/@you~1csv-report', '*'),
  wrong(
    'C14',
    'dependency_kind_retired',
    '/dependencies/tools',
    { '@you/log': '*' },
    { says: /runtime_tools/ },
  ),
  wrong(
    'C14',
    'dependency_kind_retired',
    '/dependencies/providers',
    { '@you/gmail': '*' },
    { says: /integrations/ },
  ),
  wrong('--', 'field_spelling', '/displayName', 'Other'),
  wrong('--', 'field_spelling', '/iconUrl', 'https://x.dev/i.png'),

  missing('A1', '/display_name'),
  wrong('A1', 'field_value', '/display_name', ''),
  wrong('A2', 'author_missing', '/author', [drop('/author')]),
  wrong('A3', 'field_value', '/timeout', 0),
  wrong('A3', 'field_value', '/timeout', -5),
  wrong('A3', 'field_type', '/timeout', '5 minutes'),
  wrong('--', 'timeout_above_ceiling', '/timeout', 3600),
  ...['/input', '/output'].flatMap((place) => [
    wrong('A4', 'field_missing', `${place}/schema`, [put(place, {})]),
    wrong('A4', 'wrapper_bare', place, { type: 'object', properties: {} }),
    wrong('A4', 'field_type', `${place}/schema`, []),
    wrong('A4', 'field_value', `${place}/schema/type`, 'array'),
    missing('A4', `${place}/schema/properties`),
  ]),
  wrong('A4', 'schema_file_type', `${title}/type`, 'file', { says: /contentMediaType/ }),
  wrong('A4', 'schema_invalid', `${title}/type`, 'text', { says: /string/ }),
  wrong('A4', 'schema_invalid', '/output/schema/required', 'rows'),
  wrong('A4', 'schema_invalid', `${title}/pattern`, '('),
  wrong('A4', 'schema_invalid', `${title}/$ref`, 'https://evil.example/schema.json', {
    says: /nothing is fetched/,
  }),
  wrong('A4', 'schema_invalid', `${title}/$ref`, '#/$defs/title'),
  wrong('A4', 'schema_invalid', '/input/schema', [put(`${title}/enum`, [])]),
  wrong('--', 'wrapper_unknown_field', '/input/fileConstraints', {}, { says: /file_constraints/ }),
  wrong('--', 'wrapper_unknown_field', '/output/note', 'x'),
  wrong('--', 'file_constraint_orphan', '/input/file_constraints/title', {}),
  wrong('--', 'config_ignored', '/config', { schema: { type: 'object', properties: {} } }),
  wrong('A5', 'field_value', '/input/file_constraints/table/max_size', 0),
  wrong('A7', 'field_value', `${choice}/auth_key`, 'Main'),
  wrong('A8', 'configuration_orphan', '/integrations_configuration/@you~1drive', {}),
  wrong('--', 'configuration_unknown_field', `${choice}/connection_id`, 'x'),
  wrong('C10', 'field_type', `${choice}/tools/1`, [put(`${choice}/tools/-`, 5)]),
  wrong('A9', 'runtime_tool_unknown', '/runtime_tools/1', 'report', { says: /outputs\/report\.md/ }),
  wrong('A9', 'runtime_tool_unknown', '/runtime_tools/1', '@appstrate/add-memory', { says: /"note"/ }),
  wrong('A9', 'runtime_tool_unknown', '/runtime_tools/1', 'run_history', { says: /choose one of output/ }),
  wrong('A9', 'runtime_tool_unknown', '/runtime_tools/1', 'constructor', { says: /choose one of output/ }),
  wrong('A9', 'field_type', '/runtime_tools/0', 1),
  ...['note', 'pin', 'publish_file', 'publish_document'].map((id) =>
    wrong('--', 'runtime_tool_not_served', '/runtime_tools/2', [put('/runtime_tools/-', id)], {
      says: /yet/,
    }),
  ),
  wrong('--', 'runtime_tool_repeated', '/runtime_tools/2', [put('/runtime_tools/-', 'log')]),
  wrong('A10', 'output_tool_missing', '/runtime_tools', ['log']),
  wrong('A10', 'output_tool_missing', '/runtime_tools', [drop('/runtime_tools')]),
  wrong('A11', 'field_unknown', `${resources}/disk_gb`, 1),
  wrong('A11', 'field_value', resources, {}),
  wrong('A11', 'field_value', `${resources}/memory_mb`, 0),
  wrong('--', 'examples_invalid', `${examples}/files/title`, ['examples/a.csv']),
  wrong('--', 'examples_invalid', `${examples}/files/table`, 'examples/a.csv'),
];

function find(test: Case, text: string = test.text): Finding | undefined {
  const { findings } = validateManifest(text, author);
  return findings.find((finding) => finding.code === test.code && finding.pointer === test.pointer);
}

function agentIn(text: string, options = author): AgentManifest | undefined {
  const { manifest } = validateManifest(text, options);
  return manifest?.type === 'agent' ? manifest : undefined;
}

function errorCount(text: string): number {
  return validateManifest(text, author).findings.filter(({ severity }) => severity === 'error').length;
}

describe('checking a manifest', () => {
  it.each([
    ['0.x', agent],
    ['2.x', older],
  ])('finds nothing in a good agent of %s', (dialect, text) => {
    const { findings, manifest } = validateManifest(text, author);
    expect(findings).toEqual([]);
    expect(manifest?.dialect).toBe(dialect);
  });

  it.each(cases.map((test) => [test.row, test.code, test.pointer, test] as const))(
    '%s %s at %s',
    (_row, code, _at, test) => {
      const finding = find(test);
      expect(validateManifest(test.text, author).findings).toContainEqual(
        expect.objectContaining({ code, pointer: test.pointer }),
      );
      const { severity, blocks } = RULES[code as keyof typeof RULES];
      expect(finding).toMatchObject({ severity, blocks });
      expect(finding?.message).toMatch(test.message);
    },
  );

  it('mends what a fix says it mends, and breaks nothing else', () => {
    const fixable = cases.filter((test) => find(test)?.fix !== undefined);
    for (const test of fixable) {
      const after = editJson(test.text, find(test)?.fix?.edits ?? []);
      expect({ ...test, after: find(test, after) }).toEqual({ ...test, after: undefined });
      expect(errorCount(after)).toBeLessThanOrEqual(errorCount(test.text));
    }
    expect(fixable.length).toBeGreaterThan(20);
  });

  it('keeps what it does not know and does not complain of it', () => {
    const text = editJson(agent, [
      put('/$schema', 'https://schemas.afps.dev/v0/agent.schema.json'),
      put('/_meta/vendor.example~1thing', { any: 1 }),
      put(`${title}/x-widget`, 'area'),
      put(`${title}/format`, 'color'),
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
    const both = editJson(older, [put(choice, { tools: ['x'], scopes: ['lost'] })]);
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
    const [finding] = validateManifest(editJson(agent, [put(`${title}/type`, 'text')]), author).findings;
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
        fc.constantFrom(agent, older),
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

describe('checking a package', () => {
  const files = (texts: Record<string, string>): PackageFiles => ({
    text: (path) => texts[path],
    has: (path) => path in texts,
  });

  it.each([
    ['A6', 'prompt_missing', {}],
    ['A6', 'prompt_blank', { 'prompt.md': ' \n\t\n' }],
  ])('%s %s', (_, code, texts) => {
    const report = validatePackage(agent, files(texts), author);
    expect(report.findings).toMatchObject([{ code, file: 'prompt.md', line: 1, column: 1, blocks: 'use' }]);
    expect(report.manifest).toBeUndefined();
  });

  it('takes an agent with a prompt, whatever braces it has', () => {
    const report = validatePackage(agent, files({ 'prompt.md': 'Do {{#it}}' }), author);
    expect(report.findings).toEqual([]);
    expect(report.manifest?.name).toBe('@you/csv-report');
  });
});
