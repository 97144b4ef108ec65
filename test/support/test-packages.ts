import { Readable } from 'node:stream';
import type { GivenImport } from '#main/library/index.ts';

export type Files = Map<string, Buffer>;

/** Files of a package from texts; an object becomes JSON. */
export function filesOf(contents: Readonly<Record<string, unknown>>): Files {
  const entries = Object.entries(contents).map(([path, content]): [string, Buffer] => [
    path,
    content instanceof Uint8Array
      ? Buffer.from(content)
      : Buffer.from(typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`),
  ]);
  return new Map(entries);
}

const head = { version: '1.0.0', schema_version: '0.2', author: 'Ada' };

export function agentFiles(name: string, more: Readonly<Record<string, unknown>> = {}): Files {
  return filesOf({
    'manifest.json': { name, ...head, type: 'agent', display_name: 'Agent', ...more },
    'prompt.md': 'Do it.',
  });
}

export function skillFiles(name: string, more: Readonly<Record<string, unknown>> = {}): Files {
  return filesOf({
    'manifest.json': { name, ...head, type: 'skill', ...more },
    'SKILL.md': '---\nname: a-skill\ndescription: Says how.\n---\nDo so.\n',
  });
}

export function serverFiles(name: string, more: Readonly<Record<string, unknown>> = {}): Files {
  return filesOf({
    'manifest.json': {
      name,
      ...head,
      type: 'mcp-server',
      manifest_version: '0.3',
      server: {
        type: 'node',
        entry_point: 'server.js',
        mcp_config: { command: 'node', args: ['server.js'] },
      },
      tools: [{ name: 'look' }],
      ...more,
    },
    'server.js': 'serve();',
  });
}

export function integrationFiles(name: string, more: Readonly<Record<string, unknown>> = {}): Files {
  return filesOf({
    'manifest.json': {
      name,
      ...head,
      type: 'integration',
      source: { kind: 'none' },
      default_tools: ['api_call'],
      auths: {
        main: {
          type: 'oauth2',
          authorization_endpoint: 'https://login.mail.example/authorize',
          token_endpoint: 'https://login.mail.example/token',
          default_scopes: ['read'],
          scope_catalog: [
            { value: 'read', label: 'Read' },
            { value: 'send', label: 'Send' },
          ],
          authorized_uris: ['https://api.mail.example/**'],
          delivery: {
            http: {
              in: 'header',
              name: 'Authorization',
              prefix: 'Bearer',
              value: '{$credential.access_token}',
            },
          },
        },
      },
      _meta: { 'dev.appstrate/api': { auths: { main: {} } } },
      ...more,
    },
  });
}

/** Files as they are dropped on the app. */
export function dropped(files: Readonly<Record<string, Buffer>> | ReadonlyMap<string, Buffer>): GivenImport {
  const entries = files instanceof Map ? [...files] : Object.entries(files as Record<string, Buffer>);
  return {
    kind: 'files',
    files: entries.map(([path, bytes]: [string, Buffer]) => ({
      path,
      size: bytes.length,
      open: () => Promise.resolve(Readable.from([bytes])),
    })),
  };
}

/** An auth whose key goes in `X-Api-Key`, to the addresses that are named. */
export function keyAuth(...authorizedUris: readonly string[]): Readonly<Record<string, unknown>> {
  return {
    type: 'api_key',
    credentials: {
      schema: {
        type: 'object',
        properties: { api_key: { type: 'string', title: 'Key' } },
        required: ['api_key'],
      },
    },
    delivery: { http: { in: 'header', name: 'X-Api-Key', value: '{$credential.api_key}' } },
    authorized_uris: authorizedUris,
  };
}
