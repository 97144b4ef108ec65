import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '#main/logging/logger.ts';
import type { ImageStatus, IsolationCheck } from '#shared/engines/engine-report.ts';
import { ProblemError } from '#shared/problem.ts';
import type { Settings } from '#shared/settings/settings.ts';
import { LocatingEngineDirectory, type EngineSettings } from './directory.ts';
import type { Engine } from './engine.ts';
import { IsolationMemory } from './isolation/memory.ts';
import type { EngineLocator, LocatedEngine } from './located-engine.ts';

const never = new AbortController().signal;
const PASSED: IsolationCheck[] = [{ id: 'user', title: 'User', passed: true, detail: '' }];
const FAILED: IsolationCheck[] = [
  { id: 'routes', title: 'Has no route', passed: false, detail: 'There is 1.' },
];

type Choices = Pick<Settings, 'enginePreference' | 'processConsent' | 'preferGvisor'>;

class FakeSettings implements EngineSettings {
  #settings: Choices = { enginePreference: 'automatic', processConsent: false, preferGvisor: false };
  readonly #listeners = new Set<() => void>();

  get(): Choices {
    return this.#settings;
  }

  update(change: Partial<Choices>): void {
    this.#settings = { ...this.#settings, ...change };
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

class FakeEngine implements Engine {
  readonly kind: 'docker' | 'process';
  readonly isolates: boolean;
  readonly gone: Promise<Error>;
  readonly stop: (error: Error) => void;
  checks = PASSED;
  probes = 0;
  readonly reaps: { own?: boolean }[] = [];
  disposed = false;
  buildFailure: ProblemError | undefined;
  /** Holds builds back until the test lets them go. */
  gate: Promise<void> = Promise.resolve();

  constructor(kind: 'docker' | 'process') {
    this.kind = kind;
    this.isolates = kind === 'docker';
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.gone = promise;
    this.stop = resolve;
  }

  async ensureImage(options: { onProgress(status: ImageStatus): void }): Promise<string> {
    options.onProgress({ state: 'building', tag: 'image', step: 'Installing', fraction: 0.5, lines: [] });
    await this.gate;
    if (this.buildFailure) throw this.buildFailure;
    options.onProgress({ state: 'ready', tag: 'image', lines: [] });
    return 'image';
  }

  probeIsolation(): Promise<IsolationCheck[]> {
    this.probes += 1;
    return Promise.resolve(this.checks);
  }

  reap(options: { own?: boolean } = {}): ReturnType<Engine['reap']> {
    this.reaps.push(options);
    return Promise.resolve({ containers: 0, volumes: 0, networks: 0 });
  }

  createVolume = (): Promise<never> => Promise.reject(new Error('not here'));
  removeVolume = (): Promise<never> => Promise.reject(new Error('not here'));
  createContainer = (): Promise<never> => Promise.reject(new Error('not here'));

  [Symbol.asyncDispose](): Promise<void> {
    this.disposed = true;
    return Promise.resolve();
  }
}

function located(engine: Engine, version = '1'): LocatedEngine {
  return {
    engine,
    name: engine.kind,
    version,
    address: '/address',
    reason: 'It was there.',
    isolationKey: () => `${engine.kind} ${version}`,
    inspectImage: () => Promise.resolve({ state: 'absent', tag: 'image', lines: [] }),
  };
}

class FakeLocator implements EngineLocator {
  docker: LocatedEngine | undefined;
  process = { available: false, bubblewrap: false };
  readonly processEngine = new FakeEngine('process');
  looks = 0;

  async locateDocker(): ReturnType<EngineLocator['locateDocker']> {
    this.looks += 1;
    await Promise.resolve();
    const outcome = this.docker ? 'answered' : 'absent';
    return {
      located: this.docker,
      attempts: [{ origin: 'test', address: '/address', outcome, detail: outcome }],
    };
  }

  describeProcess(): Promise<{ available: boolean; bubblewrap: boolean }> {
    return Promise.resolve(this.process);
  }

  openProcess(): Promise<LocatedEngine> {
    return Promise.resolve(located(this.processEngine));
  }
}

let folder: string;
let locator: FakeLocator;
let settings: FakeSettings;
let directory: LocatingEngineDirectory;

function open(isolatesServers = false): LocatingEngineDirectory {
  return new LocatingEngineDirectory({
    locator,
    settings,
    memory: new IsolationMemory(join(folder, 'isolation.json')),
    platform: 'linux',
    isolatesServers,
    logger: silentLogger,
    backOff: [5],
  });
}

function acquire(): ReturnType<LocatingEngineDirectory['acquire']> {
  return directory.acquire({ signal: never, onPhase: () => undefined });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-directory-'));
  locator = new FakeLocator();
  settings = new FakeSettings();
});
afterEach(async () => {
  await directory[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

describe('looking', () => {
  it('goes on by itself until an engine appears, and begins again when it goes away', async () => {
    directory = open();
    expect(directory.report.state).toBe('looking');
    await vi.waitFor(() => expect(directory.report.state).toBe('missing'));
    expect(directory.report.problem?.code).toBe('no_engine');

    const engine = new FakeEngine('docker');
    locator.docker = located(engine);
    await vi.waitFor(() => expect(directory.report.state).toBe('ready'));
    expect(directory.report).not.toHaveProperty('problem');
    await vi.waitFor(() => expect(directory.report.image.state).toBe('absent'));
    expect(engine.reaps).toEqual([{ own: false }]);

    locator.docker = undefined;
    engine.stop(new Error('stopped'));
    await vi.waitFor(() => expect(directory.report.state).toBe('missing'));
    expect(directory.report).not.toHaveProperty('selected');
    expect(engine.disposed).toBe(true);

    // Its runs ended with it: what they left in it is in nobody's use any more.
    const back = new FakeEngine('docker');
    locator.docker = located(back, '2');
    await vi.waitFor(() => expect(directory.report.selected?.version).toBe('2'));
    expect(back.reaps).toEqual([{ own: true }]);
  });

  it('stops looking while an engine answers, and when it is disposed', async () => {
    locator.docker = located(new FakeEngine('docker'));
    directory = open();
    await vi.waitFor(() => expect(directory.report.state).toBe('ready'));
    const { looks } = locator;
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(locator.looks).toBe(looks);

    await directory[Symbol.asyncDispose]();
    locator.docker = undefined;
    directory = open();
    await vi.waitFor(() => expect(directory.report.state).toBe('missing'));
    await directory[Symbol.asyncDispose]();
    const ended = locator.looks;
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(locator.looks).toBe(ended);
  });

  it('runs nothing as processes before the author agreed, and changes to Docker when it appears', async () => {
    locator.process = { available: true, bubblewrap: false };
    directory = open();
    await vi.waitFor(() => expect(directory.report.state).toBe('needs_consent'));
    await expect(acquire()).rejects.toMatchObject({ problem: { code: 'consent_required' } });
    await directory.consent(true);
    expect((await acquire()).engine).toBe(locator.processEngine);
    expect(directory.report.selected?.isolates).toBe(false);

    locator.docker = located(new FakeEngine('docker'));
    await vi.waitFor(() => expect(directory.report.selected?.kind).toBe('docker'));
    await directory.prefer('process');
    expect(directory.report.selected?.kind).toBe('process');
  });

  it('follows a preference that was changed elsewhere', async () => {
    locator.docker = located(new FakeEngine('docker'));
    locator.process = { available: true, bubblewrap: true };
    directory = open();
    await vi.waitFor(() => expect(directory.report.state).toBe('ready'));
    settings.update({ enginePreference: 'process' });
    await vi.waitFor(() => expect(directory.report.state).toBe('needs_consent'));
  });
});

describe('acquire', () => {
  let engine: FakeEngine;

  beforeEach(() => {
    engine = new FakeEngine('docker');
    locator.docker = located(engine);
    directory = open();
  });

  it('tells its phases, and shows the build and the checks in the report', async () => {
    const phases: string[] = [];
    const reports: string[] = [];
    directory.onReport(({ image }) => reports.push(image.state));
    const acquired = await directory.acquire({
      signal: never,
      onPhase: (phase, detail, fraction) => phases.push(`${phase} ${detail} ${fraction ?? ''}`.trim()),
    });
    expect(acquired).toEqual({ engine, image: 'image' });
    expect(phases.slice(-2)).toEqual([
      'image Installing 0.5',
      'engine Checking that the sandbox is isolated',
    ]);
    expect(reports).toContain('building');
    expect(directory.report).toMatchObject({ image: { state: 'ready' }, isolation: PASSED });
  });

  it('probes once for each engine version and image, also across starts', async () => {
    await Promise.all([acquire(), acquire()]);
    await acquire();
    expect(engine.probes).toBe(1);
    await directory[Symbol.asyncDispose]();
    directory = open();
    await acquire();
    expect(engine.probes).toBe(1);
    await directory[Symbol.asyncDispose]();
    locator.docker = located(engine, '2');
    directory = open();
    await acquire();
    expect(engine.probes).toBe(2);
  });

  it('refuses an engine that does not isolate, naming the check, and looks again next time', async () => {
    engine.checks = FAILED;
    await expect(acquire()).rejects.toMatchObject({
      problem: {
        code: 'isolation_failed',
        detail: 'Has no route: There is 1.',
        causes: [{ code: 'routes' }],
      },
    });
    expect(directory.report.isolation).toEqual(FAILED);
    engine.checks = PASSED;
    await expect(acquire()).resolves.toMatchObject({ image: 'image' });
  });

  it("passes on a failed build's problem", async () => {
    const problem = { code: 'image_build_failed', title: 'Not built', detail: 'No disk.' };
    engine.buildFailure = new ProblemError(problem);
    await expect(acquire()).rejects.toMatchObject({ problem });
  });

  it('gives up at once when its signal is aborted while an engine is looked for', async () => {
    locator.docker = undefined;
    const caller = new AbortController();
    const acquiring = directory.acquire({ signal: caller.signal, onPhase: () => undefined });
    caller.abort(new Error('stopped by the author'));
    await expect(acquiring).rejects.toThrow('stopped by the author');
  });
});

it('prepares the image in the background', async () => {
  const engine = new FakeEngine('docker');
  const { promise, resolve } = Promise.withResolvers<void>();
  engine.gate = promise;
  locator.docker = located(engine);
  directory = open();
  await directory.prepareImage();
  await vi.waitFor(() => expect(directory.report.image.state).toBe('building'));
  resolve();
  await vi.waitFor(() =>
    expect(directory.report).toMatchObject({ image: { state: 'ready' }, isolation: PASSED }),
  );
});

describe('local MCP servers', () => {
  const place = () => directory.acquireForServers({ engine: locator.processEngine, image: 'own' }, never);

  it('go where the sandbox is, when that is isolated', async () => {
    locator.docker = located(new FakeEngine('docker'));
    directory = open();
    const own = await acquire();
    await expect(directory.acquireForServers(own, never)).resolves.toBe(own);
  });

  it('are never processes of the author, and it is said how to have them elsewhere', async () => {
    locator.docker = located(new FakeEngine('docker'));
    directory = open();
    await expect(place()).rejects.toMatchObject({
      problem: {
        code: 'local_server_not_isolated',
        detail: expect.stringContaining('unless INTEGRATION_RUNTIME_ADAPTER=docker') as string,
      },
    });
  });

  it('go to Docker beside processes when the author says so, and nowhere without it', async () => {
    directory = open(true);
    await expect(place()).rejects.toMatchObject({ problem: { code: 'local_server_not_isolated' } });
    locator.docker = located(new FakeEngine('docker'));
    await expect(place()).resolves.toEqual({ engine: locator.docker.engine, image: 'image' });
  });
});
