import { describe, expect, it } from 'vitest';
import { validateManifest } from '../manifest/validate.ts';
import { NOWHERE, trialManifest, type TriedServer } from './trial-manifest.ts';

const remote: TriedServer = {
  name: '@you/tracker',
  displayName: 'Tracker',
  source: {
    kind: 'remote',
    url: 'https://mcp.example.com/v1/mcp',
    transport: 'streamable-http',
    header: 'X-Key',
    prefix: '',
  },
};

function findingsOf(manifest: Record<string, unknown>) {
  const { manifest: read, findings } = validateManifest(JSON.stringify(manifest), { direction: 'author' });
  return { read, codes: findings.map(({ code, severity }) => `${severity} ${code}`) };
}

describe('the manifest of a server that was tried', () => {
  it('has no error in any way of being let in, with the tools as a catalogue', () => {
    for (const methods of [['oauth', 'key', 'open'], ['oauth'], ['key'], ['open']] as const) {
      const { read, codes } = findingsOf(trialManifest(remote, methods, ['find', 'delete']));
      expect(codes.filter((code) => code.startsWith('error'))).toEqual([]);
      if (read?.type !== 'integration') throw new Error('It is no integration.');
      expect(Object.keys(read.auths)).toEqual(methods);
      expect(Object.keys(read.toolScopes)).toEqual(['find', 'delete']);
      expect(read.source).toEqual({
        kind: 'remote',
        url: 'https://mcp.example.com/v1/mcp',
        transport: 'streamable-http',
      });
    }
  });

  it('lets a credential go to the server’s own origin alone', () => {
    const { read } = findingsOf(trialManifest(remote, ['key']));
    if (read?.type !== 'integration') throw new Error('It is no integration.');
    expect(read.auths['key']?.authorizedUris).toEqual(['https://mcp.example.com/**']);
    expect(read.auths['key']?.delivery.http).toEqual({
      in: 'header',
      name: 'X-Key',
      value: '{$credential.api_key}',
    });
  });

  it('of a local server takes any later version that fits, and no way out unless one is named', () => {
    const source = { kind: 'local', server: { name: '@you/files', version: '1.2.0' } } as const;
    for (const authorizedUris of [[], ['https://api.example.com/**']]) {
      const manifest = trialManifest({ ...remote, source: { ...source, authorizedUris } }, ['open']);
      const { read, codes } = findingsOf(manifest);
      expect(codes.filter((code) => code.startsWith('error'))).toEqual([]);
      if (read?.type !== 'integration') throw new Error('It is no integration.');
      expect(read.source).toEqual({ kind: 'local', server: { name: '@you/files', version: '^1.2.0' } });
      expect(read.auths['open']?.authorizedUris).toEqual(
        authorizedUris.length > 0 ? authorizedUris : [NOWHERE],
      );
    }
  });
});
