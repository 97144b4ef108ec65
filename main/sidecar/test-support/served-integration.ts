import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { BoundConnection, RunIntegration, RunServer } from '#shared/protocol/integrations.ts';
import { DEFAULT_SIDECAR_LIMITS } from '#shared/tools/sidecar-limits.ts';
import { TokenBudget } from '#shared/tools/token-budget.ts';
import { Credentials } from '../calls/credentials.ts';
import type { IntegrationServer } from '../mcp-servers/integration-server.ts';
import { openServer } from '../mcp-servers/open-server.ts';
import { LocalServerRelay } from '../mcp-servers/relayed-transport.ts';
import { dialDirectly } from '../network/connector.ts';
import { CheckedHttpClient } from '../network/http-client.ts';
import { ResourceStore, type StoredResource } from '../spill/resource-store.ts';
import { Spiller } from '../spill/spiller.ts';
import { AUTH, FakeMain, PUBLIC_ADDRESS } from './services.ts';

/** The name by which tests reach this computer. */
export const HOST = 'mcp.example.com';

export interface ServeOptions {
  readonly port: number;
  readonly transport?: 'streamable-http' | 'sse';
  readonly tools?: RunServer['tools'];
  readonly hidden?: readonly string[];
  readonly connections?: readonly BoundConnection[];
  readonly apis?: RunIntegration['apis'];
  readonly main?: FakeMain;
  readonly url?: string;
  readonly internalHosts?: readonly string[];
  readonly callMs?: number;
  readonly seesImages?: boolean;
  readonly canRefresh?: boolean;
}

export interface Served extends AsyncDisposable {
  readonly main: FakeMain;
  readonly store: ResourceStore;
  readonly integration: IntegrationServer;
  readonly names: string[];
  call(
    name: string,
    input?: object,
    options?: { signal?: AbortSignal; meta?: object },
  ): Promise<CallToolResult>;
  /** What a result's first link leads to. */
  stored(result: CallToolResult): StoredResource;
}

/** The tools of a server on the internet, as the sidecar has them; the internet is this computer. */
export async function serve(options: ServeOptions, signal = new AbortController().signal): Promise<Served> {
  const main = options.main ?? new FakeMain();
  const store = new ResourceStore('run-1');
  const limits = { ...DEFAULT_SIDECAR_LIMITS, serverCallMs: options.callMs ?? 10_000 };
  const budget = new TokenBudget({
    inlineCapTokens: limits.inlineToolOutputTokens,
    runBudgetTokens: limits.runToolOutputBudgetTokens,
  });
  await using stack = new AsyncDisposableStack();
  const http = stack.use(
    new CheckedHttpClient({
      resolve: async () => [PUBLIC_ADDRESS],
      dial: (address, port, within, host) =>
        dialDirectly(address === PUBLIC_ADDRESS ? '127.0.0.1' : address, port, within, host),
      certificateAuthorities: [],
    }),
  );
  const credentials = stack.use(new Credentials(main));
  const { delivery } = AUTH;
  const integration = stack.use(
    await openServer(
      {
        id: '@acme/tracker',
        displayName: 'Tracker',
        namespace: 'acme_tracker',
        apis: options.apis ?? [],
        connections: [...(options.connections ?? [{ id: 'c1', authKey: 'oauth', label: 'Work' }])],
        server: {
          source: {
            kind: 'remote',
            url: options.url ?? `http://${HOST}:${options.port}/mcp`,
            transport: options.transport ?? 'streamable-http',
            auths: { oauth: { ...(delivery && { delivery }), canRefresh: options.canRefresh ?? true } },
          },
          tools: options.tools ?? '*',
          hidden: [...(options.hidden ?? [])],
        },
      },
      {
        http,
        credentials,
        limits,
        spiller: new Spiller(store, budget),
        onOutboundCall: (call) => void main.notify('outboundCall', { call }),
        main,
        relay: new LocalServerRelay(main),
        internalHosts: options.internalHosts ?? [HOST],
        seesImages: options.seesImages ?? true,
      },
      signal,
    ),
  );
  const owned = stack.move();
  return {
    main,
    store,
    integration,
    names: integration.tools.map(({ definition }) => definition.name),
    async call(name, input = {}, { signal: abort = new AbortController().signal, meta } = {}) {
      const tool = integration.tools.find(({ definition }) => definition.name === name);
      if (tool === undefined) throw new Error(`Not offered: ${name}`);
      return tool.call(input, { signal: abort, ...(meta && { meta: { ...meta } }) });
    },
    stored(result) {
      const block = result.content.find(({ type }) => type === 'resource_link');
      const resource = block?.type === 'resource_link' ? store.find(block.uri) : undefined;
      if (resource === undefined) throw new Error(`Not stored: ${JSON.stringify(result).slice(0, 500)}`);
      return resource;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
