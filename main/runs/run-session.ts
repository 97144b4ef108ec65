import { randomBytes } from 'node:crypto';
import type { EngineDirectory, Placement } from '#main/engines/engine.ts';
import type { RunnableAgent } from '#main/library/library.ts';
import type { Logger } from '#main/logging/logger.ts';
import type { RunModel } from '#main/models/model-gateway.ts';
import type { SandboxEvent, SidecarEvent } from '#shared/events/run-event.ts';
import { EGRESS_SOCKET_PATH, SOCKET_PATH, WORKSPACE_BYTES, WORKSPACE_PATH } from '#shared/protocol/layout.ts';
import type { OutboundCall } from '#shared/protocol/integrations.ts';
import { serveModelStreams } from '#shared/protocol/model-stream-server.ts';
import type { PromptOutcome } from '#shared/protocol/sandbox.ts';
import type { SidecarConfiguration } from '#shared/protocol/sidecar.ts';
import { ProblemError, toProblem } from '#shared/problem.ts';
import type { RunInputFile, RunPhase } from '#shared/runs/run.ts';
import { systemPrompt, type ServiceNotes } from '#shared/runs/system-prompt.ts';
import { ModelSilence } from './model-silence.ts';
import { OutputCollector } from './output-collector.ts';
import { isKeepable } from './output-names.ts';
import type { PairPool } from './pair-pool.ts';
import type { Pair } from './pair.ts';
import { deadlineNudge, outputReprompt, taskMessage } from './prompt.ts';
import { ResourceCollector } from './resource-collector.ts';
import {
  calledServices,
  callsServices,
  type BoundIntegrations,
  type IntegrationServices,
} from './run-integrations.ts';
import { RunMemory, type MemoryOfAgents } from './run-memory.ts';
import type { RunRecorder } from './run-recorder.ts';
import type { RunRepository } from './run-repository.ts';
import { LocalServers } from './runners/local-servers.ts';
import { judge, judgeTimeout, requiredFieldsOf, type Verdict } from './verdict.ts';
import { workspaceArchive, type WorkspaceFile } from './workspace-archive.ts';

/** Sandbox tools every agent has so far (the page: Sandbox tools). */
const SANDBOX_TOOLS = ['read', 'write', 'edit', 'bash', 'grep', 'find', 'ls'];
/** Bytes of a tool's result that the record shows. */
const SHOWN_RESULT_BYTES = 32 * 1024;
/** Lines that a local MCP server writes for people, as far as a run shows them. */
const SHOWN_SERVER_LINES = 200;
/** Parts of the time limit at which the model is told how much is left. */
const NUDGE_AT = [0.75, 0.9];
/** Time limits below this are too short for a nudge to help. */
const SHORTEST_NUDGED_SECONDS = 30;

/** Longest waits when a run is ended from outside; together they stay below the 3 s that Stop may take. */
const ABORT_MS = 700;
const LAST_LOOK_MS = 900;
/** Longest wait for the last look at the outputs of a run that ended by itself. */
const COLLECT_MS = 30_000;
const REMOVE_MS = 1_200;

export interface SessionRequest {
  readonly agent: RunnableAgent;
  readonly model: RunModel;
  readonly input: Record<string, unknown>;
  readonly inputFiles: readonly RunInputFile[];
  readonly workspaceFiles: readonly WorkspaceFile[];
  /** Folders of the workspace with skills. */
  readonly skills: readonly string[];
  readonly serviceNotes: readonly ServiceNotes[];
  readonly integrations: BoundIntegrations;
  /** Where the kept outputs go. */
  readonly outputFolder: string;
  /** Where results go that were too large for the conversation. */
  readonly resourceFolder: string;
}

export interface SessionServices {
  readonly engines: EngineDirectory;
  readonly pairs: PairPool;
  readonly repository: RunRepository;
  readonly integrations: IntegrationServices;
  readonly memory: MemoryOfAgents;
  readonly logger: Logger;
}

/** What brings a run's files to this computer. */
interface Collectors {
  readonly outputs: OutputCollector;
  readonly resources: ResourceCollector;
}

/** Why a run is ended from outside. */
export type EndReason = 'cancelled' | 'timed_out' | 'interrupted';

/** One run from its first phase to its verdict. Made once, executed once. */
export class RunSession {
  readonly #recorder: RunRecorder;
  readonly #request: SessionRequest;
  readonly #services: SessionServices;
  readonly #abort = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #silence = new ModelSilence();
  readonly #memory: RunMemory;
  #serverPlace: Placement | undefined;
  #endReason: EndReason | undefined;
  /** Milliseconds of the model's silence when the run was ended. */
  #silentMs = 0;
  #lastSendProblem: { status: number; detail: string } | undefined;

  constructor(recorder: RunRecorder, request: SessionRequest, services: SessionServices) {
    this.#recorder = recorder;
    this.#request = request;
    this.#services = services;
    this.#memory = new RunMemory(services.memory, recorder);
  }

  /** Ends the run early; the first reason counts. */
  end(reason: EndReason): void {
    if (this.#endReason) return;
    this.#endReason = reason;
    this.#silentMs = this.#silence.milliseconds;
    this.#abort.abort(new DOMException('The run was ended.', 'AbortError'));
  }

  /** Runs it. Never throws: whatever happens becomes the run's verdict. */
  async execute(): Promise<void> {
    const { model } = this.#request;
    const stopMetering = model.onUsage((usage) => {
      this.#recorder.update({ usage });
      this.#recorder.append({ type: 'usage.updated', usage });
    });
    let verdict: Verdict;
    try {
      this.#recorder.update({ status: 'preparing' });
      const pair = await this.#prepare();
      verdict = await this.#useAndRemove(pair);
    } catch (error) {
      verdict = this.#verdictOf(error);
    } finally {
      stopMetering();
      for (const timer of this.#timers) clearTimeout(timer);
    }
    this.#recorder.end(verdict);
  }

  /** Engine, image and a pair of containers. */
  async #prepare(): Promise<Pair> {
    const { engines, pairs } = this.#services;
    const signal = this.#abort.signal;
    const phases = new PhaseLog(this.#recorder);
    phases.enter('engine');
    const { engine, image } = await engines.acquire({
      signal,
      onPhase: (phase, detail, fraction) => {
        phases.enter(phase);
        phases.progress(detail, fraction);
      },
    });
    this.#recorder.update({ engine: engine.kind });
    if (this.#request.integrations.servers.length > 0) {
      this.#serverPlace = await engines.acquireForServers({ engine, image }, signal);
    }
    phases.enter('containers');
    const pair = await pairs.take(engine, image, signal);
    phases.leave();
    return pair;
  }

  async #useAndRemove(pair: Pair): Promise<Verdict> {
    const kept = new Set<string>();
    const collector = new OutputCollector(pair.sandbox.container, this.#request.outputFolder, {
      kept: (file, sha256) => {
        kept.add(file.path);
        this.#recorder.saveOutputFile(file);
        this.#recorder.update({ fileCount: kept.size });
        this.#recorder.append({
          type: 'file.kept',
          path: file.path,
          size: file.size,
          mediaType: file.mediaType,
          sha256,
        });
      },
      skipped: (path, problem) => this.#recorder.append({ type: 'file.skipped', path, problem }),
      removed: (path) => {
        kept.delete(path);
        this.#recorder.removeOutputFile(path);
        this.#recorder.update({ fileCount: kept.size });
        this.#recorder.append({ type: 'file.removed', path });
      },
    });
    const resources = new ResourceCollector(pair.sandbox.container, this.#request.resourceFolder, {
      kept: (path, size) => this.#recorder.append({ type: 'resource.kept', path, size }),
      skipped: (path, problem) => this.#recorder.append({ type: 'resource.skipped', path, problem }),
    });
    let verdict: Verdict;
    let isSandboxThere = true;
    try {
      verdict = await this.#work(pair, { outputs: collector, resources });
    } catch (error) {
      verdict = this.#verdictOf(error);
      isSandboxThere = this.#endReason !== undefined || !pair.sandbox.connection.peer.isClosed;
    }
    try {
      if (isSandboxThere) {
        using look = this.#lastLook();
        await Promise.all([collector.finish(look.signal), resources.finish(look.signal)]);
      } else {
        await Promise.all([collector.close(), resources.finish(AbortSignal.abort())]);
      }
    } finally {
      // A slow engine must not hold the verdict back; the end of the app waits for it.
      await within(this.#services.pairs.remove(pair), REMOVE_MS);
    }
    return verdict;
  }

  /** How long the last look at the files may take; less from when the run is ended from outside. */
  #lastLook(): Disposable & { readonly signal: AbortSignal } {
    const { signal: ended } = this.#abort;
    const over = new AbortController();
    const within = (milliseconds: number) =>
      setTimeout(
        () => over.abort(new DOMException('The last look took too long.', 'TimeoutError')),
        milliseconds,
      );
    const timers = [within(this.#endReason ? LAST_LOOK_MS : COLLECT_MS)];
    const hurry = () => void timers.push(within(LAST_LOOK_MS));
    if (!ended.aborted) ended.addEventListener('abort', hurry, { once: true });
    return {
      signal: over.signal,
      [Symbol.dispose]() {
        ended.removeEventListener('abort', hurry);
        for (const timer of timers) clearTimeout(timer);
      },
    };
  }

  /** Fills the workspace, configures both programs and plays the loop. */
  async #work(pair: Pair, collectors: Collectors): Promise<Verdict> {
    const phases = new PhaseLog(this.#recorder);
    const { signal } = this.#abort;
    const { agent, model } = this.#request;
    using disposables = new DisposableStack();
    this.#listen(pair, collectors, disposables);
    this.#startServers(pair, phases, disposables);

    phases.enter('workspace');
    const tools = await guarded(pair, signal, async () => {
      const token = randomBytes(32).toString('base64url');
      const filled = pair.sandbox.container.putArchive(
        WORKSPACE_PATH,
        workspaceArchive(this.#request.workspaceFiles, signal),
        signal,
      );
      const configure = () => this.#configure(pair, token);
      // The session reads the skills' heads as it begins; without any it need not wait.
      const configured = this.#request.skills.length > 0 ? filled.then(configure) : configure();
      configured.catch(() => undefined);
      // While the rest is made ready: nothing of it needs a way out.
      if (callsServices(this.#request.integrations)) await pair.sidecar.container.openNetwork(signal);
      await filled;
      phases.enter('agent');
      return configured;
    });
    phases.leave();

    this.#recorder.update({ status: 'running', startedAt: Date.now() });
    this.#recorder.append({ type: 'run.started', timeoutSeconds: agent.timeoutSeconds, tools });
    this.#startClock(pair);

    const prompt = (text: string, narrowed?: string[]): Promise<PromptOutcome> =>
      guarded(pair, signal, async () => {
        const settled = await pair.sandbox.connection.peer.request('prompt', {
          text,
          ...(narrowed && { tools: narrowed }),
        });
        // Two streams keep no order between them: what the sidecar told before comes with its answer.
        await pair.sidecar.connection.peer.request('settle', {});
        return settled;
      });
    let outcome: PromptOutcome;
    try {
      outcome = await prompt(taskMessage(this.#request.input, this.#request.inputFiles));
      if (this.#owesOutput() && outcome.stopReason !== 'error') {
        const detail = outputReprompt(requiredFieldsOf(agent.outputSchema));
        this.#recorder.append({ type: 'run.nudged', reason: 'output', detail });
        outcome = await prompt(detail, ['output', 'read']);
      }
    } catch (error) {
      if (signal.aborted) await within(pair.sandbox.connection.peer.request('abort', {}), ABORT_MS);
      throw error;
    }
    return judge({
      outcome,
      modelRequests: model.usage.modelRequests,
      lastModelFailure: model.lastFailure ?? this.#lastSendProblem,
      modelName: model.description.displayName,
      outputRequired: this.#isOutputRequired(),
      hasOutput: this.#recorder.summary.hasOutput,
      requiredFields: requiredFieldsOf(agent.outputSchema),
    });
  }

  #configure(pair: Pair, token: string) {
    const { agent, model } = this.#request;
    const { description } = model;
    const configureSidecar = pair.sidecar.connection.peer.request('configure', {
      runId: this.#recorder.summary.id,
      token,
      socketPath: pair.sidecar.container.resolve(SOCKET_PATH),
      runtimeTools: [...agent.runtimeTools],
      ...(agent.outputSchema && { outputSchema: agent.outputSchema }),
      ...(this.#request.integrations.servers.length > 0 && {
        egressSocketPath: pair.sidecar.container.resolve(EGRESS_SOCKET_PATH),
      }),
      ...this.#integrationsOf(description),
    });
    const configureSandbox = pair.sandbox.connection.peer.request('configure', {
      runId: this.#recorder.summary.id,
      workspace: pair.sandbox.container.resolve(WORKSPACE_PATH),
      systemPrompt: systemPrompt({
        agentName: agent.displayName,
        agentPrompt: agent.promptText,
        timeoutSeconds: agent.timeoutSeconds,
        workspaceBytes: WORKSPACE_BYTES,
        runtimeTools: agent.runtimeTools,
        hasOutputSchema: agent.outputSchema !== undefined,
        services: calledServices(this.#request.integrations),
        serviceNotes: this.#request.serviceNotes,
        memory: this.#memory.prompt(),
      }),
      model: {
        api: description.api,
        id: description.modelId,
        name: description.displayName,
        contextWindow: description.contextWindow,
        maxTokens: description.maxTokens,
        reasoning: description.reasoning,
        images: description.images,
        ...(description.clientOptions && { clientOptions: description.clientOptions }),
      },
      sidecar: { socketPath: pair.sandbox.container.resolve(SOCKET_PATH), token },
      sandboxTools: SANDBOX_TOOLS,
      skills: [...this.#request.skills],
      shownResultBytes: SHOWN_RESULT_BYTES,
    });
    return Promise.all([configureSandbox, configureSidecar]).then(([{ tools }]) => tools);
  }

  /** What the sidecar is told to call services. */
  #integrationsOf({
    contextWindow,
    maxTokens,
    images,
  }: RunModel['description']): Partial<SidecarConfiguration> {
    const { integrations } = this.#request;
    const { limits, plan, internalHosts } = integrations;
    if (!callsServices(integrations)) return { limits };
    return {
      limits,
      integrations: [...plan],
      network: { ...this.#services.integrations.network(), internalHosts: [...internalHosts] },
      model: { contextWindow, maxTokens, images },
    };
  }

  /** Starts the local MCP servers while the rest is made ready; who asks for one waits for it. */
  #startServers(pair: Pair, phases: PhaseLog, disposables: DisposableStack): void {
    const { servers: plans } = this.#request.integrations;
    const place = this.#serverPlace;
    if (plans.length === 0 || place === undefined) return;
    const isBeside = place.engine === pair.engine;
    if (!isBeside) this.#recorder.append({ type: 'run.warned', problem: serversApart() });
    const lines = new Map<string, number>();
    const servers = new LocalServers(plans, {
      ...place,
      runId: this.#recorder.summary.id,
      // Volumes of one engine are nothing to another.
      ...(isBeside && { shared: { workspace: pair.workspace, egress: pair.egress } }),
      logger: this.#services.logger,
      onLog: ({ connectionId, displayName }, line) => {
        const count = (lines.get(connectionId) ?? 0) + 1;
        lines.set(connectionId, count);
        if (count > SHOWN_SERVER_LINES) return;
        const message =
          count < SHOWN_SERVER_LINES ? line : 'It goes on writing; nothing more of it is kept in the run.';
        this.#recorder.append({ type: 'log.written', level: 'info', message: `${displayName}: ${message}` });
      },
      onStarted: ({ displayName }, durationMs) =>
        phases.progress(`${displayName} runs after ${(durationMs / 1000).toFixed(1)} s`, undefined),
      onEnded: ({ displayName }, detail) =>
        this.#recorder.append({
          type: 'run.warned',
          problem: { code: 'local_server_ended', title: `${displayName} ended in the run`, detail },
        }),
    });
    pair.accompany(servers);
    disposables.use(servers.serve(pair.sidecar.connection.peer));
    servers.begin();
  }

  #listen(pair: Pair, collectors: Collectors, disposables: DisposableStack): void {
    const { model, agent } = this.#request;
    const sandbox = pair.sandbox.connection.peer;
    const sidecar = pair.sidecar.connection.peer;
    disposables.defer(
      sandbox.on('events', ({ events }) => {
        for (const event of events) this.#recordSandboxEvent(event, collectors);
        if (this.#recorder.isFull) this.end('cancelled');
      }),
    );
    disposables.defer(sidecar.on('event', ({ event }) => this.#recordSidecarEvent(event)));
    disposables.defer(
      sidecar.on('warning', ({ problem }) => this.#recorder.append({ type: 'run.warned', problem })),
    );
    disposables.defer(sidecar.on('outboundCall', ({ call }) => this.#recordCall(call)));
    sidecar.handle('runHistory', ({ limit, fields }) => {
      const runs = this.#services.repository.successes(agent.id, this.#recorder.summary.id, limit + 1);
      return Promise.resolve({
        object: 'list' as const,
        hasMore: runs.length > limit,
        data: runs.slice(0, limit).map(({ summary, output, checkpoint }) => ({
          id: summary.id,
          status: summary.status,
          date: new Date(summary.createdAt).toISOString(),
          duration: Math.round(((summary.endedAt ?? summary.createdAt) - summary.createdAt) / 1000),
          ...(fields.includes('checkpoint') && checkpoint !== undefined && { checkpoint }),
          ...(fields.includes('result') && output !== undefined && { result: { output } }),
        })),
      });
    });
    this.#serveCredentials(pair, disposables);
    this.#memory.serve(pair.sidecar.connection);
    sidecar.handle('publishFile', async ({ path: source, name, presentation }, signal) => {
      const published = await collectors.outputs.publish(source, name, signal);
      this.#recorder.append({
        type: 'file.published',
        path: published.path,
        isPrimary: presentation === 'primary',
      });
      return published;
    });
    disposables.use(
      serveModelStreams({
        peer: sidecar,
        send: async (request, signal) => {
          try {
            return await this.#silence.watch(model.send(request, signal));
          } catch (error) {
            const problem = toProblem(error);
            this.#lastSendProblem = { status: 0, detail: problem.detail };
            throw error;
          }
        },
        createAbort: () => {
          const controller = new AbortController();
          return {
            signal: AbortSignal.any([controller.signal, this.#abort.signal]),
            abort: () => controller.abort(),
          };
        },
        base64: {
          encode: (bytes) => Buffer.from(bytes).toString('base64'),
          decode: (text) => Buffer.from(text, 'base64'),
        },
        onError: (error) => this.#services.logger.error({ error }, 'A model request failed inside Slipway'),
      }),
    );
  }

  /** Answers for the connections of this run and the tools of its servers, and for no other. */
  #serveCredentials({ sidecar }: Pair, disposables: DisposableStack): void {
    const { connections, toolReviews } = this.#services.integrations;
    const { plan } = this.#request.integrations;
    const { peer } = sidecar.connection;
    const bound = new Set(plan.flatMap((integration) => integration.connections.map(({ id }) => id)));
    peer.handle('credentials', ({ connectionId, reason }, signal) => {
      if (!bound.has(connectionId)) throw foreignConnection();
      return connections.credentials(connectionId, reason, AbortSignal.any([signal, this.#abort.signal]));
    });
    peer.handle('reviewTools', ({ integrationId, listings }) => {
      const server = plan.find(({ id }) => id === integrationId)?.server;
      if (server === undefined) throw foreignConnection();
      return Promise.resolve({ withheld: [...toolReviews.review(integrationId, server, listings)] });
    });
    disposables.defer(
      connections.onCredentialChange((connectionId) => {
        if (bound.has(connectionId)) void peer.notify('credentialsChanged', { connectionId });
      }),
    );
  }

  #recordSandboxEvent(event: SandboxEvent, { outputs, resources }: Collectors): void {
    if (event.type === 'file.written') {
      if (!isKeepable(event.path)) return;
      outputs.changed(event.path);
    } else if (event.type === 'file.removed') {
      if (isKeepable(event.path)) void outputs.gone(event.path);
      // The collector tells of it once it is true of the kept files.
      return;
    }
    this.#recorder.append(event);
    if (event.type === 'resource.spilled') resources.take(event.path);
  }

  #recordSidecarEvent(event: SidecarEvent): void {
    this.#recorder.append(event);
    if (event.type === 'output.emitted') this.#recorder.saveOutput(event.data);
  }

  #recordCall(call: OutboundCall): void {
    const connections = this.#request.integrations.plan.flatMap((integration) => integration.connections);
    const label = connections.find(({ id }) => id === call.connectionId)?.label ?? call.connectionId;
    this.#recorder.saveCall(call, label);
  }

  #isOutputRequired(): boolean {
    const { agent } = this.#request;
    return agent.outputSchema !== undefined && agent.runtimeTools.includes('output');
  }

  #owesOutput(): boolean {
    return this.#isOutputRequired() && !this.#recorder.summary.hasOutput;
  }

  /** Starts the time limit, which counts from the loop's start, and the nudges before it. */
  #startClock(pair: Pair): void {
    const { timeoutSeconds } = this.#request.agent;
    this.#timers.add(setTimeout(() => this.end('timed_out'), timeoutSeconds * 1000));
    if (timeoutSeconds < SHORTEST_NUDGED_SECONDS) return;
    for (const part of NUDGE_AT) {
      const nudge = () => {
        const detail = deadlineNudge(Math.round(timeoutSeconds * (1 - part)));
        this.#recorder.append({ type: 'run.nudged', reason: 'deadline', detail });
        pair.sandbox.connection.peer.request('steer', { text: detail }).catch(() => undefined);
      };
      this.#timers.add(setTimeout(nudge, timeoutSeconds * part * 1000));
    }
  }

  #verdictOf(error: unknown): Verdict {
    if (this.#recorder.isFull) {
      return {
        status: 'failed',
        problem: {
          code: 'record_full',
          title: 'The run was too talkative',
          detail: 'The agent caused more events than one run may have, so it was stopped.',
          action: 'Look at the last calls: it probably repeats itself.',
        },
      };
    }
    switch (this.#endReason) {
      case 'cancelled':
        return { status: 'cancelled' };
      case 'timed_out':
        return judgeTimeout({
          timeoutSeconds: this.#request.agent.timeoutSeconds,
          modelName: this.#request.model.description.displayName,
          silentMs: this.#silentMs,
        });
      case 'interrupted':
        return { status: 'interrupted', problem: interruptedProblem() };
      case undefined: {
        const problem = toProblem(error);
        if (problem.code === 'internal_error') {
          this.#services.logger.error(
            { error, run: this.#recorder.summary.id },
            'A run failed inside Slipway',
          );
        }
        return { status: 'failed', problem };
      }
    }
  }
}

function foreignConnection(): ProblemError {
  return new ProblemError({
    code: 'connection_unknown',
    title: 'Not a connection of this run',
    detail: 'The run has no such connection.',
  });
}

/** What servers lack that run in Docker beside agents that do not. */
function serversApart() {
  return {
    code: 'local_servers_apart',
    title: 'The local MCP servers have no way out',
    detail:
      'The agent runs as a process and its servers in Docker, where they reach neither services nor the workspace.',
    action: 'Choose Docker in the engine settings, so that all of the run is there.',
  };
}

/** Why a run that Slipway's own end cut off has no other verdict. */
export function interruptedProblem() {
  return {
    code: 'run_interrupted',
    title: 'Slipway ended during the run',
    detail: 'The app was closed or stopped before the run had ended. What was recorded until then is kept.',
    action: 'Run the agent again.',
  };
}

/** Turns a run's steps of preparation into events, one open phase at a time. */
class PhaseLog {
  readonly #recorder: RunRecorder;
  #phase: RunPhase | undefined;
  #since = 0;

  constructor(recorder: RunRecorder) {
    this.#recorder = recorder;
  }

  enter(phase: RunPhase): void {
    if (this.#phase === phase) return;
    this.leave();
    this.#phase = phase;
    this.#since = performance.now();
    this.#recorder.update({ phase });
    this.#recorder.append({ type: 'phase.started', phase });
  }

  progress(detail: string, fraction: number | undefined): void {
    if (!this.#phase) return;
    this.#recorder.append({
      type: 'phase.progress',
      phase: this.#phase,
      detail,
      ...(fraction !== undefined && { fraction }),
    });
  }

  leave(): void {
    if (!this.#phase) return;
    this.#recorder.append({
      type: 'phase.ended',
      phase: this.#phase,
      durationMs: Math.round(performance.now() - this.#since),
    });
    this.#phase = undefined;
  }
}

/** Waits for work with a pair, but not longer than the pair lives or the run is wanted. */
async function guarded<T>(pair: Pair, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  const giveUp = () => ended.reject(signal.reason as Error);
  signal.addEventListener('abort', giveUp, { once: true });
  const promise = work();
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, ended.promise, failureOf(pair)]);
  } catch (error) {
    // The connection's end is seen before the container's; the container knows why.
    if (error instanceof ProblemError && error.problem.code === 'peer_closed' && !signal.aborted) {
      return await Promise.race([failureOf(pair), delayedThrow(error)]);
    }
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

async function failureOf(pair: Pair): Promise<never> {
  throw await pair.failure;
}

async function delayedThrow(error: unknown): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  throw error;
}

/** Waits at most so long, and never throws. */
async function within(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    promise.catch(() => undefined),
    new Promise((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    }),
  ]);
  clearTimeout(timer);
}
