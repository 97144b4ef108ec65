import { editJson } from '#shared/manifest/json-edit.ts';
import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import type { McpServerManifest } from '#shared/manifest/model/mcp-server.ts';
import { validateManifest } from '#shared/manifest/validate.ts';
import { agent } from './agent.ts';
import { drop, pretty, put, spoiling, type Case } from './case.ts';
import { integration, local } from './integration.ts';

export const skill = pretty({ name: '@you/charts', version: '1.0.0', type: 'skill', schema_version: '0.2' });

export const skillText = '---\nname: charts\ndescription: >\n  How to draw\n  charts.\n---\n# Charts\n';

const aboutSkill = spoiling(skill);

function skillCase(row: string, code: Case['code'], text: string | undefined, says: RegExp): Case {
  const files: Record<string, string> = text === undefined ? {} : { 'SKILL.md': text };
  return aboutSkill.wrong(row, code, '', [put('/license', 'MIT')], { file: 'SKILL.md', files, says });
}

export const skillCases: readonly Case[] = [
  skillCase('S1', 'skill_file_missing', undefined, /no SKILL\.md/),
  skillCase('S2', 'skill_name_missing', '# Charts\n', /no name/),
  skillCase('S2', 'skill_name_missing', '---\ndescription: x\n---\n', /no name/),
  skillCase('S2', 'skill_name_missing', '---\nname: ""\n---\n', /no name/),
  skillCase('S2', 'skill_name_missing', '\n---\nname: charts\n---\n', /must begin/),
  skillCase('--', 'skill_frontmatter_invalid', '---\nname: charts\ndescription: a: b: c\n---\n', /not YAML/),
  skillCase('--', 'skill_advice', '---\nname: charts\n---\n', /description/),
  skillCase('--', 'skill_advice', '---\nname: My Charts\ndescription: x\n---\n', /lower-case/),
  skillCase('--', 'skill_advice', `---\nname: charts\ndescription: ${'x'.repeat(1025)}\n---\n`, /1024/),
  skillCase('--', 'skill_advice', `${skillText}${'line\n'.repeat(500)}`, /500 lines/),
];

export const mcpServer = pretty({
  name: '@you/mail-server',
  version: '1.0.0',
  type: 'mcp-server',
  schema_version: '0.2',
  manifest_version: '0.4',
  server: {
    type: 'node',
    entry_point: 'server/index.js',
    mcp_config: { command: 'node', args: ['server/index.js'], env: { TOKEN: '${user_config.token}' } },
  },
  tools: [{ name: 'inbox', description: 'Lists mails' }, { name: 'sign_in' }],
  user_config: { token: { type: 'string', title: 'Token', sensitive: true } },
  _meta: {
    'dev.appstrate/mcp-server': { runtime: 'bun' },
    'dev.appstrate/workspace': { mount: '/workspace', access: 'rw' },
  },
});

export const mcpServerFiles = { 'server/index.js': '' };

const server = spoiling(mcpServer);
const mount = '/_meta/dev.appstrate~1workspace/mount';

export const mcpServerCases: readonly Case[] = [
  server.missing('M1', '/manifest_version'),
  server.wrong('M1', 'field_value', '/manifest_version', '1'),
  server.missing('M2', '/server'),
  server.missing('M2', '/server/type'),
  server.wrong('M2', 'field_value', '/server/entry_point', ''),
  server.missing('M2', '/server/mcp_config'),
  server.wrong('M2', 'field_value', '/server/mcp_config/command', ''),
  server.wrong('M3', 'field_value', '/server/type', 'deno'),
  server.wrong('M4', 'manifest_version_old', '/manifest_version', [
    put('/server/type', 'uv'),
    put('/manifest_version', '0.3'),
    drop('/_meta'),
  ]),
  server.missing('M5', '/user_config/token/type'),
  server.wrong('M5', 'field_value', '/user_config/token/type', 'secret'),
  server.wrong('M5', 'user_config_title_missing', '/user_config/token/title', [
    drop('/user_config/token/title'),
  ]),
  server.missing('M6', '/tools/0/name'),
  server.wrong('M7', 'entry_point_missing', '/server/entry_point', 'index.js', { files: mcpServerFiles }),
  server.wrong('M8', 'runtime_mismatch', '/_meta/dev.appstrate~1mcp-server/runtime', 'python'),
  server.wrong('M8', 'field_value', '/_meta/dev.appstrate~1mcp-server/runtime', 'deno'),
  ...['workspace', '/', '/proc', '/proc/1', '/etc', '/a/../etc', '/a\n', ''].map((path) =>
    server.wrong('M9', 'workspace_mount_unsafe', mount, path),
  ),
  server.wrong('M9', 'field_value', '/_meta/dev.appstrate~1workspace/access', 'all'),
  server.wrong('--', 'user_config_unknown', '/server/mcp_config/env/TOKEN', '${user_config.tokn}'),
];

function read<Type extends 'integration' | 'mcp-server'>(text: string, type: Type) {
  const { manifest, findings } = validateManifest(text, { direction: 'author' });
  if (manifest?.type === type)
    return manifest as Extract<IntegrationManifest | McpServerManifest, { type: Type }>;
  throw new Error(`not a good ${type}: ${JSON.stringify(findings)}`);
}

/** A library that holds one integration and its server, in whatever version is asked for. */
function library(text: string) {
  return {
    integration: () => read(text, 'integration'),
    mcpServer: () => read(mcpServer, 'mcp-server'),
  };
}

const takesMail = spoiling(
  editJson(agent, [put('/integrations_configuration/@you~1mail', { tools: ['api_call__oauth', 'list'] })]),
);
const choice = '/integrations_configuration/@you~1mail';
const closed = editJson(integration, [drop('/allow_undeclared_tools')]);

export const selectionCases: readonly Case[] = [
  takesMail.wrong('A12', 'unknown_tool', `${choice}/tools/0`, 'api_call', { packages: library(integration) }),
  takesMail.wrong('A12', 'unknown_tool', `${choice}/tools/0`, 'inbox', { packages: library(integration) }),
  takesMail.wrong('A12', 'unknown_tool', `${choice}/tools/0`, 'drafts', { packages: library(local) }),
  takesMail.wrong('A12', 'unknown_tool', `${choice}/tools/0`, [put(`${choice}/tools`, ['sent', 'inbox'])], {
    packages: library(editJson(local, [drop('/allow_undeclared_tools')])),
    says: /inbox/,
  }),
  takesMail.wrong('A12', 'wildcard_not_authorized', `${choice}/tools`, '*', { packages: library(closed) }),
  takesMail.wrong('A12', 'no_tools_selected', `${choice}/tools`, [put(`${choice}/tools`, [])], {
    packages: library(integration),
  }),
  takesMail.wrong('A12', 'no_tools_selected', '/dependencies/integrations/@you~1mail', [drop(choice)], {
    packages: library(editJson(integration, [drop('/default_tools')])),
  }),
  takesMail.wrong('A12', 'no_tools_selected', `${choice}/tools`, ['drafts'], {
    packages: library(integration),
  }),
  takesMail.wrong(
    'A12',
    'scope_not_in_catalog',
    `${choice}/scopes/1`,
    [put(`${choice}/scopes`, ['send', 'admin'])],
    {
      packages: library(integration),
    },
  ),
];

export const goodSelections = [
  put(choice, { tools: ['list', 'api_upload__oauth'], scopes: ['send'] }),
  put(choice, {}),
].map((edit) => ({ text: editJson(agent, [edit]), packages: library(integration) }));

const prompt = spoiling(agent);

export const promptCases: readonly Case[] = [
  prompt.wrong('A6', 'prompt_missing', '', [put('/license', 'MIT')], { file: 'prompt.md', files: {} }),
  prompt.wrong('A6', 'prompt_blank', '', [put('/license', 'MIT')], {
    file: 'prompt.md',
    files: { 'prompt.md': ' \n\t\n' },
  }),
  prompt.wrong(
    '--',
    'examples_invalid',
    '/_meta/app.slipway~1examples/files/table/0',
    [put('/_meta/app.slipway~1examples', { files: { table: ['examples/gone.csv'] } })],
    { files: { 'prompt.md': 'Do it.' } },
  ),
];
