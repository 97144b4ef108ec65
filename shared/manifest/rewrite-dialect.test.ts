import { describe, expect, it } from 'vitest';
import { agent, older } from '#test/support/manifest-cases/agent.ts';
import { integration, olderIntegration, remote } from '#test/support/manifest-cases/integration.ts';
import { mcpServer, skill } from '#test/support/manifest-cases/others.ts';
import { rewriteDialect } from './rewrite-dialect.ts';
import { validateManifest, type PackageManifest } from './validate.ts';

function modelOf(value: unknown): Omit<PackageManifest, 'dialect'> {
  const { manifest, findings } = validateManifest(JSON.stringify(value), { direction: 'author' });
  if (manifest === undefined) throw new Error(JSON.stringify(findings));
  const { dialect: _, ...model } = manifest;
  return model;
}

function parsed(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

describe('writing a manifest in the other dialect', () => {
  it.each([
    ['an agent', agent],
    ['a remote integration', remote],
    ['a skill', skill],
    ['an MCP server', mcpServer],
  ])('keeps the meaning of %s, there and back', (_, text) => {
    const there = rewriteDialect(parsed(text), '2.x');
    expect(there.manifest['schema_version']).toBe('2.0');
    expect(modelOf(there.manifest)).toEqual(modelOf(parsed(text)));
    expect(modelOf(rewriteDialect(there.manifest, '0.x').manifest)).toEqual(modelOf(parsed(text)));
  });

  it('opens the API to every method of an integration there, and only to the same ones again back here', () => {
    const { manifest, notes } = rewriteDialect(parsed(integration), '2.x');
    expect(notes).toEqual([expect.stringContaining('every method')]);
    const there = modelOf(manifest);
    const here = modelOf(parsed(integration));
    expect(there).toEqual({ ...here, apiAuths: { oauth: ['tus'], login: ['tus'], files: ['tus'] } });
    expect(modelOf(rewriteDialect(manifest, '0.x').manifest)).toEqual(here);
  });

  it.each([
    ['an agent', older],
    ['an integration', olderIntegration],
  ])('brings %s of 2.x to 0.x with its meaning', (_, text) => {
    const { manifest, notes } = rewriteDialect(parsed(text), '0.x');
    expect(manifest['schema_version']).toBe('0.2');
    expect(modelOf(manifest)).toEqual(modelOf(parsed(text)));
    expect(notes).toEqual([]);
  });

  it('leaves a manifest alone that is of the dialect, and keeps what nobody knows', () => {
    const value = {
      ...parsed(agent),
      'x-own': [1],
      $schema: 'https://schemas.afps.dev/v0/agent.schema.json',
    };
    expect(rewriteDialect(value, '0.x').manifest).toEqual(value);
    expect(rewriteDialect(value, '2.x').manifest).toMatchObject({
      'x-own': [1],
      $schema: 'https://afps.appstrate.dev/packages/schema/v2/agent.schema.json',
    });
  });

  it('says what the other dialect cannot', () => {
    const base = parsed(remote);
    const auths = base['auths'] as Record<string, unknown>;
    const [first, auth] = Object.entries(auths)[0] ?? ['', {}];
    const two = {
      ...base,
      auths: { [first]: auth, other: auth },
      source: { kind: 'none' },
      tools_policy: { go: { required_scopes: { [first]: ['a'], other: ['b'] } } },
      _meta: { 'dev.appstrate/api': { auths: { [first]: {} } } },
    };
    const { manifest, notes } = rewriteDialect(two, '2.x');
    expect(manifest).toMatchObject({ tools_policy: { go: { required_scopes: ['a', 'b'] } } });
    expect(notes).toEqual([expect.stringContaining('every method'), expect.stringContaining('"go"')]);
  });
});
