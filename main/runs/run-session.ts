import { randomBytes } from 'node:crypto';
import type { EngineDirectory, Placement } from '#main/engines/engine.ts';
import type { RunModel } from '#main/models/model-gateway.ts';
import type { Logger } from '#main/logging/logger.ts';
import type { SandboxEvent, SidecarEvent } from '#shared/events/run-event.ts';
import { WORKSPACE_PATH } from '#shared/protocol/layout.ts';
import type { OutboundCall } from '#shared/protocol/integrations.ts';
import { serveModelStreams } from '#shared/protocol/model-stream-server.ts';
import type { PromptOutcome } from '#shared/protocol/sandbox.ts';
import { ProblemError, toProblem, type Problem } from '#shared/problem.ts';
import { answerSidecar } from './answer-sidecar.ts';
import { ModelSilence } from './model-silence.ts';
import { isKeepable } from './output-names.ts';
import type { PairPool } from './pair-pool.ts';
import type { Pair } from './pair.ts';
import { atMost, whilePairLives } from './pair-waits.ts';
import { PhaseLog } from './phase-log.ts';
import { deadlineNudge, outputReprompt, taskMessage } from './prompt.ts';
import { recordHead } from './cassette/record-head.ts';
import { RecordingModel } from './cassette/recording-model.ts';
import { createCollectors, type RunCollectors } from './run-collectors.ts';
import { callsServices, type IntegrationServices } from './run-integrations.ts';
import { KeptRunMemory, type MemoryOfAgents, type RunMemory } from './run-memory.ts';
import type { RunRecorder } from './run-recorder.ts';
import type { RunRepository } from './run-repository.ts';
import { serveMemory } from './serve-memory.ts';
import { sandboxConfiguration, sidecarConfiguration } from './session-configuration.ts';
import { interruptedProblem, noReplay, recordFull } from './session-problems.ts';
import type { SessionRequest } from './session-request.ts';
import { startServers } from './start-servers.ts';
import { judge, judgeTimeout, requiredFieldsOf, type Verdict } from './verdict.ts';
import { workspaceArchive } from './workspace-archive.ts';

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

export interface SessionServices {
  readonly engines: EngineDirectory;
  readonly pairs: PairPool;
  readonly repository: RunRepository;
  readonly integrations: IntegrationServices;
  readonly memory: MemoryOfAgents;
  readonly logger: Logger;
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
  readonly #model: RunModel;
  #serverPlace: Placement | undefined;
  #endReason: EndReason | undefined;
  /** Milliseconds of the model's silence when the run was ended. */
  #silentMs = 0;
  #lastSendProblem: { status: number; detail: string } | undefined;

  constructor(recorder: RunRecorder, request: SessionRequest, services: SessionServices) {
    this.#recorder = recorder;
    this.#request = request;
    this.#services = services;
    const { model, cassette, replay } = request;
    this.#memory = replay?.replay ?? new KeptRunMemory(services.memory, services.repository, recorder);
    this.#model = cassette === undefined ? model : new RecordingModel(model, cassette);
    void replay?.replay.missing.then((problem) => this.#fail(problem));
  }

  /** Ends the run early; the first reason counts. */
  end(reason: EndReason): void {
    if (this.#endReason) return;
    this.#endReason = reason;
    this.#silentMs = this.#silence.milliseconds;
    this.#abort.abort(new DOMException('The run was ended.', 'AbortError'));
  }

  /** Ends the run for something that it cannot go on without. */
  #fail(problem: Problem): void {
    if (this.#endReason) return;
    this.#abort.abort(new ProblemError(problem));
  }

  /** Runs it. Never throws: whatever happens becomes the run's verdict. */
  async execute(): Promise<void> {
    const model = this.#model;
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
    await this.#request.cassette?.close();
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
    const collectors = createCollectors(pair.sandbox.container, this.#request, this.#recorder);
    const { outputs, resources } = collectors;
    let verdict: Verdict;
    let isSandboxThere = true;
    try {
      verdict = await this.#work(pair, collectors);
    } catch (error) {
      verdict = this.#verdictOf(error);
      isSandboxThere = this.#endReason !== undefined || !pair.sandbox.connection.peer.isClosed;
    }
    try {
      if (isSandboxThere) {
        using look = this.#lastLook();
        await Promise.all([outputs.finish(look.signal), resources.finish(look.signal)]);
      } else {
        await Promise.all([outputs.close(), resources.finish(AbortSignal.abort())]);
      }
    } finally {
      // A slow engine must not hold the verdict back; the end of the app waits for it.
      await atMost(this.#services.pairs.remove(pair), REMOVE_MS);
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
  async #work(pair: Pair, collectors: RunCollectors): Promise<Verdict> {
    const phases = new PhaseLog(this.#recorder);
    const { signal } = this.#abort;
    const { agent } = this.#request;
    const model = this.#model;
    using disposables = new DisposableStack();
    this.#listen(pair, collectors, disposables);
    const { servers } = this.#request.integrations;
    if (servers.length > 0 && this.#serverPlace !== undefined) {
      const { logger } = this.#services;
      disposables.use(
        startServers(servers, this.#serverPlace, { pair, recorder: this.#recorder, phases, logger }),
      );
    }

    phases.enter('workspace');
    const tools = await whilePairLives(pair, signal, async () => {
      const filled = pair.sandbox.container.putArchive(
        WORKSPACE_PATH,
        workspaceArchive(this.#request.workspaceFiles, signal),
        signal,
      );
      const configure = () => this.#configure(pair);
      // The session reads the skills' heads as it begins; without any it need not wait.
      const configured = this.#request.skills.length > 0 ? filled.then(configure) : configure();
      // Told below: one may fail while the other is still waited for.
      for (const each of [filled, configured]) each.catch(() => undefined);
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
      whilePairLives(pair, signal, async () => {
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
      if (signal.aborted) await atMost(pair.sandbox.connection.peer.request('abort', {}), ABORT_MS);
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

  /** @returns the tools the model is offered */
  async #configure(pair: Pair) {
    const token = randomBytes(32).toString('base64url');
    const place = { runId: this.#recorder.summary.id, pair, token };
    const { memory, event } = this.#memory.prompt();
    if (event !== undefined) this.#recorder.append(event);
    const forSandbox = sandboxConfiguration(this.#request, place, memory);
    const forSidecar = sidecarConfiguration(this.#request, place, () =>
      this.#services.integrations.network(),
    );
    const [{ tools }, { services }] = await Promise.all([
      pair.sandbox.connection.peer.request('configure', forSandbox),
      pair.sidecar.connection.peer.request('configure', forSidecar),
    ]);
    const { systemPrompt } = forSandbox;
    await recordHead(this.#request, { systemPrompt, services, memory, prompted: event }, this.#abort.signal);
    return tools;
  }

  #listen(pair: Pair, collectors: RunCollectors, disposables: DisposableStack): void {
    const model = this.#model;
    const { cassette, replay } = this.#request;
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
    disposables.use(
      answerSidecar(sidecar, {
        recorder: this.#recorder,
        integrations: this.#services.integrations,
        plan: this.#request.integrations.plan,
        outputs: collectors.outputs,
        ended: this.#abort.signal,
      }),
    );
    serveMemory(sidecar, this.#memory, this.#recorder, cassette);
    sidecar.handle('recordedCall', (call) =>
      Promise.try(() => {
        if (replay === undefined) throw new ProblemError(noReplay());
        return replay.replay.call(call);
      }),
    );
    disposables.defer(sidecar.on('toolRecorded', ({ call }) => cassette?.add({ kind: 'call', ...call })));
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

  #recordSandboxEvent(event: SandboxEvent, { outputs, resources }: RunCollectors): void {
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
    if (this.#recorder.isFull) return { status: 'failed', problem: recordFull() };
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
