import { createReadStream, existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineDirectory } from '#main/engines/engine.ts';
import type { Library } from '#main/library/library.ts';
import type { Logger } from '#main/logging/logger.ts';
import type { ModelGateway } from '#main/models/model-gateway.ts';
import type { InstanceRegistry } from '#main/store/index.ts';
import type { RunEvent } from '#shared/events/run-event.ts';
import { NO_USAGE } from '#shared/models/model.ts';
import { ProblemError } from '#shared/problem.ts';
import { differencesOf, type RunDifference } from '#shared/runs/differences.ts';
import { isFinalStatus, type KeptFolder, type RunDetail, type RunSummary } from '#shared/runs/run.ts';
import { formatCalls } from '#shared/runs/recorded-call.ts';
import type { Settings } from '#shared/settings/settings.ts';
import { CassetteWriter } from './cassette/cassette-writer.ts';
import { prepareReplay } from './cassette/prepare-replay.ts';
import { ForeignRuns } from './foreign-runs.ts';
import { isKeepable, mediaTypeOf } from './output-names.ts';
import { PairPool } from './pair-pool.ts';
import { newRunId } from './run-id.ts';
import { prepareRun, type PreparedRun, type RunPlace } from './prepare-run.ts';
import type { IntegrationServices } from './run-integrations.ts';
import type { MemoryOfAgents } from './run-memory.ts';
import { RunRecorder, type RecorderListener } from './run-recorder.ts';
import type { RunRepository } from './run-repository.ts';
import type { ExportedCalls, KeptFile, ReplayRequest, RunService, StartRequest } from './run-service.ts';
import { RunSession, type EndReason } from './run-session.ts';
import { interruptedProblem, noReplay } from './session-problems.ts';

export interface OrchestratorOptions {
  readonly repository: RunRepository;
  readonly library: Library;
  readonly models: ModelGateway;
  readonly engines: EngineDirectory;
  readonly integrations: IntegrationServices;
  readonly memory: MemoryOfAgents;
  readonly instances: InstanceRegistry;
  readonly logger: Logger;
  /** Folder that holds one folder for each run. */
  readonly runsFolder: string;
  settings(): Settings;
  /** Idle pairs pay only in a process that stays. */
  readonly keepsWarmPair: boolean;
}

interface ActiveRun {
  readonly recorder: RunRecorder;
  readonly session: RunSession;
  /** Resolves when the run has its verdict. */
  readonly ended: PromiseWithResolvers<void>;
  isExecuting: boolean;
}

/** {@link RunService}: a queue of sessions, their records and their listeners. */
export class RunOrchestrator implements RunService {
  readonly #options: OrchestratorOptions;
  readonly #pairs: PairPool;
  readonly #active = new Map<string, ActiveRun>();
  readonly #eventListeners = new Map<string, Set<() => void>>();
  readonly #summaryListeners = new Set<Parameters<RunService['onSummary']>[0]>();
  #others: ForeignRuns | undefined;
  #isDisposed = false;

  constructor(options: OrchestratorOptions) {
    this.#options = options;
    this.#pairs = new PairPool({
      logger: options.logger,
      wantsWarmPair: () => options.keepsWarmPair && options.settings().warmPair,
    });
  }

  /** Gives runs that a dead instance left unfinished their verdict. */
  closeInterruptedRuns(): number {
    const { repository, instances } = this.#options;
    const abandoned = repository.unfinished().filter((run) => !instances.isLive(run.instanceId));
    for (const { summary } of abandoned) {
      // The summary may be older than the last events that were written.
      const lastSequence = repository.lastSequence(summary.id);
      new RunRecorder(repository, { ...summary, lastSequence }, this.#recorderListener()).end({
        status: 'interrupted',
        problem: interruptedProblem(),
      });
    }
    return abandoned.length;
  }

  /** Follows the runs of other processes on the same data from now on, until the end. */
  followOthers(onForeignChange: (listener: () => void) => Disposable): void {
    const { repository, instances } = this.#options;
    const recording = this.#recorderListener();
    this.#others = new ForeignRuns({
      repository,
      instances,
      onForeignChange,
      eventsWritten: (runId) => recording.eventsWritten(runId),
      changed: (run) => this.#tell({ kind: 'changed', run }),
      removed: (runId) => this.#tell({ kind: 'removed', runId }),
      abandoned: () => void this.closeInterruptedRuns(),
    });
  }

  async warmUp(signal: AbortSignal): Promise<void> {
    if (!this.#options.keepsWarmPair) return;
    const { report } = this.#options.engines;
    if (report.state !== 'ready' || report.image.state !== 'ready') return;
    const { engine, image } = await this.#options.engines.acquire({ signal, onPhase: () => undefined });
    this.#pairs.prepare(engine, image);
  }

  async coolDown(): Promise<void> {
    await this.#pairs.clear();
  }

  async start(request: StartRequest): Promise<RunSummary> {
    if (this.#isDisposed) throw closing();
    const place = this.#placeOf(newRunId());
    const prepared = await prepareRun(request, this.#options, place);
    const run = this.#begin(place.runId, prepared, { trigger: request.trigger });
    if (request.trigger === 'app') {
      const { connections } = this.#options.integrations;
      for (const [integrationId, ids] of Object.entries(request.connections ?? {})) {
        connections.choose(prepared.agent.id, integrationId, ids);
      }
    }
    return run;
  }

  async replay(request: ReplayRequest): Promise<RunSummary> {
    if (this.#isDisposed) throw closing();
    const { runId, mode, trigger } = request;
    const recorded = {
      detail: this.get(runId),
      cassetteFile: this.#cassetteOf(runId),
      documentFolder: this.#folderOf(runId, 'documents'),
    };
    const place = this.#placeOf(newRunId());
    const prepared = await prepareReplay(request, recorded, this.#options, place);
    return this.#begin(place.runId, prepared, { trigger, replayOf: { runId, mode } });
  }

  differences(runId: string): RunDifference[] {
    const { replayOf } = this.#options.repository.summary(runId);
    if (replayOf === undefined) throw new ProblemError(noReplay());
    // One that was removed has no events, which is not to have had none.
    this.#options.repository.summary(replayOf.runId);
    const eventsOf = (id: string) => this.events(id, 0, Number.MAX_SAFE_INTEGER);
    return differencesOf(eventsOf(replayOf.runId), eventsOf(runId));
  }

  #begin(runId: string, prepared: PreparedRun, origin: Pick<RunSummary, 'trigger' | 'replayOf'>): RunSummary {
    // Asked again: nobody would end a run that began while the others were being ended.
    if (this.#isDisposed) throw closing();
    const { repository, instances } = this.#options;
    const { agent, model, input, inputFiles, warnings, replay } = prepared;
    const { description } = model;
    const summary: RunSummary = {
      id: runId,
      agentId: agent.id,
      agentVersion: agent.version,
      agentName: agent.displayName,
      status: 'queued',
      model: { providerId: description.providerId, modelId: description.modelId },
      modelName: description.displayName,
      ...origin,
      createdAt: Date.now(),
      timeoutSeconds: agent.timeoutSeconds,
      usage: NO_USAGE,
      hasOutput: false,
      fileCount: 0,
      lastSequence: 0,
    };
    repository.insert({
      summary,
      input,
      inputFiles,
      manifestText: agent.manifestText,
      promptText: agent.promptText,
      outputSchema: agent.outputSchema,
      instanceId: instances.instanceId,
    });
    const recorder = new RunRecorder(repository, summary, this.#recorderListener());
    recorder.append({
      type: 'run.queued',
      agentId: agent.id,
      agentVersion: agent.version,
      agentName: agent.displayName,
      model: description.displayName,
      inputFiles: [...inputFiles],
    });
    for (const problem of warnings) recorder.append({ type: 'run.warned', problem });
    recorder.flush();
    const cassette =
      replay === undefined
        ? new CassetteWriter(this.#cassetteOf(runId), (problem) =>
            recorder.append({ type: 'run.warned', problem }),
          )
        : undefined;
    const session = new RunSession(
      recorder,
      {
        ...prepared,
        cassette,
        outputFolder: this.outputFolder(runId),
        resourceFolder: this.#folderOf(runId, 'resources'),
      },
      { ...this.#options, pairs: this.#pairs },
    );
    this.#active.set(runId, { recorder, session, ended: Promise.withResolvers(), isExecuting: false });
    this.#tell({ kind: 'changed', run: recorder.summary });
    this.#fillSlots();
    return recorder.summary;
  }

  async stop(runId: string): Promise<void> {
    const run = this.#active.get(runId);
    if (!run) {
      if (!isFinalStatus(this.#options.repository.summary(runId).status)) throw runsElsewhere();
      return;
    }
    await this.#end(run, 'cancelled');
  }

  list(filter: Parameters<RunService['list']>[0]): { runs: RunSummary[]; hasMore: boolean } {
    return this.#options.repository.list(filter);
  }

  get(runId: string): RunDetail {
    this.#active.get(runId)?.recorder.flush();
    const detail = this.#options.repository.detail(runId);
    const folder = this.#folderOf(runId, 'documents');
    return {
      ...detail,
      isRecorded: existsSync(this.#cassetteOf(runId)),
      inputFiles: detail.inputFiles.map((file) => ({ ...file, kept: existsSync(join(folder, file.name)) })),
    };
  }

  async remove(runId: string): Promise<void> {
    const summary = this.#options.repository.summary(runId);
    if (!isFinalStatus(summary.status)) {
      throw new ProblemError({
        code: 'run_active',
        title: 'The run has not ended',
        detail: 'A run can be removed once it has ended.',
        action: 'Stop it first.',
      });
    }
    await rm(join(this.#options.runsFolder, runId), { recursive: true, force: true });
    this.#options.repository.remove(runId);
    this.#tell({ kind: 'removed', runId });
  }

  events(runId: string, after: number, limit: number): RunEvent[] {
    return this.#options.repository.events(runId, after, limit);
  }

  calls(...[runId, filter, page]: Parameters<RunService['calls']>): ReturnType<RunService['calls']> {
    this.#options.repository.summary(runId);
    this.#active.get(runId)?.recorder.flush();
    return this.#options.repository.calls.list(runId, filter, page);
  }

  exportCalls(...[runId, filter, format]: Parameters<RunService['exportCalls']>): ExportedCalls {
    const { calls } = this.calls(runId, filter, { after: 0, limit: Number.MAX_SAFE_INTEGER });
    return {
      fileName: `${runId}-calls.${format}`,
      mediaType: format === 'csv' ? 'text/csv' : 'application/x-ndjson',
      text: formatCalls(calls, format),
    };
  }

  onEvents(runId: string, listener: () => void): () => void {
    const listeners = this.#eventListeners.get(runId) ?? new Set();
    this.#eventListeners.set(runId, listeners);
    // A wrapper, so that one function may listen twice.
    const entry = () => listener();
    listeners.add(entry);
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0) this.#eventListeners.delete(runId);
    };
  }

  onSummary(listener: Parameters<RunService['onSummary']>[0]): () => void {
    this.#summaryListeners.add(listener);
    return () => this.#summaryListeners.delete(listener);
  }

  async openOutput(
    ...[runId, path, folder = 'outputs']: Parameters<RunService['openOutput']>
  ): Promise<KeptFile> {
    this.#options.repository.summary(runId);
    const unknown = new ProblemError({
      code: 'file_unknown',
      title: 'There is no such file',
      detail: `The run kept no file "${path}".`,
      file: path,
    });
    const isKept =
      folder === 'documents'
        ? this.#options.repository.detail(runId).inputFiles.some(({ name }) => name === path)
        : isKeepable(path);
    if (!isKept) throw unknown;
    const file = join(this.#folderOf(runId, folder), ...path.split('/'));
    const found = await stat(file).catch(() => undefined);
    if (!found?.isFile()) throw unknown;
    return {
      size: found.size,
      mediaType: mediaTypeOf(path),
      stream: (start, end) =>
        createReadStream(file, { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }),
    };
  }

  outputFolder(runId: string): string {
    return this.#folderOf(runId, 'outputs');
  }

  #placeOf(runId: string): RunPlace {
    return { runId, documentFolder: this.#folderOf(runId, 'documents') };
  }

  #cassetteOf(runId: string): string {
    return join(this.#options.runsFolder, runId, 'cassette.jsonl');
  }

  #folderOf(runId: string, folder: KeptFolder): string {
    return join(this.#options.runsFolder, runId, folder);
  }

  async ended(runId: string): Promise<void> {
    await this.#active.get(runId)?.ended.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#others?.[Symbol.dispose]();
    await Promise.all([...this.#active.values()].map((run) => this.#end(run, 'interrupted')));
    await this.#pairs[Symbol.asyncDispose]();
  }

  async #end(run: ActiveRun, reason: EndReason): Promise<void> {
    run.session.end(reason);
    if (!run.isExecuting) await this.#execute(run);
    await run.ended.promise;
  }

  #fillSlots(): void {
    const limit = this.#options.settings().maxConcurrentRuns;
    let executing = 0;
    for (const run of this.#active.values()) if (run.isExecuting) executing += 1;
    for (const run of this.#active.values()) {
      if (executing >= limit) return;
      if (run.isExecuting) continue;
      executing += 1;
      void this.#execute(run);
    }
  }

  async #execute(run: ActiveRun): Promise<void> {
    run.isExecuting = true;
    try {
      await run.session.execute();
    } catch (error) {
      // Not foreseen. The next start finds the run unfinished and closes it.
      this.#options.logger.error({ error, run: run.recorder.summary.id }, 'A run ended without a verdict');
    } finally {
      this.#active.delete(run.recorder.summary.id);
      run.ended.resolve();
      if (!this.#isDisposed) {
        this.#fillSlots();
        void this.warmUp(AbortSignal.timeout(60_000)).catch(() => undefined);
      }
    }
  }

  #recorderListener(): RecorderListener {
    return {
      eventsWritten: (runId) => {
        for (const listener of this.#eventListeners.get(runId) ?? []) listener();
      },
      summaryChanged: (run) => this.#tell({ kind: 'changed', run }),
      writeFailed: (runId, error) => {
        this.#options.logger.error({ error, run: runId }, 'Events could not be written');
        this.#active.get(runId)?.session.end('interrupted');
      },
    };
  }

  #tell(change: Parameters<Parameters<RunService['onSummary']>[0]>[0]): void {
    for (const listener of this.#summaryListeners) listener(change);
  }
}

function runsElsewhere(): ProblemError {
  return new ProblemError({
    code: 'run_elsewhere',
    title: 'The run belongs to another process',
    detail: 'It was started from a terminal, and that process alone can stop it.',
    action: 'Press Ctrl+C in that terminal.',
  });
}

function closing(): ProblemError {
  return new ProblemError({
    code: 'app_closing',
    title: 'Slipway is closing',
    detail: 'No run can be started while the app is closing.',
  });
}
