import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectToolServer } from '#main/sandbox/mcp-client.ts';
import { createSocketFetch } from '#main/sandbox/socket-fetch.ts';
import { McpEndpoint } from '#main/sidecar/mcp-endpoint.ts';
import { createRuntimeTools } from '#main/sidecar/runtime-tools/runtime-tools.ts';
import { ToolRegistry } from '#main/sidecar/tool-registry.ts';
import { atMost, median, type Measure } from './measure.ts';
import { startSidecarProgram } from './sidecar-program.ts';

const WARM_UP = 200;
const CALLS = 1000;
const TOKEN = 'token-of-the-benchmark';
const INPUT = { level: 'info', message: 'A line of about the usual length, with a number in it: 12345.' };

/**
 * What the sidecar adds to one `log` call: the sandbox's own client over the socket to the built sidecar in
 * a process of its own, against the same MCP server called in this process.
 */
export async function measureLogCall(root: string): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const { channel, peer } = stack.use(startSidecarProgram(root));
  const socketPath = join(folder, 'sidecar.sock');
  channel.listen();
  await peer.request('configure', { runId: 'bench', token: TOKEN, socketPath, runtimeTools: ['log'] });
  const client = await connectToolServer(createSocketFetch({ socketPath, token: TOKEN }));
  const options = { signal: undefined, onProgress: () => undefined };
  const through = await timeCalls(() => client.callTool('log', INPUT, options));
  const direct = await timeCalls(await openInProcess());
  return [atMost('sidecar.log_call_added', median(through) - median(direct), 'ms', 2)];
}

/** The same server with the same tools, without a socket and another process. */
async function openInProcess(): Promise<() => Promise<unknown>> {
  const deaf = {
    notify: () => Promise.resolve(),
    on: () => () => undefined,
    request: () => Promise.reject(new Error('Nothing is asked here.')),
  };
  const endpoint = await McpEndpoint.create(
    new ToolRegistry(createRuntimeTools({ runtimeTools: ['log'] }, deaf)),
  );
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  let id = 0;
  return () => {
    id += 1;
    const call = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'log', arguments: INPUT } };
    return endpoint.handle(headers, JSON.stringify(call), new AbortController().signal);
  };
}

/** Milliseconds of each call, one after another, once the code is warm. */
async function timeCalls(call: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < WARM_UP + CALLS; round += 1) {
    const began = performance.now();
    await call();
    if (round >= WARM_UP) times.push(performance.now() - began);
  }
  return times;
}
