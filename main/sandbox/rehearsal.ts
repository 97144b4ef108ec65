import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelApiSchema, type ModelApi } from '#shared/models/model.ts';
import { Agent } from './agent.ts';
import { EventBatcher } from './event-batcher.ts';
import { connectToolServer } from './mcp-client.ts';
import type { Pi } from './pi.ts';
import { createSocketFetch } from './socket-fetch.ts';

/**
 * Plays a run without effect, once for each API, against answers made up in this process. What a real run
 * would wait for is then loaded and compiled: a sandbox that waits for its run has the time.
 * @param isWanted asked between two steps; the rehearsal stops when the real run has come
 */
export async function rehearse(pi: Pi, isWanted: () => boolean): Promise<void> {
  const socketPath = join(tmpdir(), `rehearsal-${randomUUID()}.sock`);
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (text: string) => (body += text));
    request.on('end', () => answer(request.url ?? '', body, response));
  });
  server.listen(socketPath);
  await once(server, 'listening');
  try {
    const socketFetch = createSocketFetch({ socketPath, token: 'none' });
    for (const api of modelApiSchema.options) {
      if (!isWanted()) return;
      const toolServer = await connectToolServer(socketFetch);
      using events = new EventBatcher(() => Promise.resolve());
      const configuration = rehearsedConfiguration(api, socketPath);
      using agent = await Agent.create({ pi, configuration, socketFetch, toolServer, events });
      if (!isWanted()) return;
      await agent.prompt('Rehearse', ['log']);
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function rehearsedConfiguration(api: ModelApi, socketPath: string) {
  return {
    runId: 'rehearsal',
    workspace: tmpdir(),
    systemPrompt: 'Rehearse',
    model: {
      api,
      id: 'rehearsal',
      name: 'Rehearsal',
      contextWindow: 100_000,
      maxTokens: 1000,
      reasoning: false,
      images: false,
    },
    sidecar: { socketPath, token: 'none' },
    sandboxTools: ['read', 'write', 'edit', 'bash', 'grep', 'find', 'ls'],
    skills: [],
    shownResultBytes: 1024,
  };
}

/** The sidecar's part: a tool to list, and a refusal of every request to the model. */
function answer(url: string, body: string, response: ServerResponse): void {
  if (url !== '/mcp') {
    reply(response, 400, { error: { message: 'This is a rehearsal.' } });
    return;
  }
  const { id, method } = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string };
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'rehearsal', version: '1' },
    },
    'tools/list': { tools: [{ name: 'log', description: 'Logs', inputSchema: { type: 'object' } }] },
  };
  const result = results[method ?? ''];
  if (result) reply(response, 200, { jsonrpc: '2.0', id, result });
  else reply(response, method === undefined ? 405 : 202, undefined);
}

function reply(response: ServerResponse, status: number, body: object | undefined): void {
  response.writeHead(status, body && { 'content-type': 'application/json' });
  response.end(body && JSON.stringify(body));
}
