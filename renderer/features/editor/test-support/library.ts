import { validateManifest } from '#shared/manifest/validate.ts';
import type { EditorLibrary, LibraryPackage } from '../ports.ts';

/** A package made of a manifest that has no error. @throws Error otherwise */
export function packageFrom(value: Record<string, unknown>, versions?: readonly string[]): LibraryPackage {
  const { manifest, findings } = validateManifest(JSON.stringify(value), { direction: 'author' });
  if (manifest === undefined) throw new Error(findings.map(({ message }) => message).join(' '));
  const { name, type, displayName, description, version } = manifest;
  return { name, type, displayName, description, versions: versions ?? [version], manifest };
}

const bearer = {
  http: { in: 'header', name: 'Authorization', prefix: 'Bearer', value: '{$credential.access_token}' },
};

export const mail = packageFrom(
  {
    type: 'integration',
    schema_version: '0.2',
    name: '@acme/mail',
    version: '1.4.0',
    display_name: 'Acme Mail',
    description: 'Reads and sends mail.',
    source: { kind: 'none' },
    default_tools: ['api_call'],
    auths: {
      primary: {
        type: 'oauth2',
        authorization_endpoint: 'https://accounts.acme.example/authorize',
        token_endpoint: 'https://accounts.acme.example/token',
        default_scopes: ['openid', 'mail.read'],
        scope_catalog: [
          { value: 'openid', label: 'Identity' },
          { value: 'mail.read', label: 'Read mail' },
          { value: 'mail.send', label: 'Send mail', implies: ['mail.read'] },
          { value: 'mail.full', label: 'Full mailbox access', implies: ['mail.send'] },
        ],
        authorized_uris: ['https://mail.acme.example/**'],
        delivery: bearer,
      },
    },
    _meta: { 'dev.appstrate/api': { auths: { primary: { upload_protocols: ['tus'] } } } },
  },
  ['1.4.0', '1.3.2', '1.0.0'],
);

export const code = packageFrom(
  {
    type: 'integration',
    schema_version: '0.2',
    name: '@acme/code',
    version: '2.1.0',
    display_name: 'Acme Code',
    description: 'Issues, reviews and pipelines.',
    source: { kind: 'remote', remote: { url: 'https://mcp.code.example/mcp', transport: 'streamable-http' } },
    allow_undeclared_tools: true,
    default_tools: ['list_issues'],
    auths: {
      oauth: {
        type: 'oauth2',
        authorization_endpoint: 'https://code.example/authorize',
        token_endpoint: 'https://code.example/token',
        default_scopes: ['read:user'],
        scope_catalog: [
          { value: 'read:user', label: 'Read your profile' },
          { value: 'issues', label: 'Read and write issues' },
          { value: 'admin:org', label: 'Administer the organisation' },
        ],
        authorized_uris: ['https://mcp.code.example/**'],
        delivery: bearer,
      },
      pat: {
        type: 'api_key',
        credentials: {
          schema: {
            type: 'object',
            properties: { access_token: { type: 'string' } },
            required: ['access_token'],
          },
        },
        authorized_uris: ['https://mcp.code.example/**'],
        delivery: bearer,
      },
    },
    tools_policy: {
      list_issues: { required_scopes: { oauth: ['issues'] } },
      issue_write: { required_scopes: { oauth: ['issues'] } },
      remove_member: { required_scopes: { oauth: ['admin:org'] } },
      'Search-Code': {},
    },
  },
  ['2.1.0', '2.0.0', '1.9.0'],
);

export const notesServer = packageFrom({
  type: 'mcp-server',
  schema_version: '0.2',
  name: '@acme/notes-server',
  version: '1.0.0',
  display_name: 'Notes server',
  manifest_version: '0.3',
  server: { type: 'node', entry_point: 'index.js', mcp_config: { command: 'node', args: ['index.js'] } },
  tools: [
    { name: 'search_notes', description: 'Finds notes by their text.' },
    { name: 'add_note', description: 'Writes a note.' },
  ],
});

export const notes = packageFrom({
  type: 'integration',
  schema_version: '0.2',
  name: '@acme/notes',
  version: '1.0.0',
  display_name: 'Notes',
  description: 'Notes in a program of their own.',
  source: { kind: 'local', server: { name: '@acme/notes-server', version: '^1.0.0' } },
  auths: {
    key: {
      type: 'api_key',
      credentials: {
        schema: { type: 'object', properties: { token: { type: 'string' } }, required: ['token'] },
      },
      allow_all_uris: true,
      delivery: { env: { NOTES_TOKEN: { value: '{$credential.token}' } } },
    },
  },
});

export const csvSkill = packageFrom({
  type: 'skill',
  schema_version: '0.2',
  name: '@acme/csv',
  version: '1.2.0',
  display_name: 'CSV',
  description: 'How to read and clean tables.',
});

export const testLibrary: EditorLibrary = {
  packages: [mail, code, notes, notesServer, csvSkill],
  liveTools: {
    '@acme/code': [
      {
        name: 'list_issues',
        description: 'Lists the issues of a repository.',
        inputSchema: {
          type: 'object',
          properties: { repository: { type: 'string' } },
          required: ['repository'],
        },
      },
      { name: 'close_issue', description: 'Closes an issue.', inputSchema: { type: 'object' } },
    ],
  },
  connections: [
    {
      integration: '@acme/mail',
      authKey: 'primary',
      label: 'ada@acme.example',
      scopes: ['openid', 'mail.read'],
    },
  ],
};
