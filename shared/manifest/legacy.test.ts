import { describe, expect, it } from 'vitest';
import { convertLegacy, type Conversion } from './legacy.ts';
import { validateManifest } from './validate.ts';

type Json = Record<string, unknown>;

function converted(manifest: Json): Extract<Conversion, { kind: 'converted' }> {
  const conversion = convertLegacy(manifest);
  if (conversion.kind === 'refused') throw new Error(conversion.reason);
  return conversion;
}

function errorsIn(manifest: unknown): string[] {
  const { findings } = validateManifest(JSON.stringify(manifest), { direction: 'author' });
  return findings
    .filter(({ severity, blocks }) => severity === 'error' && blocks === 'use')
    .map(({ message }) => message);
}

const head = { name: '@you/thing', version: '1.0.0', displayName: 'Thing', schemaVersion: '1.1' };

describe('converting a provider', () => {
  const oauth2 = {
    ...head,
    type: 'provider',
    iconUrl: 'thing',
    categories: ['a'],
    docsUrl: 'https://thing.example/docs',
    'x-own': { kept: true },
    unknown: 1,
    definition: {
      authMode: 'oauth2',
      oauth2: {
        authorizationUrl: 'https://thing.example/authorize',
        tokenUrl: 'https://thing.example/token',
        defaultScopes: ['read', 'offline'],
        scopeSeparator: ',',
        pkceEnabled: true,
        authorizationParams: { prompt: 'consent' },
      },
      availableScopes: [{ value: 'read', label: 'Read' }],
      authorizedUris: ['https://api.thing.example/*', 'https://files.thing.example/v1/**'],
      uploadProtocols: ['tus'],
    },
    setupGuide: { callbackUrlHint: 'Use {{callbackUrl}}', steps: [{ label: 'Make an app' }] },
  };

  it('keeps all of OAuth, writes out what silence meant, and tells what to look at', () => {
    const { manifest, notes } = converted(oauth2);
    expect(errorsIn(manifest)).toEqual([]);
    expect(manifest).toEqual({
      name: '@you/thing',
      version: '1.0.0',
      type: 'integration',
      schema_version: '0.2',
      display_name: 'Thing',
      icon: 'thing',
      keywords: ['a'],
      documentation: 'https://thing.example/docs',
      unknown: 1,
      source: { kind: 'none' },
      default_tools: ['api_call'],
      setup_guide: { steps: [{ label: 'Make an app' }] },
      auths: {
        primary: {
          type: 'oauth2',
          authorization_endpoint: 'https://thing.example/authorize',
          token_endpoint: 'https://thing.example/token',
          token_endpoint_auth_method: 'client_secret_post',
          default_scopes: ['read', 'offline'],
          authorization_params: { prompt: 'consent' },
          code_challenge_methods_supported: ['S256'],
          scope_catalog: [
            { value: 'read', label: 'Read' },
            { value: 'offline', label: 'offline' },
          ],
          authorized_uris: ['https://api.thing.example/**', 'https://files.thing.example/v1/**'],
          delivery: {
            http: {
              in: 'header',
              name: 'Authorization',
              prefix: 'Bearer',
              value: '{$credential.access_token}',
            },
          },
          callback_url_hint: 'Use {{callback_url}}',
          _meta: {
            'dev.appstrate/auth': { required: true },
            'dev.appstrate/oauth': { scope_separator: ',' },
          },
        },
      },
      _meta: {
        'x-own': { kept: true },
        'dev.appstrate/api': { auths: { primary: { upload_protocols: ['tus'] } } },
      },
    });
    expect(notes.join()).toMatch(/offline/);
  });

  const schema = { type: 'object', properties: { user: { type: 'string' }, key: { type: 'string' } } };
  const withKey = (definition: Json): Json => ({
    ...head,
    type: 'provider',
    definition: {
      credentials: { schema, fieldName: 'key' },
      authorizedUris: ['https://a.example/*'],
      ...definition,
    },
  });

  it.each([
    [
      'a header of its own',
      { authMode: 'api_key', credentialHeaderName: 'X-Key' },
      { http: { in: 'header', name: 'X-Key', value: '{$credential.key}' } },
    ],
    [
      'a transform',
      {
        authMode: 'custom',
        credentialHeaderPrefix: 'Basic',
        credentialTransform: { template: '{{user}}:{{ key }}', encoding: 'base64' },
      },
      {
        http: {
          in: 'header',
          name: 'Authorization',
          prefix: 'Basic',
          encoding: 'base64',
          value: '{$credential.user}:{$credential.key}',
        },
      },
    ],
    [
      'no header',
      { authMode: 'api_key' },
      {
        env: {
          USER: { value: '{$credential.user}', sensitive: true },
          KEY: { value: '{$credential.key}', sensitive: true },
        },
      },
    ],
  ])('delivers a key by %s', (_, definition, delivery) => {
    const { manifest } = converted(withKey(definition));
    expect(errorsIn(manifest)).toEqual([]);
    expect(manifest).toMatchObject({ auths: { primary: { delivery } } });
  });

  it('reads the oldest form, with OAuth directly in the definition', () => {
    const { manifest } = converted({
      ...head,
      type: 'provider',
      definition: {
        authorizationUrl: 'https://a.example/authorize',
        tokenUrl: 'https://a.example/token',
        pkceEnabled: false,
        credentialHeaderName: 'X-Token',
        authorizedUris: ['https://a.example/*'],
      },
    });
    expect(errorsIn(manifest)).toEqual([]);
    expect(manifest).toMatchObject({
      auths: { primary: { type: 'oauth2', code_challenge_methods_supported: [] } },
    });
  });

  it.each([
    ['OAuth 1', { type: 'provider', definition: { authMode: 'oauth1' } }, /OAuth 1/],
    ['nothing to sign in by', { type: 'provider' }, /does not say/],
    ['tool code', { type: 'tool', entrypoint: 'tool.ts' }, /Tool packages no longer exist/],
    ['a flow', { type: 'flow' }, /new package/],
  ])('is refused for %s, with the reason', (_, manifest, reason) => {
    expect(convertLegacy({ ...head, ...manifest })).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(reason),
    });
  });
});

describe('converting an agent and a skill', () => {
  it('renames fields at every depth and moves tools and providers to where they are now', () => {
    const { manifest, notes } = converted({
      ...head,
      type: 'agent',
      author: 'Ada',
      input: {
        schema: {
          type: 'object',
          properties: { f: { type: 'string', format: 'uri', contentMediaType: 'a/b' } },
        },
        fileConstraints: { f: { accept: '.csv', maxSize: 5 } },
        uiHints: { f: { placeholder: 'x' } },
        propertyOrder: ['f'],
      },
      dependencies: {
        skills: { '@you/s': '*' },
        providers: { '@you/mail': '^1' },
        tools: { '@appstrate/output': '*', '@appstrate/add-memory': '*', '@you/own': '1' },
      },
      providersConfiguration: { '@you/mail': { scopes: ['a'] }, '@you/gone': {} },
    });
    expect(errorsIn(manifest)).toEqual([]);
    expect(manifest).toEqual({
      name: '@you/thing',
      version: '1.0.0',
      type: 'agent',
      schema_version: '0.2',
      display_name: 'Thing',
      author: 'Ada',
      input: {
        schema: {
          type: 'object',
          properties: { f: { type: 'string', format: 'uri', contentMediaType: 'a/b' } },
        },
        file_constraints: { f: { accept: '.csv', max_size: 5 } },
        ui_hints: { f: { placeholder: 'x' } },
        property_order: ['f'],
      },
      dependencies: { skills: { '@you/s': '*' }, integrations: { '@you/mail': '^1' } },
      integrations_configuration: { '@you/mail': { scopes: ['a'] } },
      runtime_tools: ['output', 'note'],
    });
    expect(notes).toEqual([expect.stringContaining('"@you/own"')]);
  });

  it('only renames the fields of a skill', () => {
    const { manifest } = converted({ ...head, type: 'skill', description: 'x' });
    expect(manifest).toEqual({
      name: '@you/thing',
      version: '1.0.0',
      type: 'skill',
      schema_version: '0.2',
      display_name: 'Thing',
      description: 'x',
    });
  });
});
