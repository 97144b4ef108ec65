import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateManifest } from '#shared/manifest/validate.ts';
import { testAddress } from './address-test.ts';
import {
  AUTH_TYPES,
  chooseSource,
  DELIVERY_PRESETS,
  idleMembers,
  newAuth,
  presetDelivery,
  removeAuth,
  setToolScopes,
  type DeliveryPreset,
} from './integration-value.ts';
import { ManifestDocument, type ManifestEdits, type ManifestValue } from './manifest-document.ts';
import { renameAuth, renamePolicyTool } from './rename-field.ts';

const base = {
  type: 'integration',
  schema_version: '0.2',
  name: '@you/desk',
  version: '1.0.0',
  display_name: 'Desk',
  author: 'Ada',
  source: { kind: 'none' },
};

function edited(value: object, edits: (manifest: ManifestValue) => ManifestEdits): Record<string, unknown> {
  const document = new ManifestDocument(JSON.stringify(value));
  const reading = document.read();
  if (reading.state !== 'read') throw new Error('The manifest of the test is no JSON');
  expect(document.edit(edits(reading.value))).toBeUndefined();
  return JSON.parse(document.text.text) as Record<string, unknown>;
}

describe('a sign-in', () => {
  it.each(AUTH_TYPES)('of type %s begins as one that only lacks addresses', (type) => {
    const auth = { ...newAuth(type), ...(type === 'oauth2' && { issuer: 'https://a.example' }) };
    const text = JSON.stringify({
      ...base,
      auths: { main: { ...auth, authorized_uris: ['https://a.example/**'] } },
    });
    const { findings } = validateManifest(text, { direction: 'author' });
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it.each(
    Object.entries(DELIVERY_PRESETS).flatMap(([preset, { types }]) =>
      types.map((type) => [preset as DeliveryPreset, type] as const),
    ),
  )('delivered as %s fits the type %s', (preset, type) => {
    const auth = {
      type,
      issuer: 'https://a.example',
      authorized_uris: ['https://a.example/**'],
      delivery: {},
    };
    const value = edited({ ...base, auths: { main: auth } }, (manifest) =>
      presetDelivery(manifest, 'main', preset),
    );
    const { findings } = validateManifest(JSON.stringify(value), { direction: 'author' });
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('delivers what it already asks for, and asks for nothing else', () => {
    const credentials = { schema: { type: 'object', properties: { site: {}, secret: {} } } };
    const value = edited({ ...base, auths: { main: { type: 'custom', credentials } } }, (manifest) =>
      presetDelivery(manifest, 'main', 'basic'),
    );
    expect(value['auths']).toMatchObject({
      main: { credentials, delivery: { http: { value: '{$credential.site}:{$credential.secret}' } } },
    });
  });

  it('goes with all that names it, and nothing else goes', () => {
    const value = {
      ...base,
      auths: { a: { type: 'oauth2' }, b: { type: 'api_key' } },
      tools_policy: {
        one: { required_scopes: { a: ['x'], b: ['y'] } },
        two: { required_scopes: { a: ['x'] }, other: 1 },
        three: { required_auth_key: 'a' },
      },
      _meta: { 'dev.appstrate/api': { auths: { a: {} } }, own: 1 },
    };
    expect(edited(value, (manifest) => removeAuth(manifest, 'a'))).toEqual({
      ...base,
      auths: { b: { type: 'api_key' } },
      tools_policy: { one: { required_scopes: { b: ['y'] } }, two: { other: 1 }, three: {} },
      _meta: { own: 1 },
    });
  });

  it('is renamed everywhere at once, whatever the names are', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
    fc.assert(
      fc.property(name, name, (from, to) => {
        fc.pre(from !== to && from !== 'zz' && to !== 'zz');
        const made = (key: string) => ({
          auths: { [key]: { type: 'oauth2' }, zz: {} },
          tools_policy: { [key]: { required_scopes: { [key]: [key] }, required_auth_key: key } },
        });
        const renamed = renamePolicyTool(renameAuth(JSON.stringify(made(from)), from, to), from, to);
        const expected = made(to);
        expected.tools_policy[to]!.required_scopes = { [to]: [from] };
        expect(JSON.parse(renamed)).toEqual(expected);
      }),
    );
  });

  it('names what has no effect for its kind', () => {
    expect(idleMembers({ type: 'mtls', issuer: 'x', credentials: {}, connect: {}, own: 1 })).toEqual([
      'issuer',
      'connect',
    ]);
    expect(idleMembers({ type: 'oauth2', issuer: 'x', credentials: {} })).toEqual(['credentials']);
  });
});

describe('a source', () => {
  it('keeps what was said of another kind', () => {
    const remote = { url: 'https://mcp.example/mcp', transport: 'sse' };
    const value = edited({ ...base, source: { kind: 'remote', remote } }, (manifest) =>
      chooseSource(manifest, 'local'),
    );
    expect(value['source']).toEqual({ kind: 'local', remote, server: { name: '', version: '*' } });
    expect(edited(value, (manifest) => chooseSource(manifest, 'remote'))['source']).toMatchObject({ remote });
  });

  it.each([undefined, 'text', []])('takes the place of %j', (source) => {
    expect(edited({ ...base, source }, (manifest) => chooseSource(manifest, 'none'))['source']).toEqual({
      kind: 'none',
    });
  });
});

it('the scopes of a tool are written as the dialect has them', () => {
  const one = { ...base, tools_policy: { a: { x: 1 } } };
  expect(edited(one, (manifest) => setToolScopes(manifest, 'a', 'k', ['s']))['tools_policy']).toEqual({
    a: { x: 1, required_scopes: { k: ['s'] } },
  });
  const two = { ...one, schema_version: '2.0' };
  expect(edited(two, (manifest) => setToolScopes(manifest, 'a', 'k', ['s']))['tools_policy']).toEqual({
    a: { x: 1, required_scopes: ['s'] },
  });
  const back = edited(one, (manifest) => setToolScopes(manifest, 'a', 'k', ['s']));
  expect(edited(back, (manifest) => setToolScopes(manifest, 'a', 'k', []))).toEqual(one);
});

describe('an address that is tried', () => {
  it.each([
    ['https://api.x.example/v1', ['https://api.x.example/**'], false, true],
    ['https://api.x.example/v1', ['https://api.x.example/*/y'], false, false],
    ['https://api.x.example/v1', [], true, true],
    ['http://127.0.0.1/', [], true, false],
    ['http://127.0.0.1/', ['http://127.0.0.1/**'], false, true],
    ['https://user@x.example/', [], true, false],
  ])('%s with %j, any %j: %j', (address, patterns, allowsAll, isAllowed) => {
    expect(testAddress(address, patterns, allowsAll).isAllowed).toBe(isAllowed);
  });

  it('is told that a secret may not be written out to a host of any domain', () => {
    expect(testAddress('https://a.example/x', ['https://**'], false).sentence).toContain('would be refused');
  });
});
