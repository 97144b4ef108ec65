import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#main/logging/logger.ts';
import type { EngineReport, ImageStatus, IsolationCheck } from '#shared/engines/engine-report.ts';
import { ProblemError } from '#shared/problem.ts';
import type { Settings } from '#shared/settings/settings.ts';
import { abortable } from '#main/async/abortable.ts';
import type { EngineDirectory, Placement } from './engine.ts';
import { SharedTask } from './image/shared-task.ts';
import type { IsolationMemory } from './isolation/memory.ts';
import type { EngineLocator, LocatedEngine } from './located-engine.ts';
import { select, serverNotIsolated } from './selection.ts';

/** The author's choices about engines; the app's settings store has this form. */
export interface EngineSettings {
  get(): Pick<Settings, 'enginePreference' | 'processConsent' | 'preferGvisor'>;
  update(change: Partial<Pick<Settings, 'enginePreference' | 'processConsent'>>): unknown;
  onChange(listener: () => void): () => void;
}

export interface DirectoryDependencies {
  readonly locator: EngineLocator;
  readonly settings: EngineSettings;
  readonly memory: IsolationMemory;
  readonly platform: NodeJS.Platform;
  /** Whether the author has local MCP servers run in Docker though sandboxes are processes. */
  readonly isolatesServers: boolean;
  readonly logger: Logger;
  /** Milliseconds between looks while no engine answers; the last is repeated. */
  readonly backOff?: readonly number[];
}

const BACK_OFF_MS = [2000, 2000, 3000, 5000, 8000, 10_000];
const UNKNOWN_IMAGE: ImageStatus = { state: 'unknown', lines: [] };

/** Keeps the one report of where runs would happen, and the engine behind it. */
export class LocatingEngineDirectory implements EngineDirectory {
  readonly #locator: EngineLocator;
  readonly #settings: EngineSettings;
  readonly #memory: IsolationMemory;
  readonly #platform: NodeJS.Platform;
  readonly #isolatesServers: boolean;
  readonly #logger: Logger;
  readonly #backOff: readonly number[];
  readonly #listeners = new Set<(report: EngineReport) => void>();
  readonly #disposed = new AbortController();
  readonly #unsubscribe: () => void;
  /** Every engine that was opened: runs may go on using one that is no longer selected. */
  readonly #opened = new Set<LocatedEngine>();
  readonly #probes = new Map<string, SharedTask<IsolationCheck[], never>>();
  /** What probes of this start showed: passed, or of an engine that does not claim to isolate. */
  readonly #shown = new Map<string, IsolationCheck[]>();
  #report: EngineReport;
  #docker: LocatedEngine | undefined;
  /** Docker stopped under whatever ran there, so that nothing of ours in it is in use when it is back. */
  #hasLostDocker = false;
  #process: LocatedEngine | undefined;
  #selected: LocatedEngine | undefined;
  #search: Promise<void> | undefined;
  #nextSearch: Promise<void> | undefined;
  #nextLook: AbortController | undefined;
  #fruitless = 0;
  #choices: string;

  constructor(dependencies: DirectoryDependencies) {
    this.#locator = dependencies.locator;
    this.#settings = dependencies.settings;
    this.#memory = dependencies.memory;
    this.#platform = dependencies.platform;
    this.#isolatesServers = dependencies.isolatesServers;
    this.#logger = dependencies.logger;
    this.#backOff = dependencies.backOff ?? BACK_OFF_MS;
    const { enginePreference, processConsent } = this.#settings.get();
    this.#report = {
      state: 'looking',
      preference: enginePreference,
      attempts: [],
      isolation: [],
      process: { available: false, bubblewrap: false, consented: processConsent },
      image: UNKNOWN_IMAGE,
    };
    this.#choices = JSON.stringify(this.#settings.get());
    this.#unsubscribe = this.#settings.onChange(() => this.#onSettings());
    void this.look();
  }

  get report(): EngineReport {
    return this.#report;
  }

  onReport(listener: (report: EngineReport) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async look(): Promise<EngineReport> {
    await this.#searchAnew();
    return this.#report;
  }

  async prefer(preference: EngineReport['preference']): Promise<EngineReport> {
    this.#settings.update({ enginePreference: preference });
    return this.look();
  }

  async consent(granted: boolean): Promise<EngineReport> {
    this.#settings.update({ processConsent: granted });
    return this.look();
  }

  async acquire(options: {
    signal: AbortSignal;
    onPhase(phase: 'engine' | 'image', detail: string, fraction?: number): void;
  }): Promise<Placement> {
    const signal = AbortSignal.any([options.signal, this.#disposed.signal]);
    signal.throwIfAborted();
    const located =
      this.#selected ?? (await this.#findNow(signal, (detail) => options.onPhase('engine', detail)));
    return this.#place(located, signal, (...phase) => options.onPhase(...phase));
  }

  async acquireForServers(own: Placement, given: AbortSignal): Promise<Placement> {
    if (own.engine.isolates) return own;
    if (!this.#isolatesServers) throw serverNotIsolated();
    const signal = AbortSignal.any([given, this.#disposed.signal]);
    if (this.#docker === undefined) await abortable(this.#searchAnew(), signal);
    if (this.#docker === undefined) throw serverNotIsolated();
    return this.#place(this.#docker, signal, () => undefined);
  }

  async prepareImage(): Promise<void> {
    const { signal } = this.#disposed;
    const located = this.#selected ?? (await this.#findNow(signal, () => undefined));
    const prepare = async (): Promise<void> => {
      const image = await this.#ensureImage(located, signal, () => undefined);
      await this.#probe(located, image, signal, () => undefined);
    };
    prepare().catch((error: unknown) => {
      // The report has the problem; this is for the log alone.
      if (!signal.aborted) this.#logger.warn({ error }, 'The sandbox image could not be prepared');
    });
  }

  /** Makes sure of an engine's image and of what it isolates. */
  async #place(
    located: LocatedEngine,
    signal: AbortSignal,
    onPhase: (phase: 'engine' | 'image', detail: string, fraction?: number) => void,
  ): Promise<Placement> {
    const image = await this.#ensureImage(located, signal, (status) => {
      if (status.state === 'building') onPhase('image', status.step ?? '', status.fraction);
    });
    const checks = await this.#probe(located, image, signal, () =>
      onPhase('engine', 'Checking that the sandbox is isolated'),
    );
    if (located.engine.isolates) refuseLeaks(checks);
    return { engine: located.engine, image };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    this.#listeners.clear();
    this.#disposed.abort(cancelled());
    await this.#search?.catch(() => undefined);
    // A probe removes its containers through an engine that is still open.
    await Promise.all([...this.#probes.values()].map((probe) => probe.settle()));
    await Promise.allSettled([...this.#opened].map(({ engine }) => engine[Symbol.asyncDispose]()));
  }

  /** @param without what the new report has no more */
  #update(change: Partial<EngineReport>, without?: 'selected' | 'problem'): void {
    if (this.#disposed.signal.aborted) return;
    const report = { ...this.#report };
    if (without) delete report[without];
    this.#report = { ...report, ...change };
    for (const listener of this.#listeners) listener(this.#report);
  }

  #onSettings(): void {
    const choices = JSON.stringify(this.#settings.get());
    if (choices === this.#choices) return;
    this.#choices = choices;
    void this.#searchAnew();
  }

  /** Searches once more after whatever search is under way; callers who wait for that one share it. */
  #searchAnew(): Promise<void> {
    if (this.#disposed.signal.aborted) return Promise.resolve();
    if (!this.#search) {
      this.#search = this.#searchOnce().finally(() => {
        this.#search = undefined;
      });
      return this.#search;
    }
    this.#nextSearch ??= this.#search.then(() => {
      this.#nextSearch = undefined;
      return this.#searchAnew();
    });
    return this.#nextSearch;
  }

  async #searchOnce(): Promise<void> {
    const { signal } = this.#disposed;
    this.#nextLook?.abort();
    try {
      const [process, { located, attempts }] = await Promise.all([
        this.#locator.describeProcess(),
        this.#locator.locateDocker(this.#docker, signal),
      ]);
      if (signal.aborted) {
        await located?.engine[Symbol.asyncDispose]();
        return;
      }
      const isNew = located !== this.#docker;
      const own = this.#hasLostDocker;
      this.#docker = located;
      if (located) this.#hasLostDocker = false;
      if (located && isNew) await this.#open(located, { own });
      await this.#choose(attempts, process);
    } catch (error) {
      if (!signal.aborted) this.#logger.error({ error }, 'Looking for engines failed');
    }
    this.#lookLater();
  }

  async #choose(
    attempts: EngineReport['attempts'],
    process: { available: boolean; bubblewrap: boolean },
  ): Promise<void> {
    const { enginePreference: preference, processConsent: consented } = this.#settings.get();
    const selection = select({
      preference,
      consented,
      dockerAnswers: this.#docker !== undefined,
      processAvailable: process.available,
      attempts,
      platform: this.#platform,
    });
    const common = { preference, attempts, process: { ...process, consented } };
    if (selection.state !== 'ready') {
      const { state, problem } = selection;
      this.#selected = undefined;
      this.#update({ ...common, state, problem, isolation: [], image: UNKNOWN_IMAGE }, 'selected');
      return;
    }
    if (selection.kind === 'process' && !this.#process) {
      this.#process = await this.#locator.openProcess();
      await this.#open(this.#process, { own: false });
    }
    const located = selection.kind === 'docker' ? this.#docker : this.#process;
    if (!located) return;
    const changed = located !== this.#selected;
    this.#selected = located;
    const { name, version, address, reason, engine } = located;
    this.#update(
      {
        ...common,
        state: 'ready',
        selected: { kind: engine.kind, name, version, address, reason, isolates: engine.isolates },
        ...(changed && { isolation: [], image: UNKNOWN_IMAGE }),
      },
      'problem',
    );
    if (changed) void this.#describeImage(located);
  }

  /** @param own whether what this instance made is left over as well: its runs ended with their engine */
  async #open(located: LocatedEngine, { own }: { own: boolean }): Promise<void> {
    this.#opened.add(located);
    void located.engine.gone.then((error) => this.#onGone(located, error));
    const reaping = located.engine.reap({ own }).then(
      (report) => {
        if (report.containers + report.volumes + report.networks > 0)
          this.#logger.info({ ...report }, 'Removed left-overs');
      },
      (error: unknown) => this.#logger.warn({ error }, 'Left-overs could not be removed'),
    );
    // Before anything new is made, which would be taken too.
    if (own) await reaping;
  }

  #onGone(located: LocatedEngine, error: Error): void {
    this.#logger.warn({ error, address: located.address }, 'The engine stopped answering');
    this.#opened.delete(located);
    void located.engine[Symbol.asyncDispose]();
    if (this.#docker === located) {
      this.#docker = undefined;
      this.#hasLostDocker = true;
    }
    if (this.#selected !== located || this.#disposed.signal.aborted) return;
    this.#selected = undefined;
    this.#update({ state: 'looking', image: UNKNOWN_IMAGE, isolation: [] }, 'selected');
    void this.#searchAnew();
  }

  /** Keeps looking while something better may appear: none is found, or only processes are left to use. */
  #lookLater(): void {
    const wanted = this.#settings.get().enginePreference !== 'process' && this.#docker === undefined;
    if (!wanted || this.#disposed.signal.aborted) {
      this.#fruitless = 0;
      return;
    }
    const wait = this.#backOff[Math.min(this.#fruitless, this.#backOff.length - 1)] ?? 0;
    this.#fruitless += 1;
    this.#nextLook = new AbortController();
    const signal = AbortSignal.any([this.#nextLook.signal, this.#disposed.signal]);
    delay(wait, undefined, { signal, ref: false }).then(
      () => this.#searchAnew(),
      () => undefined,
    );
  }

  async #findNow(signal: AbortSignal, onBegin: (detail: string) => void): Promise<LocatedEngine> {
    onBegin('Looking for an engine');
    // The first search of all may be under way.
    if (this.#search) await abortable(this.#search, signal);
    if (!this.#selected) await abortable(this.#searchAnew(), signal);
    if (this.#selected) return this.#selected;
    throw new ProblemError(
      this.#report.problem ?? {
        code: 'no_engine',
        title: 'No engine answers',
        detail: 'No place to run an agent was found.',
      },
    );
  }

  async #describeImage(located: LocatedEngine): Promise<void> {
    const { signal } = this.#disposed;
    const status = await located.inspectImage(signal).catch(() => undefined);
    if (status === undefined || this.#selected !== located) return;
    // A build that began meanwhile knows better.
    if (this.#report.image.state === 'unknown') this.#update({ image: status });
    if (status.state !== 'ready' || status.tag === undefined) return;
    const known = await this.#memory.recall(isolationKey(located, status.tag));
    if (known && this.#selected === located) this.#update({ isolation: known });
  }

  async #ensureImage(
    located: LocatedEngine,
    signal: AbortSignal,
    onProgress: (status: ImageStatus) => void,
  ): Promise<string> {
    return located.engine.ensureImage({
      signal,
      onProgress: (status) => {
        if (this.#selected === located && !isSameImage(this.#report.image, status))
          this.#update({ image: status });
        onProgress(status);
      },
    });
  }

  async #probe(
    located: LocatedEngine,
    image: string,
    signal: AbortSignal,
    onBegin: () => void,
  ): Promise<IsolationCheck[]> {
    const key = isolationKey(located, image);
    const checks =
      this.#shown.get(key) ??
      (await this.#memory.recall(key)) ??
      (await this.#probeOnce(key, located, image, signal, onBegin));
    if (!located.engine.isolates || checks.every(({ passed }) => passed)) this.#shown.set(key, checks);
    if (this.#selected === located && this.#report.isolation !== checks) this.#update({ isolation: checks });
    return checks;
  }

  async #probeOnce(
    key: string,
    located: LocatedEngine,
    image: string,
    signal: AbortSignal,
    onBegin: () => void,
  ): Promise<IsolationCheck[]> {
    onBegin();
    let task = this.#probes.get(key);
    if (!task || task.over) {
      task = new SharedTask(async (ended) => {
        const checks = await located.engine.probeIsolation(image, ended);
        await this.#memory.remember(key, checks).catch((error: unknown) => {
          this.#logger.warn({ error }, 'The isolation probe could not be remembered');
        });
        return checks;
      });
      this.#probes.set(key, task);
    }
    return task.join(signal, () => undefined);
  }
}

function isolationKey(located: LocatedEngine, image: string): string {
  return `${located.isolationKey()} ${image}`;
}

/** Whether a ready image is reported once more: nothing that anyone has to be told. */
function isSameImage(shown: ImageStatus, status: ImageStatus): boolean {
  return status.state === 'ready' && shown.state === 'ready' && shown.tag === status.tag;
}

function refuseLeaks(checks: readonly IsolationCheck[]): void {
  const failed = checks.filter(({ passed }) => !passed);
  const [first] = failed;
  if (!first) return;
  throw new ProblemError({
    code: 'isolation_failed',
    title: 'The sandbox is not isolated as it must be',
    detail: `${first.title}: ${first.detail}`,
    action:
      'Nothing was run. Look at the engine settings for the checks, and for how this engine is configured.',
    causes: failed.map(({ id, title, detail }) => ({ code: id, detail: `${title}: ${detail}` })),
  });
}

function cancelled(): DOMException {
  return new DOMException('The app is closing.', 'AbortError');
}
