import { describe, expect, it } from 'vitest';
import type { PackageManifest } from '#shared/manifest/validate.ts';
import { neededPackages } from './needed-packages.ts';

const local = {
  type: 'integration',
  source: { kind: 'local', server: { name: '@a/server', version: '*', vendored: false } },
} as unknown as PackageManifest;

describe('the packages a manifest needs', () => {
  it('are those it names, each once, with the servers of its integrations once those are known', () => {
    const value = {
      dependencies: {
        skills: { '@a/skill': '^1.0.0', '@a/both': '*' },
        mcp_servers: { '@a/both': '*' },
        integrations: { '@a/mail': { version: '^1.0.0' } },
        tools: { '@a/retired': '*' },
      },
    };
    expect(neededPackages(value, () => undefined)).toEqual(['@a/both', '@a/mail', '@a/skill']);
    expect(neededPackages(value, (name) => (name === '@a/mail' ? local : undefined))).toEqual([
      '@a/both',
      '@a/mail',
      '@a/server',
      '@a/skill',
    ]);
  });

  it('are the server of a local integration that is being written', () => {
    const value = { source: { kind: 'local', server: { name: '@a/server', version: '*' } } };
    expect(neededPackages(value, () => undefined)).toEqual(['@a/server']);
  });

  it.each([undefined, null, 'x', [], { dependencies: [] }, { dependencies: { skills: 1 }, source: 'local' }])(
    'are none of %j',
    (value) => expect(neededPackages(value, () => undefined)).toEqual([]),
  );
});
