import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import {
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { createPeer, type Peer } from '#shared/protocol/peer.ts';
import { sidecarMainSide, sidecarSide } from '#shared/protocol/sidecar.ts';
import { listenOnSocket } from '../http-server.ts';
import { McpEndpoint } from '../mcp-endpoint.ts';
import { ModelRelay } from '../model-relay.ts';
import type { ResourceStore } from '../spill/resource-store.ts';
import type { StagedBodies } from '../uploads/staged-bodies.ts';
import { ToolRegistry, type SidecarTool } from '../tool-registry.ts';

export const TOKEN = 'the-token-of-this-run';

type SidecarPeer = Peer<typeof sidecarSide, typeof sidecarMainSide, AbortSignal>;
type SidecarMainPeer = Peer<typeof sidecarMainSide, typeof sidecarSide, AbortSignal>;

/** Both ends of the channel between the sidecar and main, in this process. */
export function linkedPeers(): { sidecar: SidecarPeer; main: SidecarMainPeer } & Disposable {
  const [down, up] = [new PassThrough(), new PassThrough()];
  const ends = [
    createMessageConnection(new StreamMessageReader(down), new StreamMessageWriter(up)),
    createMessageConnection(new StreamMessageReader(up), new StreamMessageWriter(down)),
  ] as const;
  const common = {
    otherName: 'the other end',
    createAbort: () => new AbortController(),
    onFault: (fault: object) => {
      throw new Error(JSON.stringify(fault));
    },
  };
  const sidecar = createPeer({ channel: ends[0], own: sidecarSide, other: sidecarMainSide, ...common });
  const main = createPeer({ channel: ends[1], own: sidecarMainSide, other: sidecarSide, ...common });
  for (const end of ends) end.listen();
  return {
    sidecar,
    main,
    [Symbol.dispose]() {
      sidecar[Symbol.dispose]();
      main[Symbol.dispose]();
      for (const end of ends) end.dispose();
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface TestServer extends AsyncDisposable {
  readonly socketPath: string;
  readonly relay: ModelRelay;
  readonly main: SidecarMainPeer;
  /** Sends a request with the run's token unless the headers say otherwise. */
  readonly send: (options: {
    method?: string;
    path: string;
    headers?: OutgoingHttpHeaders;
    body?: string | Buffer | AsyncIterable<Uint8Array>;
  }) => Promise<Answer>;
  /** Sends one MCP message. */
  readonly rpc: (message: unknown, headers?: OutgoingHttpHeaders) => Promise<Answer & { json: unknown }>;
}

/** The sidecar's server on a socket of its own, with tools of the test's choice. */
export async function startServer(
  tools: readonly SidecarTool[] = [],
  options: {
    readonly bodies?: StagedBodies;
    readonly resources?: ResourceStore;
    readonly maxMcpBytes?: number;
  } = {},
): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-sidecar-'));
  const socketPath = join(folder, 's.sock');
  const peers = linkedPeers();
  const relay = new ModelRelay(peers.sidecar);
  const server = await listenOnSocket({
    socketPath,
    token: TOKEN,
    mcp: await McpEndpoint.create(new ToolRegistry(tools), options.resources),
    models: relay,
    ...options,
  });
  const send: TestServer['send'] = async ({ method = 'POST', path, headers = {}, body }) => {
    const outgoing = httpRequest({
      socketPath,
      method,
      path,
      headers: { host: 'sidecar', authorization: `Bearer ${TOKEN}`, ...headers },
    });
    // An answer may come before all of the body has gone; what of it then fails to go is no matter.
    outgoing.on('error', () => undefined);
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
    if (typeof body === 'string' || Buffer.isBuffer(body) || body === undefined) {
      outgoing.end(body);
    } else {
      for await (const part of body) {
        if (!outgoing.write(part)) await Promise.race([once(outgoing, 'drain'), answered]);
      }
      outgoing.end();
    }
    const [response] = await answered;
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) };
  };
  return {
    socketPath,
    relay,
    main: peers.main,
    send,
    async rpc(message, headers = {}) {
      const answer = await send({
        path: '/mcp',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: typeof message === 'string' ? message : JSON.stringify(message),
      });
      return { ...answer, json: answer.body.length > 0 ? JSON.parse(answer.body.toString()) : undefined };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      peers[Symbol.dispose]();
      await rm(folder, { recursive: true });
    },
  };
}
