import { editJson } from '#shared/manifest/json-edit.ts';
import { drop, pretty, put, spoiling, type Case } from './case.ts';

export const agent = pretty({
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
});

export const older = editJson(agent, [
  put('/schema_version', '2.0'),
  put('/dependencies/integrations/@you~1mail', { version: '^1', scopes: ['a'], auth_key: 'b' }),
]);

const { wrong, missing } = spoiling(agent);

const mail = '/dependencies/integrations/@you~1mail';
const choice = '/integrations_configuration/@you~1mail';
const resources = '/_meta/dev.appstrate~1resources';
const examples = '/_meta/app.slipway~1examples';
const title = '/input/schema/properties/title';

export const agentCases: readonly Case[] = [
  wrong('C1', 'manifest_not_object', '', ['agent'], { says: /a list/ }),
  wrong('C2', 'type_unknown', '/type', [drop('/type')], { says: /"mcp-server"/ }),
  wrong('C2', 'type_unknown', '/type', 'bot'),
  wrong('C2', 'dialect_legacy', '', [put('/type', 'provider')], { says: /integration/ }),
  wrong('C2', 'dialect_legacy', '', [put('/type', 'tool')], { says: /Tool packages/ }),
  wrong('--', 'dialect_legacy', '', { type: 'agent', displayName: 'B', schemaVersion: '1.1' }),
  wrong('--', 'dialect_legacy', '', [put('/$schema', 'https://x.dev/schema/v1/agent.json')]),
  ...[
    'CSV',
    '@you',
    'you/x',
    '@You/x',
    '@you/x_y',
    '@you/-x',
    '@you/x-',
    '@you/x/y',
    `@you/${'x'.repeat(4096)}`,
  ].map((name) => wrong('C3', 'field_value', '/name', name)),
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
  wrong('--', 'runtime_tool_repeated', '/runtime_tools/2', [put('/runtime_tools/-', 'log')]),
  wrong('A10', 'output_tool_missing', '/runtime_tools', ['log']),
  wrong('A10', 'output_tool_missing', '/runtime_tools', [drop('/runtime_tools')]),
  wrong('A11', 'field_unknown', `${resources}/disk_gb`, 1),
  wrong('A11', 'field_value', resources, {}),
  wrong('A11', 'field_value', `${resources}/memory_mb`, 0),
  wrong('--', 'examples_invalid', `${examples}/files/title`, ['examples/a.csv']),
  wrong('--', 'examples_invalid', `${examples}/files/table`, 'examples/a.csv'),
];
