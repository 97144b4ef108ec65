import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Transform } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { Container, Engine, EngineDirectory } from '#main/engines/engine.ts';
import type { RunnableAgent } from '#main/library/library.ts';
import type { RunModel } from '#main/models/model-gateway.ts';
import { openDatabase, type Database } from '#main/store/index.ts';
import { NO_USAGE } from '#shared/models/model.ts';
import { createPeer, type Side } from '#shared/protocol/peer.ts';
import { sandboxMainSide, sandboxSide } from '#shared/protocol/sandbox.ts';
import { sidecarMainSide, sidecarSide } from '#shared/protocol/sidecar.ts';
import type { RunSummary } from '#shared/runs/run.ts';
import { NO_INTEGRATIONS, NO_INTEGRATION_SERVICES } from '#test/support/no-integrations.ts';
import { memoryInMemory } from '#test/support/memory-in-memory.ts';
import type { PairPool } from './pair-pool.ts';
import type { Pair } from './pair.ts';
import { RunRecorder } from './run-recorder.ts';
import { RunRepository } from './run-repository.ts';
import { RunSession, type SessionServices } from './run-session.ts';
import type { SessionRequest } from './session-request.ts';

/** How much later main reads what the fake sidecar says. */
const LAG_MS = 60;

let folder: string;
let database: Database;
let repository: RunRepository;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-session-'));
  database = openDatabase(folder);
  repository = new RunRepository(database);
});
afterEach(() => {
  database[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** A channel in memory; what the program says arrives after `lagMs`, in order. */
function link<Own extends Side, Program extends Side>(own: Own, program: Program, lagMs: number) {
  const [down, up] = [new PassThrough(), new PassThrough()];
  const lagging = new Transform({
    transform(chunk, _encoding, done) {
      setTimeout(() => done(null, chunk), lagMs);
    },
  });
  const ends = [
    createMessageConnection(new StreamMessageReader(up.pipe(lagging)), new StreamMessageWriter(down)),
    createMessageConnection(new StreamMessageReader(down), new StreamMessageWriter(up)),
  ] as const;
  const common = {
    otherName: 'the other end',
    createAbort: () => new AbortController(),
    onFault: (fault: object) => {
      throw new Error(JSON.stringify(fault));
    },
  };
  const main = createPeer({ channel: ends[0], own, other: program, ...common });
  const other = createPeer({ channel: ends[1], own: program, other: own, ...common });
  for (const end of ends) end.listen();
  return { main, other };
}

/** Two fakes in the places of the programs; the sidecar's words arrive late. */
function fakePair() {
  const sandbox = link(sandboxMainSide, sandboxSide, 0);
  const sidecar = link(sidecarMainSide, sidecarSide, LAG_MS);
  sandbox.other.handle('configure', () => Promise.resolve({ tools: [] }));
  sidecar.other.handle('configure', () => Promise.resolve({ tools: ['output'], services: [] }));
  sidecar.other.handle('settle', () => Promise.resolve({}));
  const container: Partial<Container> = {
    resolve: (path) => path,
    putArchive: async (_folder, archive) => void (await archive.resume().toArray()),
    getArchive: () => Promise.resolve(Readable.from([Buffer.alloc(1024)])),
  };
  const connection = (peer: unknown) => ({ peer, listen: () => undefined, errorLines: [] });
  const pair = {
    engine: {} as Engine,
    image: 'image',
    sandbox: { container, connection: connection(sandbox.main) },
    sidecar: { container, connection: connection(sidecar.main) },
    failure: new Promise(() => undefined),
    remove: () => Promise.resolve(),
  } as unknown as Pair;
  return { pair, sandbox: sandbox.other, sidecar: sidecar.other };
}

interface TestIntegrations {
  readonly plan?: SessionRequest['integrations']['plan'];
  readonly connections?: Partial<SessionServices['integrations']['connections']>;
}

function openSession(pair: Pair, timeoutSeconds = 300, integrations: TestIntegrations = {}) {
  const summary: RunSummary = {
    id: 'run_1',
    agentId: '@a/b',
    agentVersion: '1.0.0',
    agentName: 'B',
    status: 'queued',
    model: { providerId: 'p', modelId: 'm' },
    modelName: 'M',
    trigger: 'app',
    createdAt: Date.now(),
    timeoutSeconds,
    usage: NO_USAGE,
    hasOutput: false,
    fileCount: 0,
    lastSequence: 0,
  };
  repository.insert({
    summary,
    input: {},
    inputFiles: [],
    manifestText: '{}',
    promptText: 'p',
    outputSchema: undefined,
    instanceId: 'i',
  });
  const recorder = new RunRecorder(repository, summary, {
    eventsWritten: () => undefined,
    summaryChanged: () => undefined,
    writeFailed: (_run, error) => {
      throw error;
    },
  });
  const request: SessionRequest = {
    agent: {
      id: '@a/b',
      displayName: 'B',
      promptText: 'p',
      runtimeTools: ['output', 'log'],
      outputSchema: { type: 'object', required: ['words'] },
      timeoutSeconds,
      packages: [],
    } as Partial<RunnableAgent> as RunnableAgent,
    model: {
      description: {
        providerId: 'p',
        displayName: 'M',
        api: 'openai-completions',
        modelId: 'm',
        contextWindow: 1000,
        maxTokens: 100,
        reasoning: false,
        images: false,
      },
      usage: { ...NO_USAGE, modelRequests: 1 },
      onUsage: () => () => undefined,
      lastFailure: undefined,
      send: () => new Promise(() => undefined),
    } as Partial<RunModel> as RunModel,
    input: {},
    inputFiles: [],
    workspaceFiles: [],
    skills: [],
    serviceNames: [],
    serviceNotes: [],
    packageFiles: [],
    cassette: undefined,
    replay: undefined,
    integrations: { ...NO_INTEGRATIONS, ...(integrations.plan && { plan: integrations.plan }) },
    outputFolder: join(folder, 'outputs'),
    resourceFolder: join(folder, 'resources'),
  };
  const services: SessionServices = {
    engines: {
      acquire: () => Promise.resolve({ engine: { kind: 'docker' } as Engine, image: 'image' }),
    } as Partial<EngineDirectory> as EngineDirectory,
    pairs: {
      take: () => Promise.resolve(pair),
      remove: () => pair.remove(),
    } as Partial<PairPool> as PairPool,
    repository,
    memory: memoryInMemory(),
    integrations: {
      ...NO_INTEGRATION_SERVICES,
      connections: { ...NO_INTEGRATION_SERVICES.connections, ...integrations.connections },
    },
    logger: { error: () => undefined, warn: () => undefined } as Partial<
      SessionServices['logger']
    > as SessionServices['logger'],
  };
  const recorded = () => {
    recorder.flush();
    return repository.events('run_1', 0, 1000).map(({ data }) => data);
  };
  return { session: new RunSession(recorder, request, services), recorder, recorded };
}

it('asks for no output that was delivered, however late the sidecar is heard', async () => {
  const { pair, sandbox, sidecar } = fakePair();
  let prompts = 0;
  sandbox.handle('prompt', async () => {
    prompts += 1;
    await sidecar.notify('event', { event: { type: 'output.emitted', data: { words: 7 } } });
    await sidecar.notify('event', {
      event: { type: 'log.written', level: 'info', message: 'The last word' },
    });
    return { stopReason: 'toolUse', aborted: false, turns: 1 };
  });
  const { session, recorder, recorded } = openSession(pair);
  await session.execute();
  expect(prompts).toBe(1);
  expect(recorder.summary).toMatchObject({ status: 'success', hasOutput: true });
  const types = recorded().map(({ type }) => type);
  expect(types).not.toContain('run.nudged');
  expect(types).toContain('log.written');
});

it('names the model that a run waited for until its time was up', async () => {
  const { pair, sandbox, sidecar } = fakePair();
  sandbox.handle('prompt', async () => {
    await sidecar.notify('modelOpen', {
      streamId: 1,
      method: 'POST',
      path: '/chat/completions',
      headers: {},
    });
    await sidecar.notify('modelBody', { streamId: 1, data: '', last: true });
    return new Promise<never>(() => undefined);
  });
  sandbox.handle('abort', () => Promise.resolve({}));
  const { session, recorded } = openSession(pair, 1);
  await session.execute();
  expect(recorded().at(-1)).toMatchObject({
    status: 'timed_out',
    problem: {
      code: 'run_timed_out',
      detail: expect.stringMatching(/^M had sent nothing for 1 seconds? when/) as string,
    },
  });
});

it('answers for the connections of its run and no other, until it ends', async () => {
  const { pair, sandbox, sidecar } = fakePair();
  const heard: string[] = [];
  sidecar.on('credentialsChanged', ({ connectionId }) => heard.push(connectionId));
  const listeners = new Set<(connectionId: string) => void>();
  const answers: unknown[] = [];
  sandbox.handle('prompt', async () => {
    await sidecar.notify('event', { event: { type: 'output.emitted', data: { words: 7 } } });
    answers.push(await sidecar.request('credentials', { connectionId: 'c1', reason: 'initial' }));
    answers.push(
      await sidecar
        .request('credentials', { connectionId: 'of-another-run', reason: 'initial' })
        .catch((error: unknown) => error),
    );
    for (const listener of listeners) for (const id of ['of-another-run', 'c1']) listener(id);
    await new Promise((resolve) => setTimeout(resolve, 2 * LAG_MS));
    return { stopReason: 'stop', aborted: false, turns: 1 };
  });
  const { session } = openSession(pair, 300, {
    plan: [
      {
        id: '@a/mail',
        displayName: 'Mail',
        namespace: 'a_mail',
        apis: [],
        connections: [{ id: 'c1', authKey: 'key', label: 'Work' }],
      },
    ],
    connections: {
      credentials: (id) => Promise.resolve({ fields: { api_key: `of ${id}` }, publicFields: [] }),
      onCredentialChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  });
  await session.execute();
  expect(answers[0]).toMatchObject({ fields: { api_key: 'of c1' } });
  expect(answers[1]).toMatchObject({ problem: { code: 'connection_unknown' } });
  expect(heard).toEqual(['c1']);
  expect(listeners.size).toBe(0);
});

it('is stopped within three seconds while its files are still being fetched, and keeps its verdict', async () => {
  const { pair, sandbox, sidecar } = fakePair();
  sandbox.handle('prompt', async () => {
    await sidecar.notify('event', { event: { type: 'output.emitted', data: { words: 7 } } });
    return { stopReason: 'stop', aborted: false, turns: 1 };
  });
  const looking = Promise.withResolvers<void>();
  pair.sandbox.container.getArchive = (_path, signal) => {
    looking.resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  };
  const { session, recorder, recorded } = openSession(pair);
  const executing = session.execute();
  await looking.promise;
  const stopped = performance.now();
  session.end('cancelled');
  await executing;
  expect(performance.now() - stopped).toBeLessThan(3_000);
  expect(recorder.summary).toMatchObject({ status: 'success', hasOutput: true });
  expect(recorded()).toContainEqual(
    expect.objectContaining({
      type: 'file.skipped',
      problem: expect.objectContaining({ code: 'outputs_cut_short' }) as unknown,
    }),
  );
});
