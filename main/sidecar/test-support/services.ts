import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type {
  ApiAuth,
  CredentialsAnswer,
  OutboundCall,
  RunIntegration,
  SidecarLimits,
} from '#shared/protocol/integrations.ts';
import type { SidecarEvent } from '#shared/events/run-event.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';
import { reviewToolsRequest } from '#shared/protocol/integrations.ts';
import type { z } from 'zod';
import { DEFAULT_SIDECAR_LIMITS } from '#shared/tools/sidecar-limits.ts';
import { TokenBudget } from '#shared/tools/token-budget.ts';
import { ApiCallTool, type CallTimes } from '../calls/api-call-tool.ts';
import { Credentials } from '../calls/credentials.ts';
import { Limiter } from '../calls/limiter.ts';
import { dialDirectly } from '../network/connector.ts';
import { CheckedHttpClient } from '../network/http-client.ts';
import { ResourceStore, type StoredResource } from '../spill/resource-store.ts';
import { Spiller } from '../spill/spiller.ts';
import type { MainLink } from '../stdio.ts';
import { StagedBodies } from '../uploads/staged-bodies.ts';

/** A public address that every name of a test resolves to; it is dialled as this computer. */
export const PUBLIC_ADDRESS = '192.0.78.24';

/** A request as a test server got it. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly host: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface TestService extends AsyncDisposable {
  readonly port: number;
  readonly received: Received[];
}

/** A real HTTP server; `answer` is called when a request has come in whole. */
export async function startService(
  answer: (request: Received, response: ServerResponse) => void | Promise<void>,
): Promise<TestService> {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    const serve = async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const entry = {
        method: request.method ?? '',
        url: request.url ?? '',
        host: request.headers.host ?? '',
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        body: Buffer.concat(parts),
      };
      received.push(entry);
      await answer(entry, response);
    };
    serve().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Stands in for main: answers for credentials and keeps what it was told. */
export class FakeMain implements MainLink {
  readonly asked: { connectionId: string; reason: string }[] = [];
  readonly outbound: OutboundCall[] = [];
  readonly warnings: Problem[] = [];
  readonly events: SidecarEvent[] = [];
  readonly reviewed: z.infer<typeof reviewToolsRequest.input>[] = [];
  /** Tools that main withholds. */
  withheld: { connectionId: string; tool: string }[] = [];
  readonly #listeners = new Set<(payload: { connectionId: string }) => void>();
  /** Answers, or throws what main would. */
  answer: (connectionId: string, reason: 'initial' | 'refresh') => CredentialsAnswer = () => ({
    fields: { access_token: 'secret-token-1' },
    publicFields: [],
  });

  readonly notify: MainLink['notify'] = async (method, payload) => {
    if (method === 'outboundCall') this.outbound.push((payload as { call: OutboundCall }).call);
    if (method === 'warning') this.warnings.push((payload as { problem: Problem }).problem);
    if (method === 'event') this.events.push((payload as { event: SidecarEvent }).event);
  };

  readonly on: MainLink['on'] = (method, listener) => {
    const heard = listener as unknown as (payload: { connectionId: string }) => void;
    if (method === 'credentialsChanged') this.#listeners.add(heard);
    return () => this.#listeners.delete(heard);
  };

  readonly request = (async (method: string, input: unknown) => {
    if (method === 'reviewTools') {
      this.reviewed.push(reviewToolsRequest.input.parse(input));
      return { withheld: this.withheld };
    }
    if (method !== 'credentials') throw new Error(`Not in this test: ${method}`);
    const { connectionId, reason } = input as { connectionId: string; reason: 'initial' | 'refresh' };
    this.asked.push({ connectionId, reason });
    return this.answer(connectionId, reason);
  }) as MainLink['request'];

  change(connectionId: string): void {
    for (const listener of this.#listeners) listener({ connectionId });
  }

  static problem(detail: string): ProblemError {
    return new ProblemError({ code: 'needs_reconnection', title: 'Sign in again', detail });
  }
}

export interface CallerOptions {
  readonly auth?: Partial<ApiAuth>;
  readonly integration?: Partial<RunIntegration>;
  readonly limits?: Partial<SidecarLimits>;
  readonly times?: Partial<CallTimes>;
  /** Addresses of a name, in place of a public one. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  readonly main?: FakeMain;
  readonly contextWindow?: number;
  /** Trusted beside the well-known ones. */
  readonly certificateAuthorities?: readonly string[];
}

export interface Caller extends AsyncDisposable {
  readonly main: FakeMain;
  readonly store: ResourceStore;
  readonly bodies: StagedBodies;
  readonly tool: ApiCallTool;
  readonly call: (
    input: Record<string, unknown>,
    options?: { meta?: Record<string, unknown>; signal?: AbortSignal },
  ) => Promise<CallToolResult>;
}

export const AUTH: ApiAuth = {
  authKey: 'oauth',
  callTool: 'api_call',
  uploadProtocols: [],
  authorizedUris: ['http://*.example.com:*/**'],
  allowsAllUris: false,
  delivery: {
    header: 'Authorization',
    prefix: 'Bearer ',
    value: '{$credential.access_token}',
    allowsOverride: false,
  },
  canRefresh: true,
};

/** An `api_call` whose public names all lead to this computer, whatever port they name. */
export function createCaller(options: CallerOptions = {}): Caller {
  const main = options.main ?? new FakeMain();
  const limits = { ...DEFAULT_SIDECAR_LIMITS, ...options.limits };
  const store = new ResourceStore('run-1');
  const bodies = new StagedBodies(limits.maxRequestBodyBytes);
  const budget = new TokenBudget({
    inlineCapTokens: limits.inlineToolOutputTokens,
    runBudgetTokens: limits.runToolOutputBudgetTokens,
    ...(options.contextWindow !== undefined && { contextWindow: options.contextWindow }),
  });
  const http = new CheckedHttpClient({
    resolve: options.resolve ?? (async () => [PUBLIC_ADDRESS]),
    dial: (address, port, signal, host) =>
      dialDirectly(address === PUBLIC_ADDRESS ? '127.0.0.1' : address, port, signal, host),
    certificateAuthorities: options.certificateAuthorities ?? [],
  });
  const credentials = new Credentials(main);
  const auth = { ...AUTH, ...options.auth };
  const tool = new ApiCallTool(
    {
      id: '@acme/service',
      displayName: 'Service',
      namespace: 'acme_service',
      apis: [auth],
      connections: [{ id: 'c1', authKey: 'oauth', label: 'Work', account: 'me@work.example' }],
      ...options.integration,
    },
    auth,
    {
      limits,
      times: { answerMs: 10_000, idleMs: 10_000, totalMs: 20_000, ...options.times },
      http,
      credentials,
      spiller: new Spiller(store, budget),
      bodies,
      limiter: new Limiter(limits.apiCallConcurrency),
      onOutboundCall: (call) => void main.notify('outboundCall', { call }),
    },
  );
  return {
    main,
    store,
    bodies,
    tool,
    call: (input, { meta, signal = new AbortController().signal } = {}) => tool.call(input, { signal, meta }),
    async [Symbol.asyncDispose]() {
      credentials[Symbol.dispose]();
      await http[Symbol.asyncDispose]();
    },
  };
}

/** The texts of a result, one after another. */
export function textsOf(result: CallToolResult): string[] {
  return result.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`));
}

/** Starts services and callers, and ends them after a test. */
export class ServiceBench {
  readonly #open: AsyncDisposable[] = [];

  readonly service = async (answer: Parameters<typeof startService>[0]): Promise<TestService> => {
    const started = await startService(answer);
    this.#open.push(started);
    return started;
  };

  readonly caller = (options: CallerOptions = {}): Caller => {
    const created = createCaller(options);
    this.#open.push(created);
    return created;
  };

  readonly close = async (): Promise<void> => {
    for (const each of this.#open.splice(0).toReversed()) await each[Symbol.asyncDispose]();
  };
}

/** Answers with the method and the path. */
export const echo: Parameters<typeof startService>[0] = ({ method, url }, response) => {
  response.setHeader('content-type', 'text/plain');
  response.end(method === 'HEAD' ? undefined : `${method} ${url}`);
};

/**
 * The status of a result, or the code of a call that the sidecar answered itself.
 * @throws Error when the status line says something else.
 */
export function codeOf(result: CallToolResult): unknown {
  const code = result._meta?.['dev.appstrate/api-call-error'] as string | undefined;
  const upstream = result._meta?.['dev.appstrate/upstream'] as { status: number } | undefined;
  const line = `[api_call status=${upstream?.status}${code === undefined ? '' : ` code=${code}`}]`;
  if (textsOf(result)[0] !== line) throw new Error(`${textsOf(result)[0]} is not ${line}`);
  return upstream?.status === 0 ? (code ?? 'no code') : upstream?.status;
}

/** The resource that a result links to. */
export function stored(from: Caller, result: CallToolResult): StoredResource {
  const link = result.content.find((block) => block.type === 'resource_link');
  const resource = from.store.find(link?.uri ?? '');
  if (resource === undefined) throw new Error(`Not stored: ${JSON.stringify(result)}`);
  return resource;
}

export function bytesOf({ pieces }: StoredResource): Buffer {
  return Buffer.concat(pieces);
}

export function headerOf({ headers }: Received, name: string): string | string[] | undefined {
  return headers[name];
}
