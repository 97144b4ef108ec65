import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpointCandidates } from './endpoint-candidates.ts';
import { parseHost, withoutCredentials, type EndpointEnvironment } from './endpoint.ts';

const TLS = { ca: 'CA', cert: 'CERT', key: 'KEY', skipVerify: false };

function environment(
  variables: Record<string, string> = {},
  files: Record<string, string> = {},
  platform: NodeJS.Platform = 'linux',
): EndpointEnvironment {
  return {
    platform,
    home: platform === 'win32' ? 'C:\\Users\\ada' : '/home/ada',
    variables,
    userId: platform === 'win32' ? undefined : 1234,
    readText: (path) => Promise.resolve(files[path]),
  };
}

describe('parseHost', () => {
  it.each([
    ['unix:///var/run/docker.sock', 'linux', { kind: 'socket', path: '/var/run/docker.sock' }],
    ['unix:///a b/socket', 'darwin', { kind: 'socket', path: '/a b/socket' }],
    ['tcp://10.0.0.1:2375', 'linux', { kind: 'tcp', host: '10.0.0.1', port: 2375, tls: undefined }],
    ['tcp://10.0.0.1', 'linux', { kind: 'tcp', host: '10.0.0.1', port: 2375, tls: undefined }],
    ['tcp://host:80', 'linux', { kind: 'tcp', host: 'host', port: 80, tls: undefined }],
    ['tcp://[::1]:2375', 'linux', { kind: 'tcp', host: '::1', port: 2375, tls: undefined }],
    ['http://host:1/', 'linux', { kind: 'tcp', host: 'host', port: 1, tls: undefined }],
    ['host:2375', 'linux', { kind: 'tcp', host: 'host', port: 2375, tls: undefined }],
    ['npipe:////./pipe/docker_engine', 'win32', { kind: 'socket', path: '//./pipe/docker_engine' }],
    ['npipe://', 'win32', { kind: 'socket', path: '//./pipe/docker_engine' }],
  ] as const)('reads %s on %s', (text, platform, expected) => {
    expect(parseHost(text, platform, undefined)).toEqual(expected);
  });

  it('takes the TLS port and material where there is material', () => {
    expect(parseHost('tcp://host', 'linux', TLS)).toEqual({
      kind: 'tcp',
      host: 'host',
      port: 2376,
      tls: TLS,
    });
    expect(parseHost('http://host', 'linux', TLS)).toMatchObject({ tls: undefined });
  });

  it.each([
    ['unix://', 'linux', /names no socket/],
    ['npipe:////./pipe/x', 'linux', /only on Windows/],
    ['ssh://ada:secret@box', 'linux', /ssh -nNT -L .* box"/],
    ['fd://', 'linux', /fd:\/\//],
    ['tcp://', 'linux', /not an address/],
    ['tcp://host:2375/prefix', 'linux', /path/],
    ['tcp://a b:1', 'linux', /not an address/],
  ] as const)('says why %s cannot be used', (text, platform, reason) => {
    const target = parseHost(text, platform, undefined);
    expect(target).toMatchObject({ kind: 'unusable' });
    expect('reason' in target && target.reason).toMatch(reason);
  });

  it('never throws and never shows a password', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom('tcp', 'ssh', 'http', 'https', 'unix', 'x'),
        (rest, scheme) => {
          const target = parseHost(`${scheme}://ada:hunter2@host${rest}`, 'linux', undefined);
          expect(target.kind === 'unusable' ? target.reason : '').not.toContain('hunter2');
          expect(withoutCredentials(`${scheme}://ada:hunter2@host${rest}`)).not.toContain('hunter2');
        },
      ),
    );
  });
});

describe('endpointCandidates', () => {
  const contextId = createHash('sha256').update('colima').digest('hex');
  const config = '/home/ada/.docker/config.json';
  const meta = `/home/ada/.docker/contexts/meta/${contextId}/meta.json`;
  const host = (value: unknown): string => JSON.stringify({ Name: 'colima', Endpoints: { docker: value } });

  it('puts DOCKER_HOST before the context, and both before known sockets', async () => {
    const found = await endpointCandidates(
      environment(
        { DOCKER_HOST: 'unix:///chosen.sock' },
        {
          [config]: JSON.stringify({ currentContext: 'colima' }),
          [meta]: host({ Host: 'unix:///colima.sock' }),
        },
      ),
    );
    expect(found.slice(0, 3).map(({ origin }) => origin)).toEqual([
      'DOCKER_HOST',
      'Docker context "colima"',
      "Docker's usual socket",
    ]);
  });

  it('names a socket once, under the origin that matters', async () => {
    const found = await endpointCandidates(environment({ DOCKER_HOST: 'unix:///var/run/docker.sock' }));
    const same = found.filter(
      ({ target }) => target.kind === 'socket' && target.path === '/var/run/docker.sock',
    );
    expect(same.map(({ origin }) => origin)).toEqual(['DOCKER_HOST']);
  });

  it('lets DOCKER_CONTEXT win over the settings file, and ignores the default context', async () => {
    const files = {
      [config]: JSON.stringify({ currentContext: 'other' }),
      [meta]: host({ Host: 'tcp://h:1' }),
    };
    const [first] = await endpointCandidates(environment({ DOCKER_CONTEXT: 'colima' }, files));
    expect(first).toMatchObject({ origin: 'Docker context "colima"', target: { kind: 'tcp', host: 'h' } });
    const [usual] = await endpointCandidates(environment({ DOCKER_CONTEXT: 'default' }, files));
    expect(usual?.origin).toBe("Docker's usual socket");
  });

  it("takes a context's own TLS material", async () => {
    const tls = `/home/ada/.docker/contexts/tls/${contextId}/docker`;
    const [first] = await endpointCandidates(
      environment(
        { DOCKER_CONTEXT: 'colima' },
        { [meta]: host({ Host: 'tcp://far:2376' }), [`${tls}/ca.pem`]: 'CA', [`${tls}/key.pem`]: 'KEY' },
      ),
    );
    expect(first?.target).toEqual({
      kind: 'tcp',
      host: 'far',
      port: 2376,
      tls: { ca: 'CA', cert: undefined, key: 'KEY', skipVerify: false },
    });
  });

  it("takes DOCKER_HOST's TLS material from DOCKER_CERT_PATH", async () => {
    const [first] = await endpointCandidates(
      environment(
        { DOCKER_HOST: 'tcp://far:2376', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/certs' },
        { '/certs/ca.pem': 'CA', '/certs/cert.pem': 'CERT', '/certs/key.pem': 'KEY' },
      ),
    );
    expect(first?.target).toMatchObject({ port: 2376, tls: TLS });
  });

  it('tells of a context that was removed, or whose file is damaged, instead of passing over it', async () => {
    for (const files of [{}, { [meta]: '{"Endpoints":' }, { [meta]: '{"Endpoints":{}}' }] as Record<
      string,
      string
    >[]) {
      const [first] = await endpointCandidates(environment({ DOCKER_CONTEXT: 'colima' }, files));
      expect(first).toMatchObject({ origin: 'Docker context "colima"', target: { kind: 'unusable' } });
    }
  });

  it("looks where each platform's products put their sockets", async () => {
    const paths = async (platform: NodeJS.Platform, variables = {}): Promise<string[]> =>
      (await endpointCandidates(environment(variables, {}, platform))).map(({ address }) => address);
    expect(await paths('linux')).toEqual(
      expect.arrayContaining([
        '/home/ada/.docker/desktop/docker.sock',
        '/run/user/1234/docker.sock',
        '/run/user/1234/podman/podman.sock',
      ]),
    );
    expect(await paths('linux', { XDG_RUNTIME_DIR: '/xdg' })).toContain('/xdg/podman/podman.sock');
    expect(await paths('darwin')).toEqual(
      expect.arrayContaining([
        '/home/ada/.docker/run/docker.sock',
        '/home/ada/.orbstack/run/docker.sock',
        '/home/ada/.colima/default/docker.sock',
        '/home/ada/.rd/docker.sock',
      ]),
    );
    expect(await paths('win32')).toContain('//./pipe/docker_engine');
    expect((await paths('win32')).every((path) => path.startsWith('//./pipe/'))).toBe(true);
  });
});
