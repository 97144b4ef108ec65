import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { SandboxEvent, SidecarEvent } from '#shared/events/run-event.ts';
import type { ModelApi } from '#shared/models/model.ts';
import {
  serveModelStreams,
  type ModelStreamRequest,
  type ModelStreamResponse,
} from '#shared/protocol/model-stream-server.ts';
import { createPeer, type Peer, type PeerFault, type Side } from '#shared/protocol/peer.ts';
import { sandboxMainSide, sandboxSide, type SandboxConfiguration } from '#shared/protocol/sandbox.ts';
import { sidecarMainSide, sidecarSide, type SidecarConfiguration } from '#shared/protocol/sidecar.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** A program of ours as a child process, spoken to as main does. */
export interface TestProgram<Own extends Side, Program extends Side> {
  readonly child: ChildProcess;
  readonly peer: Peer<Own, Program, AbortSignal>;
  readonly faults: PeerFault[];
  readonly stderr: () => string;
  /** Closes its standard input, as main's end does; resolves with its exit code. */
  readonly hangUp: () => Promise<number | null>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Starts a program from its source and resolves when it says that it is ready. */
export async function startProgram<Own extends Side, Program extends Side>(
  name: 'sandbox' | 'sidecar',
  sides: { own: Own; program: Program },
  environment: NodeJS.ProcessEnv = {},
): Promise<TestProgram<Own, Program>> {
  const child = spawn(process.execPath, [join(root, 'main', name, 'main.ts')], {
    stdio: 'pipe',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...environment },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const channel = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const faults: PeerFault[] = [];
  const peer = createPeer<Own, Program, AbortSignal>({
    channel,
    own: sides.own,
    other: sides.program,
    otherName: `the ${name}`,
    createAbort: () => new AbortController(),
    onFault: (fault) => faults.push(fault),
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const hangUp = () => {
    child.stdin.end();
    return exited;
  };
  await new Promise<void>((resolve, reject) => {
    peer.on('ready', () => resolve());
    void exited.then((code) => reject(new Error(`The ${name} ended with ${code}: ${stderr}`)));
    channel.listen();
  });
  return {
    child,
    peer,
    faults,
    stderr: () => stderr,
    hangUp,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
      channel.dispose();
    },
  };
}

export interface TestRunOptions {
  readonly api?: ModelApi;
  readonly send: (request: ModelStreamRequest, signal: AbortSignal) => Promise<ModelStreamResponse>;
  readonly sidecar?: Partial<SidecarConfiguration>;
  readonly sandbox?: Partial<SandboxConfiguration>;
  /** Called before the programs are configured. */
  readonly prepare?: (
    workspace: string,
    programs: readonly [TestRun['sandbox'], TestRun['sidecar']],
  ) => Promise<void>;
  readonly environment?: NodeJS.ProcessEnv;
}

/** A sidecar and a sandbox, configured and wired together, with a main in this process. */
export interface TestRun {
  readonly workspace: string;
  readonly sandbox: TestProgram<typeof sandboxMainSide, typeof sandboxSide>;
  readonly sidecar: TestProgram<typeof sidecarMainSide, typeof sidecarSide>;
  readonly socketPath: string;
  readonly tools: readonly { name: string; source: string; estimatedTokens: number }[];
  readonly events: SandboxEvent[];
  readonly sidecarEvents: SidecarEvent[];
  /** Resolves with the first event, past or to come, that fits. */
  readonly event: (fits: (event: SandboxEvent) => boolean) => Promise<SandboxEvent>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

export const TEST_TOKEN = 'token-of-this-test-run';

export async function startTestRun(options: TestRunOptions): Promise<TestRun> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-programs-'));
  const workspace = join(folder, 'workspace');
  await mkdir(workspace);
  const socketPath = join(folder, 'sidecar.sock');
  const [sandbox, sidecar] = await Promise.all([
    startProgram('sandbox', { own: sandboxMainSide, program: sandboxSide }, options.environment),
    startProgram('sidecar', { own: sidecarMainSide, program: sidecarSide }),
  ]);
  const dispose = async () => {
    await Promise.all([sandbox[Symbol.asyncDispose](), sidecar[Symbol.asyncDispose]()]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const events: SandboxEvent[] = [];
    const waiting = new Set<() => void>();
    sandbox.peer.on('events', (batch) => {
      events.push(...batch.events);
      for (const look of waiting) look();
    });
    const sidecarEvents: SidecarEvent[] = [];
    sidecar.peer.on('event', ({ event }) => sidecarEvents.push(event));
    sidecar.peer.handle('runHistory', async () => ({ object: 'list', data: [], hasMore: false }));
    sidecar.peer.handle('recallMemory', async () => ({ memories: [{ content: 'an old note' }] }));
    serveModelStreams({
      peer: sidecar.peer,
      send: options.send,
      createAbort: () => new AbortController(),
      base64: {
        encode: (bytes) => Buffer.from(bytes).toString('base64'),
        decode: (text) => Buffer.from(text, 'base64'),
      },
      onError: (error) => process.stderr.write(`${String(error)}\n`),
    });
    await options.prepare?.(workspace, [sandbox, sidecar]);
    await sidecar.peer.request('configure', {
      runId: 'run-1',
      token: TEST_TOKEN,
      socketPath,
      runtimeTools: ['output', 'log'],
      ...options.sidecar,
    });
    const { tools } = await sandbox.peer.request('configure', {
      runId: 'run-1',
      workspace,
      systemPrompt: 'You are a test.',
      model: {
        api: options.api ?? 'openai-completions',
        id: 'test-model',
        name: 'Test model',
        contextWindow: 100_000,
        maxTokens: 4096,
        reasoning: false,
        images: false,
      },
      sidecar: { socketPath, token: TEST_TOKEN },
      sandboxTools: ['read', 'write', 'edit', 'bash', 'grep', 'find', 'ls'],
      skills: [],
      shownResultBytes: 32 * 1024,
      ...options.sandbox,
    });
    return {
      workspace,
      sandbox,
      sidecar,
      socketPath,
      tools,
      events,
      sidecarEvents,
      event: (fits) =>
        new Promise((resolve) => {
          const look = () => {
            const found = events.find((event) => fits(event));
            if (found === undefined) return;
            waiting.delete(look);
            resolve(found);
          };
          waiting.add(look);
          look();
        }),
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}
