import { describe, expect, it } from 'vitest';
import { integration, local, olderIntegration, remote } from '#test/support/manifest-cases/integration.ts';
import { drop, put, type Edit } from '#test/support/manifest-cases/case.ts';
import { mcpServer } from '#test/support/manifest-cases/others.ts';
import { apiToolName, apiToolToken } from './api-tools.ts';
import { editJson } from './json-edit.ts';
import { catalogToolOf, toolCatalogOf } from './tool-catalog.ts';
import { validateManifest } from './validate.ts';

function read(text: string, ...edits: Edit[]) {
  const { manifest } = validateManifest(editJson(text, edits), { direction: 'stored' });
  if (manifest === undefined) throw new Error('not a good manifest');
  return manifest;
}

function integrationOf(text: string, ...edits: Edit[]) {
  const manifest = read(text, ...edits);
  if (manifest.type !== 'integration') throw new Error('not an integration');
  return manifest;
}

function server() {
  const manifest = read(mcpServer);
  if (manifest.type !== 'mcp-server') throw new Error('not a server');
  return manifest;
}

describe('the names of the API tools', () => {
  it('hold a key of up to 17 characters and the hash of a longer one, by FNV-1a', () => {
    expect(apiToolToken('a'.repeat(17))).toBe('a'.repeat(17));
    expect(apiToolToken('k_b48a51b9bb0e4c8d')).toBe('h0922efd5e04d0c61b');
    expect(apiToolName('api_call', 'oauth', ['oauth'])).toBe('api_call');
    expect(apiToolName('api_upload', 'oauth', ['oauth', 'pat'])).toBe('api_upload__oauth');
  });
});

describe('what an author may choose of an integration', () => {
  it('is the policy and the API of one without a server, but for what is hidden', () => {
    const { names } = toolCatalogOf(
      integrationOf(integration, put('/hidden_tools', ['send', 'api_call__login'])),
    );
    expect(names).toEqual(['list', 'api_call__oauth']);
  });

  it('is what the server lists for a local one, without its sign-in tool', () => {
    const manifest = integrationOf(
      local,
      put('/auths/login/connect', { tool: { name: 'sign_in' } }),
      drop('/_meta'),
    );
    expect(toolCatalogOf(manifest, server()).names).toEqual(['inbox']);
  });

  it('is open for a remote one that lists nothing', () => {
    const manifest = integrationOf(
      remote,
      drop('/tools_policy'),
      drop('/allow_undeclared_tools'),
      drop('/default_tools'),
    );
    const catalog = toolCatalogOf(manifest);
    expect(catalog.isOpen).toBe(true);
    expect(catalogToolOf('anything', catalog, manifest)).toBe('anything');
    expect(catalogToolOf('drafts', catalog, manifest)).toBeUndefined();
  });

  it('grants and hides the call and its upload as a pair, but hides an upload alone', () => {
    const manifest = integrationOf(integration);
    expect(catalogToolOf('api_upload__oauth', toolCatalogOf(manifest), manifest)).toBe('api_call__oauth');
    const uploadHidden = integrationOf(integration, put('/hidden_tools', ['api_upload__oauth']));
    const open = toolCatalogOf(uploadHidden);
    expect(catalogToolOf('api_call__oauth', open, uploadHidden)).toBe('api_call__oauth');
    const callHidden = integrationOf(integration, put('/hidden_tools', ['api_call__oauth']));
    expect(catalogToolOf('api_upload__oauth', toolCatalogOf(callHidden), callHidden)).toBeUndefined();
  });

  it('takes a long key by its name as older selections have it', () => {
    const key = 'k_b48a51b9bb0e4c8d';
    const auth = {
      type: 'basic',
      authorized_uris: ['https://a.b/**'],
      credentials: { schema: { type: 'object' } },
    };
    const delivery = { http: { in: 'header', name: 'A', value: 'x' } };
    const manifest = integrationOf(
      integration,
      put(`/auths/${key}`, { ...auth, delivery }),
      put(`/_meta/dev.appstrate~1api/auths/${key}`, {}),
    );
    const catalog = toolCatalogOf(manifest);
    expect(catalog.names).toContain('api_call__h0922efd5e04d0c61b');
    expect(catalogToolOf(`api_call__${key}`, catalog, manifest)).toBe('api_call__h0922efd5e04d0c61b');
  });
});

describe('the model of an integration', () => {
  it('is the same for both spellings', () => {
    const older = integrationOf(olderIntegration);
    expect(older.source).toEqual({ kind: 'none' });
    expect(older.apiAuths).toEqual({
      oauth: ['tus', 'own-protocol'],
      login: ['tus', 'own-protocol'],
      files: ['tus', 'own-protocol'],
    });
    expect(older.toolScopes).toEqual(integrationOf(integration).toolScopes);
    expect(older.auths['oauth']).toMatchObject({
      scopeSeparator: ',',
      required: true,
      tokenEndpointAuthMethod: 'client_secret_post',
      identityClaims: { accountId: '$.data.0.email' },
    });
  });

  it('reads a server with its runtime and workspace', () => {
    expect(server()).toMatchObject({
      runtime: 'bun',
      entryPoint: 'server/index.js',
      command: 'node',
      workspace: { mount: '/workspace', access: 'rw' },
      tools: [
        { name: 'inbox', description: 'Lists mails' },
        { name: 'sign_in', description: '' },
      ],
    });
  });
});
