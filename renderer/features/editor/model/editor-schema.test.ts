import { expect, test } from 'vitest';
import { PACKAGE_TYPES } from '#shared/manifest/dialect.ts';
import { findSchemaFaults } from '#renderer/schema/schema-faults.ts';
import { testLibrary } from '../test-support/library.ts';
import { editorSchema } from './editor-schema.ts';
import { FIELD_MEANINGS } from './field-meanings.ts';

const schema = editorSchema('agent', '0.x', testLibrary);

/** Values that complete the place of a document: those its schema lists there. */
function suggestionsAt(path: readonly string[]): unknown[] {
  let current: unknown = schema;
  for (const step of path) {
    const { properties, items, anyOf } = current as Record<string, unknown>;
    const list = (anyOf as unknown[] | undefined)?.find((branch) => (branch as { items?: unknown }).items);
    current =
      step === '[]'
        ? (items ?? (list as { items: unknown }).items)
        : (properties as Record<string, unknown>)[step];
  }
  return (current as { enum: unknown[] }).enum;
}

test('names, versions, tools, scopes and keys come from the library', () => {
  expect(suggestionsAt(['dependencies', 'integrations', '@acme/mail'])).toContain('^1.4.0');
  expect(suggestionsAt(['dependencies', 'skills', '@acme/csv'])).toContain('1.2.0');
  const choice = ['integrations_configuration', '@acme/code'];
  expect(suggestionsAt([...choice, 'tools', '[]'])).toEqual([
    'list_issues',
    'issue_write',
    'remove_member',
    'Search-Code',
    'close_issue',
  ]);
  expect(suggestionsAt([...choice, 'scopes', '[]'])).toContain('admin:org');
  expect(suggestionsAt([...choice, 'auth_key'])).toEqual(['oauth', 'pat']);
  expect(suggestionsAt(['runtime_tools', '[]'])).toContain('output');
});

test('the same library twice gives the same schema, whose base is left alone', () => {
  expect(editorSchema('agent', '0.x', testLibrary)).toEqual(schema);
  const bare = JSON.stringify(editorSchema('agent', '0.x', { packages: [] }));
  expect(bare).not.toContain('@acme/mail');
});

test('a good agent is good by the schema that completes it', () => {
  const agent = {
    type: 'agent',
    name: '@you/agent',
    version: '1.0.0',
    schema_version: '0.2',
    display_name: 'Agent',
    dependencies: { integrations: { '@acme/code': '^2.1.0' } },
    integrations_configuration: { '@acme/code': { tools: '*', auth_key: 'pat' } },
    runtime_tools: ['log'],
  };
  expect(findSchemaFaults(schema, agent)).toEqual([]);
});

test('each meaning is about a field there is', () => {
  const texts = PACKAGE_TYPES.flatMap((type) =>
    (['0.x', '2.x'] as const).map((dialect) => JSON.stringify(editorSchema(type, dialect, { packages: [] }))),
  ).join('');
  const lost = Object.entries(FIELD_MEANINGS).filter(
    ([, meaning]) => !texts.includes(JSON.stringify(meaning).slice(1, -1)),
  );
  expect(lost.map(([path]) => path)).toEqual([]);
});
