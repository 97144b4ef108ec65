import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenOnSocket } from './http-server.ts';
import { McpEndpoint } from './mcp-endpoint.ts';
import { ModelRelay } from './model-relay.ts';
import { createRuntimeTools } from './runtime-tools/runtime-tools.ts';
import type { MainLink } from './stdio.ts';
import { ToolRegistry } from './tool-registry.ts';

const TOKEN = 'rehearsal';
/** Has a keyword of each kind, so that ajv has written code for it once. */
const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, format: 'date' },
    rows: { type: 'array', items: { type: 'object', properties: { value: { type: 'number', minimum: 0 } } } },
  },
  required: ['name'],
  additionalProperties: false,
};

/**
 * Serves a client of its own what the first client of the run will ask for. What that one would wait for
 * is then loaded and compiled: a sidecar that waits for its run has the time.
 */
export async function rehearse(): Promise<void> {
  const socketPath = join(tmpdir(), `rehearsal-${randomUUID()}.sock`);
  const tools = createRuntimeTools({ runtimeTools: ['output', 'log'], outputSchema: SCHEMA }, deafPeer);
  const server = await listenOnSocket({
    socketPath,
    token: TOKEN,
    mcp: await McpEndpoint.create(new ToolRegistry(tools)),
    models: new ModelRelay(deafPeer),
  });
  try {
    const clientInfo = { name: 'rehearsal', version: '1' };
    const data = { name: '2000-01-01', rows: [] };
    await post(socketPath, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    await post(socketPath, 'tools/list', {});
    await post(socketPath, 'tools/call', { name: 'output', arguments: { data } });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Takes what it is told and says nothing: a rehearsal is no news for main. */
const deafPeer: MainLink = {
  notify: () => Promise.resolve(),
  on: () => () => undefined,
  request: () => Promise.reject(new Error('Nothing is asked in a rehearsal.')),
};

async function post(socketPath: string, method: string, params: object): Promise<void> {
  const outgoing = httpRequest({
    socketPath,
    method: 'POST',
    path: '/mcp',
    headers: {
      host: 'sidecar',
      authorization: `Bearer ${TOKEN}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
  });
  outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const [response] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream];
  response.resume();
  await once(response, 'end');
}
