import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { HttpOutbound } from '#main/network/index.ts';
import { readIntegration } from '#shared/manifest/model/integration.ts';
import { AuthorizationServers } from './authorization-server.ts';

function method(defaultScopes: string[] | undefined) {
  const { auths } = readIntegration(
    {
      schema_version: '0.1',
      type: 'integration',
      name: '@test/remote',
      version: '1.0.0',
      source: { kind: 'remote', remote: { url: 'https://mcp.example.com', transport: 'sse' } },
      auths: {
        oauth: {
          type: 'oauth2',
          token_endpoint_auth_method: 'none',
          ...(defaultScopes && { default_scopes: defaultScopes }),
          delivery: {},
          authorized_uris: ['https://mcp.example.com/**'],
        },
      },
    },
    '0.x',
  );
  const { oauth } = auths;
  if (oauth === undefined) throw new Error('no method');
  return oauth;
}

it('asks for the scopes that a remote server names, where its integration names none', async () => {
  await using stack = new AsyncDisposableStack();
  const server = createServer((request, response) => {
    const { host } = request.headers;
    if (request.url === '/mcp') {
      const metadata = `http://${host}/elsewhere`;
      response.writeHead(401, {
        'www-authenticate': `Bearer resource_metadata="${metadata}", scope="issues:read issues:write"`,
      });
      response.end();
    } else {
      const document = {
        resource: `http://${host}/mcp`,
        authorization_servers: [`http://${host}/issuer`],
        scopes_supported: ['everything'],
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const outbound = stack.use(
    new HttpOutbound({
      network: () => ({ proxy: { mode: 'none', address: '', exceptions: '' }, extraCertificates: '' }),
      environment: {},
    }),
  );
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const source = { kind: 'remote', url: `${origin}/mcp`, transport: 'streamable-http' } as const;
  const servers = new AuthorizationServers(outbound);
  await expect(servers.locate(method(undefined), source)).resolves.toMatchObject({
    issuer: `${origin}/issuer`,
    resource: `${origin}/mcp`,
    defaultScopes: ['issues:read', 'issues:write'],
  });
  await expect(servers.locate(method(['issues:read']), source)).resolves.toMatchObject({
    defaultScopes: ['issues:read'],
  });
});
