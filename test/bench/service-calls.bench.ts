import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Upload } from 'tus-js-client';
import { withIntegrationCalls } from '#main/sandbox/integration-calls.ts';
import { connectToolServer, type ToolServer } from '#main/sandbox/mcp-client.ts';
import { createSocketFetch } from '#main/sandbox/socket-fetch.ts';
import type { ApiAuth, RunIntegration } from '#shared/protocol/integrations.ts';
import { DEFAULT_SIDECAR_LIMITS } from '#shared/tools/sidecar-limits.ts';
import { atMost, median, type Measure } from './measure.ts';
import { startSidecarProgram } from './sidecar-program.ts';

const MEBIBYTE = 1024 * 1024;
const WARM_UP = 200;
const CALLS = 600;
const CONCURRENCY = 3;
/** What direct calls and those through the sidecar take turns by, so that a busy machine harms both alike. */
const ROUND = 100;
const UPLOAD_BYTES = 100 * MEBIBYTE;
/** Part size of both clients. */
const PART_BYTES = 4 * MEBIBYTE;
const TOKEN = 'token-of-the-benchmark';

/**
 * What calls of a service cost: the sandbox's own code over the socket to the built sidecar in a process of
 * its own, against the same loopback service called straight from this process.
 */
export async function measureServiceCalls(root: string): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const service = stack.use(await startService());
  const sidecar = stack.use(await startSidecar(root, folder, service.port));
  const { tools } = sidecar;
  const target = `http://127.0.0.1:${service.port}`;
  const direct = () => getDirectly(`${target}/small`);
  const through = (tool: string) => async () => {
    const { isError, content } = await tools.callTool(tool, { target: `${target}/small` }, OPTIONS);
    if (isError === true) throw new Error(`The benchmark's call failed: ${JSON.stringify(content)}`);
  };
  const [withKey, without] = [through('keyed__api_call'), through('bare__api_call')];
  const slow = () => getDirectly(`${target}/slow`);
  const slowThrough = async () =>
    void (await tools.callTool('keyed__api_call', { target: `${target}/slow` }, OPTIONS));
  const times = await timeInTurns([direct, withKey, without]);
  const [straight = [], injected = [], bare = []] = times;
  return [
    atMost('api_call.added', median(injected) - median(straight), 'ms', 2),
    atMost('api_call.injection', Math.max(0, median(injected) - median(bare)), 'ms', 0.2),
    // Throughput of at least 0.8 of direct, at a service that takes a moment: whether calls wait for each other.
    atMost('api_call.slowdown_at_3', await slowdownAtThree(slow, slowThrough), 'x', 1 / 0.8),
    // The same at one that answers in no time, where there is nothing but what the sidecar does.
    atMost('api_call.slowdown_at_3_instant', await slowdownAtThree(direct, withKey), 'x', Infinity),
    ...(await measureLarge(sidecar, target)),
    ...(await measureUpload(sidecar, target, folder)),
  ];
}

const OPTIONS = { signal: undefined, onProgress: () => undefined };

interface Service extends AsyncDisposable {
  readonly port: number;
}

async function startService(): Promise<Service> {
  const child = fork(join(import.meta.dirname, 'service-program.ts'));
  const [port] = (await once(child, 'message')) as [number];
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

interface Sidecar extends AsyncDisposable {
  readonly pid: number;
  readonly workspace: string;
  /** As the sandbox has them. */
  readonly tools: ToolServer;
}

/** The built sidecar with one method that adds a key, and one that adds nothing. */
async function startSidecar(root: string, folder: string, port: number): Promise<Sidecar> {
  const program = startSidecarProgram(root);
  const { channel, peer } = program;
  peer.handle('credentials', () =>
    Promise.resolve({ fields: { api_key: 'key-of-the-benchmark' }, publicFields: [] }),
  );
  channel.listen();
  const socketPath = join(folder, 'sidecar.sock');
  const auth: Omit<ApiAuth, 'authKey' | 'callTool'> = {
    uploadProtocols: ['tus'],
    authorizedUris: [`http://127.0.0.1:${port}/**`],
    allowsAllUris: false,
    canRefresh: false,
  };
  const delivery = { header: 'X-Api-Key', prefix: '', value: '{$credential.api_key}', allowsOverride: false };
  await peer.request('configure', {
    runId: 'bench',
    token: TOKEN,
    socketPath,
    runtimeTools: [],
    // Enough that no result of the benchmark goes to a file.
    limits: { ...DEFAULT_SIDECAR_LIMITS, runToolOutputBudgetTokens: Number.MAX_SAFE_INTEGER },
    integrations: [
      integrationOf('keyed', { ...auth, uploadTool: 'api_upload', delivery }),
      integrationOf('bare', auth),
    ],
  });
  const access = { socketPath, token: TOKEN };
  const socketFetch = createSocketFetch(access);
  const server = await connectToolServer(socketFetch);
  const tools = withIntegrationCalls({
    server,
    tools: await server.listTools(),
    workspace: folder,
    socketFetch,
    sidecar: access,
  });
  return {
    pid: program.pid,
    workspace: folder,
    tools,
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

function integrationOf(namespace: string, auth: Omit<ApiAuth, 'authKey' | 'callTool'>): RunIntegration {
  return {
    id: `@bench/${namespace}`,
    displayName: namespace,
    namespace,
    apis: [{ ...auth, authKey: 'key', callTool: 'api_call' }],
    connections: [{ id: namespace, authKey: 'key', label: 'Only one' }],
  };
}

const agent = new Agent({ keepAlive: true });

/** A request as any program makes it, its answer read to the end. */
function getDirectly(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { agent, headers: { 'x-api-key': 'key-of-the-benchmark' } }, (response) => {
      response.on('end', resolve).on('error', reject).resume();
    })
      .on('error', reject)
      .end();
  });
}

/** Milliseconds of each kind of call, in turns, once the code is warm. */
async function timeInTurns(calls: readonly (() => Promise<void>)[]): Promise<number[][]> {
  const times = calls.map((): number[] => []);
  for (const call of calls) for (let round = 0; round < WARM_UP; round += 1) await call();
  for (let round = 0; round < CALLS; round += 1) {
    for (const [index, call] of calls.entries()) {
      const began = performance.now();
      await call();
      times[index]?.push(performance.now() - began);
    }
  }
  return times;
}

/** How much longer so many calls take when three are under way at a time; the median of several rounds. */
async function slowdownAtThree(direct: () => Promise<void>, through: () => Promise<void>): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < CALLS / ROUND; round += 1) {
    const straight = await timeTogether(direct);
    ratios.push((await timeTogether(through)) / straight);
  }
  return median(ratios);
}

async function timeTogether(call: () => Promise<void>): Promise<number> {
  const began = performance.now();
  let left = ROUND;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return performance.now() - began;
}

async function measureLarge({ pid, tools }: Sidecar, target: string): Promise<Measure[]> {
  const before = restartPeak(pid);
  await tools.callTool(
    'keyed__api_call',
    { target: `${target}/large`, responseMode: { toFile: 'large.bin' } },
    OPTIONS,
  );
  return [atMost('to_file.sidecar_growth', (peakOf(pid) - before) / MEBIBYTE, 'MiB', 96)];
}

async function measureUpload(
  { pid, tools, workspace }: Sidecar,
  target: string,
  folder: string,
): Promise<Measure[]> {
  const path = join(workspace, 'upload.bin');
  await writeFile(path, randomBytes(UPLOAD_BYTES));
  const endpoint = `${target}/files`;
  await uploadDirectly(path, endpoint);
  const straight = await timed(() => uploadDirectly(path, endpoint));
  const [sidecarBefore, ownBefore] = [restartPeak(pid), restartPeak(process.pid)];
  const through = await timed(async () => {
    const { content } = await tools.callTool(
      'keyed__api_upload',
      { target: endpoint, fromFile: 'upload.bin', uploadProtocol: 'tus', partSizeBytes: PART_BYTES },
      OPTIONS,
    );
    const [block] = content;
    if (block?.type !== 'text' || !block.text.includes('"ok":true')) throw new Error('The upload failed.');
  });
  await rm(join(folder, 'upload.bin'));
  const growth = Math.max(peakOf(pid) - sidecarBefore, peakOf(process.pid) - ownBefore) / MEBIBYTE;
  return [
    // Throughput of at least half of tus-js-client's.
    atMost('api_upload.slowdown', through / straight, 'x', 2),
    // The sidecar's and the sandbox's, which this process plays; the greater of the two.
    atMost('api_upload.growth', growth, 'MiB', 64),
  ];
}

function uploadDirectly(path: string, endpoint: string): Promise<void> {
  return new Promise((resolve, reject) => {
    new Upload(createReadStream(path), {
      endpoint,
      uploadSize: UPLOAD_BYTES,
      chunkSize: PART_BYTES,
      onSuccess: () => resolve(),
      onError: reject,
    }).start();
  });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Has the kernel forget a process's peak; gives the memory it holds now, in bytes. */
function restartPeak(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return peakOf(pid);
}

function peakOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}
