import { Credentials } from '../calls/credentials.ts';
import { remoteTransports } from '../mcp-servers/remote-server.ts';
import { openToolServer } from '../mcp-servers/tool-server.ts';
import { dialDirectly, resolveWithSystem } from '../network/connector.ts';
import { CheckedHttpClient } from '../network/http-client.ts';
import { FakeMain } from './services.ts';

/** The sidecar's client as a program, for the conformance suite: lists the tools at an address and calls each. */

const url = process.argv.at(-1) ?? '';
await using http = new CheckedHttpClient({
  resolve: resolveWithSystem,
  dial: dialDirectly,
  certificateAuthorities: [],
});
const { hostname } = new URL(url);
const main = new FakeMain();
using credentials = new Credentials(main);
const { signal } = new AbortController();
await using server = await openToolServer(
  {
    name: 'The suite',
    openTransport: remoteTransports({
      integration: { id: '@test/suite', displayName: 'The suite', namespace: 'suite' },
      source: { kind: 'remote', url, transport: 'streamable-http', auths: {} },
      connection: { id: 'c1', authKey: 'none', label: 'None' },
      http,
      credentials,
      internalHosts: [hostname],
      exchangeMs: 30_000,
      onOutboundCall: () => undefined,
    }),
  },
  signal,
);
for (const { name, inputSchema } of server.tools) {
  const properties = Object.entries((inputSchema['properties'] ?? {}) as Record<string, { type?: string }>);
  const input = properties.map(([key, { type }]) => [key, type === 'number' ? 2 : 'text'] as const);
  const { isError } = await server.call(name, Object.fromEntries(input), { signal });
  if (isError === true) throw new Error(`${name} failed`);
}
