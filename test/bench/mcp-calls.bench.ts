import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { connectToolServer } from '#main/sandbox/mcp-client.ts';
import { createSocketFetch } from '#main/sandbox/socket-fetch.ts';
import { DEFAULT_SIDECAR_LIMITS } from '#shared/tools/sidecar-limits.ts';
import { atMost, median, type Measure } from './measure.ts';
import { startSidecarProgram } from './sidecar-program.ts';

const WARM_UP = 200;
const CALLS = 600;
const TOKEN = 'token-of-the-benchmark';
const KEY = 'key-of-the-benchmark';

/**
 * What a call of a tool of a remote MCP server costs: the sandbox's own code over the socket to the built
 * sidecar and from there to the server, against the SDK's client that asks the server itself.
 */
export async function measureMcpCalls(root: string): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const child = fork(join(import.meta.dirname, 'mcp-program.ts'));
  stack.defer(async () => {
    child.disconnect();
    await once(child, 'exit');
  });
  const [port] = (await once(child, 'message')) as [number];
  const url = `http://127.0.0.1:${port}/mcp`;

  const program = stack.use(startSidecarProgram(root));
  const { channel, peer } = program;
  peer.handle('credentials', () => Promise.resolve({ fields: { api_key: KEY }, publicFields: [] }));
  peer.handle('reviewTools', () => Promise.resolve({ withheld: [] }));
  channel.listen();
  const socketPath = join(folder, 'sidecar.sock');
  await peer.request('configure', {
    runId: 'bench',
    token: TOKEN,
    socketPath,
    runtimeTools: [],
    // Enough that no result of the benchmark goes to a file.
    limits: { ...DEFAULT_SIDECAR_LIMITS, runToolOutputBudgetTokens: Number.MAX_SAFE_INTEGER },
    network: { noProxy: [], certificateAuthorities: [], internalHosts: ['127.0.0.1'] },
    integrations: [
      {
        id: '@bench/server',
        displayName: 'Server',
        namespace: 'bench',
        apis: [],
        connections: [{ id: 'c', authKey: 'key', label: 'Only one' }],
        server: {
          source: {
            kind: 'remote',
            url,
            transport: 'streamable-http',
            auths: {
              key: {
                delivery: {
                  header: 'X-Api-Key',
                  prefix: '',
                  value: '{$credential.api_key}',
                  allowsOverride: false,
                },
                canRefresh: false,
              },
            },
          },
          tools: '*',
          hidden: [],
        },
      },
    ],
  });
  const tools = await connectToolServer(createSocketFetch({ socketPath, token: TOKEN }));
  const through = async () => {
    const { isError } = await tools.callTool(
      'bench__read',
      {},
      { signal: undefined, onProgress: () => undefined },
    );
    if (isError === true) throw new Error('The call through the sidecar failed.');
  };

  const client = new Client({ name: 'bench', version: '1' });
  stack.defer(() => client.close());
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { 'x-api-key': KEY } } }),
  );
  const direct = async () => void (await client.callTool({ name: 'read', arguments: {} }));

  const [straight, relayed] = [[], []] as [number[], number[]];
  for (let round = 0; round < WARM_UP; round += 1) {
    await direct();
    await through();
  }
  // In turns, so that a busy machine harms both alike.
  for (let round = 0; round < CALLS; round += 1) {
    straight.push(await timed(direct));
    relayed.push(await timed(through));
  }
  return [atMost('mcp.remote_call', median(relayed) - median(straight), 'ms', 2)];
}

async function timed(call: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await call();
  return performance.now() - began;
}
