import { Readable } from 'node:stream';
import type { Application, SettingsStore } from '#main/app/application.ts';
import type { ConnectionService, ConnectionState, ToolReviewService } from '#main/connections/index.ts';
import { Offers } from '#main/offering/index.ts';
import { createCredentialProxies, Playground, ServerDesk, ServerTrials } from '#main/direct-calls/index.ts';
import type { EngineDirectory } from '#main/engines/engine.ts';
import type { Library } from '#main/library/library.ts';
import { silentLogger } from '#main/logging/index.ts';
import type { ModelGateway } from '#main/models/model-gateway.ts';
import { AuthorNetwork } from '#main/network/index.ts';
import type { ExportedCalls, ReplayRequest, RunService, StartRequest } from '#main/runs/run-service.ts';
import type { SessionSecretStore } from '#main/secrets/secret-store.ts';
import type { RunRequirements } from '#shared/connections/requirements.ts';
import type { EngineReport } from '#shared/engines/engine-report.ts';
import type { RunEvent, RunEventData } from '#shared/events/run-event.ts';
import type { AgentDetail, VaultState } from '#shared/ipc/routes.ts';
import { NO_USAGE, type ModelReference } from '#shared/models/model.ts';
import { ProblemError } from '#shared/problem.ts';
import { FakePackageService } from './fake-packages.ts';
import { memoryInMemory } from './memory-in-memory.ts';
import type { CallExportFormat, CallFilter, RecordedCall } from '#shared/runs/recorded-call.ts';
import type { RunDifference } from '#shared/runs/differences.ts';
import {
  isFinalStatus,
  type KeptFolder,
  type RunDetail,
  type RunPosition,
  type RunSummary,
} from '#shared/runs/run.ts';
import { DEFAULT_SIDECAR_LIMITS } from '#shared/tools/sidecar-limits.ts';
import { DEFAULT_SETTINGS, type Settings } from '#shared/settings/settings.ts';

/** Listeners of one kind of news. */
class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();

  add(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }

  get size(): number {
    return this.#listeners.size;
  }
}

function unknown(code: string, what: string, name: string): ProblemError {
  return new ProblemError({ code, title: `Unknown ${what}`, detail: `There is no ${what} "${name}".` });
}

export const FAKE_AGENT: AgentDetail = {
  summary: {
    id: '@fake/agent',
    version: '1.0.0',
    displayName: 'Fake agent',
    description: 'Stands in for a real one.',
    origin: 'sample',
    errorCount: 0,
    tools: ['output'],
    inputFieldCount: 1,
  },
  manifestText: '{}',
  promptText: 'Do it.',
  timeoutSeconds: 300,
  runtimeTools: ['output'],
  files: [{ path: 'examples/sales.csv', size: 9 }],
  examples: [{ field: 'table', path: 'examples/sales.csv', name: 'sales.csv', size: 9 }],
  exampleInput: {},
  findings: [],
};

interface FakeRun {
  detail: RunDetail;
  readonly events: RunEvent[];
  readonly files: Map<string, { bytes: Buffer; mediaType: string }>;
  readonly news: Listeners<void>;
}

/** Keeps runs in memory; tests push the events. */
export class FakeRunService implements RunService {
  readonly #runs = new Map<string, FakeRun>();
  readonly #summaries = new Listeners<
    { kind: 'changed'; run: RunSummary } | { kind: 'removed'; runId: string }
  >();
  readonly started: StartRequest[] = [];
  #created = 0;

  /** Listeners that nobody has removed. */
  get listenerCount(): number {
    return this.#summaries.size + [...this.#runs.values()].reduce((sum, run) => sum + run.news.size, 0);
  }

  async start(request: StartRequest): Promise<RunSummary> {
    if (request.agent !== FAKE_AGENT.summary.id) throw unknown('agent_unknown', 'agent', request.agent);
    this.started.push(request);
    return this.create();
  }

  async replay({ runId }: ReplayRequest): Promise<RunSummary> {
    this.#run(runId);
    return this.create();
  }

  differences(runId: string): RunDifference[] {
    this.#run(runId);
    return [];
  }

  calls(runId: string): { calls: RecordedCall[]; total: number } {
    this.#run(runId);
    return { calls: [], total: 0 };
  }

  exportCalls(runId: string, _filter: CallFilter, format: CallExportFormat): ExportedCalls {
    this.#run(runId);
    return { fileName: `${runId}-calls.${format}`, mediaType: 'text/csv', text: `${format} of ${runId}` };
  }

  /** A fake run is over when its test says so; nobody waits for one. */
  ended(): Promise<void> {
    return Promise.resolve();
  }

  warmUp(): Promise<void> {
    return Promise.resolve();
  }

  coolDown(): Promise<void> {
    return Promise.resolve();
  }

  create(): RunSummary {
    this.#created += 1;
    const id = `run-${this.#created}`;
    const summary: RunSummary = {
      id,
      agentId: FAKE_AGENT.summary.id,
      agentVersion: FAKE_AGENT.summary.version,
      agentName: FAKE_AGENT.summary.displayName,
      status: 'running',
      model: { providerId: 'walkthrough', modelId: 'walkthrough' },
      modelName: 'Walkthrough',
      trigger: 'app',
      createdAt: this.#created,
      timeoutSeconds: 300,
      usage: NO_USAGE,
      hasOutput: false,
      fileCount: 0,
      lastSequence: 0,
    };
    const detail = {
      summary,
      input: {},
      inputFiles: [],
      manifestText: '{}',
      promptText: 'Do it.',
      outputFiles: [],
    };
    this.#runs.set(id, { detail, events: [], files: new Map(), news: new Listeners() });
    this.#summaries.tell({ kind: 'changed', run: summary });
    return summary;
  }

  append(runId: string, ...data: RunEventData[]): void {
    const run = this.#run(runId);
    for (const item of data) {
      run.events.push({ sequence: run.events.length + 1, at: run.events.length, data: item });
    }
    run.news.tell();
  }

  change(runId: string, change: Partial<RunSummary>): void {
    const run = this.#run(runId);
    run.detail = { ...run.detail, summary: { ...run.detail.summary, ...change } };
    this.#summaries.tell({ kind: 'changed', run: run.detail.summary });
  }

  addFile(
    runId: string,
    path: string,
    bytes: Buffer,
    mediaType: string,
    folder: KeptFolder = 'outputs',
  ): void {
    this.#run(runId).files.set(`${folder}/${path}`, { bytes, mediaType });
  }

  async stop(runId: string): Promise<void> {
    if (isFinalStatus(this.#run(runId).detail.summary.status)) return;
    this.change(runId, { status: 'cancelled', endedAt: 1 });
  }

  list(filter: { agentId?: string | undefined; limit: number; before?: RunPosition | undefined }) {
    const runs = [...this.#runs.values()]
      .map(({ detail }) => detail.summary)
      .filter((run) => filter.agentId === undefined || run.agentId === filter.agentId)
      .filter((run) => filter.before === undefined || run.createdAt < filter.before.createdAt)
      .sort((a, b) => b.createdAt - a.createdAt);
    return { runs: runs.slice(0, filter.limit), hasMore: runs.length > filter.limit };
  }

  get(runId: string): RunDetail {
    return this.#run(runId).detail;
  }

  async remove(runId: string): Promise<void> {
    this.#run(runId);
    this.#runs.delete(runId);
    this.#summaries.tell({ kind: 'removed', runId });
  }

  events(runId: string, after: number, limit: number): RunEvent[] {
    return this.#run(runId).events.slice(after, after + limit);
  }

  onEvents(runId: string, listener: () => void): () => void {
    return this.#run(runId).news.add(listener);
  }

  onSummary(
    listener: (change: { kind: 'changed'; run: RunSummary } | { kind: 'removed'; runId: string }) => void,
  ): () => void {
    return this.#summaries.add(listener);
  }

  async openOutput(runId: string, path: string, folder: KeptFolder = 'outputs') {
    const file = this.#run(runId).files.get(`${folder}/${path}`);
    if (!file) throw unknown('file_unknown', 'file', path);
    const { bytes, mediaType } = file;
    return {
      size: bytes.length,
      mediaType,
      stream: (start = 0, end = bytes.length - 1) => Readable.from([bytes.subarray(start, end + 1)]),
    };
  }

  outputFolder(runId: string): string {
    return `/fake/runs/${runId}/outputs`;
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #run(runId: string): FakeRun {
    const run = this.#runs.get(runId);
    if (!run) throw unknown('run_unknown', 'run', runId);
    return run;
  }
}

const FAKE_REPORT: EngineReport = {
  state: 'looking',
  preference: 'automatic',
  attempts: [],
  isolation: [],
  process: { available: false, bubblewrap: false, consented: false },
  image: { state: 'unknown', lines: [] },
};

/** Looks for nothing; tests set the report. */
export class FakeEngineDirectory implements EngineDirectory {
  readonly #reports = new Listeners<EngineReport>();
  report = FAKE_REPORT;

  set(change: Partial<EngineReport>): EngineReport {
    this.report = { ...this.report, ...change };
    this.#reports.tell(this.report);
    return this.report;
  }

  onReport(listener: (report: EngineReport) => void): () => void {
    return this.#reports.add(listener);
  }

  async look(): Promise<EngineReport> {
    return this.report;
  }

  async prefer(preference: EngineReport['preference']): Promise<EngineReport> {
    return this.set({ preference });
  }

  async consent(consented: boolean): Promise<EngineReport> {
    return this.set({ process: { ...this.report.process, consented } });
  }

  async acquire(): Promise<never> {
    throw new ProblemError({ code: 'no_engine', title: 'No engine', detail: 'The fake has none.' });
  }

  acquireForServers: EngineDirectory['acquireForServers'] = (own) => Promise.resolve(own);
  async prepareImage(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Has one agent. */
class FakeLibrary implements Library {
  async list() {
    return [FAKE_AGENT.summary];
  }

  onChange(): () => void {
    return () => undefined;
  }

  async get(agentId: string): Promise<AgentDetail> {
    if (agentId !== FAKE_AGENT.summary.id) throw unknown('agent_unknown', 'agent', agentId);
    return FAKE_AGENT;
  }

  async load(agent: string): Promise<never> {
    throw unknown('agent_unknown', 'agent', agent);
  }

  async openExample(agentId: string, path: string) {
    const example = (await this.get(agentId)).examples.find((file) => file.path === path);
    if (!example) throw unknown('file_unknown', 'file', path);
    return { name: example.name, size: example.size, stream: Readable.from([Buffer.from('a,b\n1,2\n\n')]) };
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Has the walkthrough model and nothing to call. */
export class FakeModelGateway implements ModelGateway {
  readonly #changes = new Listeners<Awaited<ReturnType<ModelGateway['list']>>>();
  #state: Awaited<ReturnType<ModelGateway['list']>> = {
    providers: [],
    defaultModel: { providerId: 'walkthrough', modelId: 'walkthrough' },
  };

  async list() {
    return this.#state;
  }

  onChange(listener: (state: Awaited<ReturnType<ModelGateway['list']>>) => void): () => void {
    return this.#changes.add(listener);
  }

  async save(): Promise<never> {
    throw new Error('secret-canary: the fake keeps no provider');
  }

  async remove(): Promise<void> {}

  /** Answers only when cancelled, as a provider that hangs would. */
  test(_input: unknown, signal: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  }

  async setDefault(defaultModel: ModelReference): Promise<void> {
    this.#state = { ...this.#state, defaultModel };
    this.#changes.tell(this.#state);
  }

  parseReference(text: string): ModelReference {
    const [providerId = '', modelId = providerId] = text.split('/');
    return { providerId, modelId };
  }

  async open(): Promise<never> {
    throw new ProblemError({ code: 'model_unknown', title: 'No model', detail: 'The fake has none.' });
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Forgets everything at the end of the process. */
class FakeSecretStore implements SessionSecretStore {
  readonly #secrets = new Map<string, string>();
  readonly state: VaultState = { backend: 'memory', state: 'open', detail: 'Kept in memory only.' };

  onState(): () => void {
    return () => undefined;
  }

  async get(name: string) {
    return this.#secrets.get(name);
  }

  async set(name: string, value: string) {
    this.#secrets.set(name, value);
  }

  async delete(name: string) {
    this.#secrets.delete(name);
  }

  async names() {
    return [...this.#secrets.keys()];
  }

  async unlock() {
    return this.state;
  }

  async lock() {
    return this.state;
  }

  async keepInMemory() {
    return this.state;
  }

  async setAside(): Promise<never> {
    throw new ProblemError({ code: 'vault_in_use', title: 'In use', detail: 'The vault is open.' });
  }
}

class FakeSettingsStore implements SettingsStore {
  readonly #changes = new Listeners<Settings>();
  #settings = DEFAULT_SETTINGS;

  get(): Settings {
    return this.#settings;
  }

  update(change: Partial<Settings>): Settings {
    this.#settings = { ...this.#settings, ...change };
    this.#changes.tell(this.#settings);
    return this.#settings;
  }

  onChange(listener: (settings: Settings) => void): () => void {
    return this.#changes.add(listener);
  }
}

/** Has no connection; what a test needs of it, the test puts in place. */
class FakeConnectionService implements ConnectionService {
  readonly #changes = new Listeners<ConnectionState>();
  #state: ConnectionState = { connections: [], flows: [], uses: {} };

  state(): ConnectionState {
    return this.#state;
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    return this.#changes.add(listener);
  }

  change(state: ConnectionState): void {
    this.#state = state;
    this.#changes.tell(state);
  }

  onCredentialChange(): () => void {
    return () => undefined;
  }

  describe = refuse;
  saveClient = refuse;
  removeClient = refuse;
  connect = refuse;
  create = refuse;
  test = refuse;
  remove = refuse;
  bind = refuse;
  serverSettings = refuse;
  saveServerSettings = refuse;
  credentials = refuse;

  cancel(): void {}

  async receiveRedirect(): Promise<void> {}

  rename(connectionId: string): never {
    throw unknown('connection_unknown', 'connection', connectionId);
  }

  choose(): void {}

  async requirements(): Promise<RunRequirements> {
    return { isReady: true, integrations: [] };
  }
}

async function refuse(): Promise<never> {
  throw unknown('connection_unknown', 'connection', 'none');
}

/** An app whose services live in memory, for tests of what stands before them. */
export class FakeApplication implements Application {
  readonly engines = new FakeEngineDirectory();
  readonly library = new FakeLibrary();
  readonly packages = new FakePackageService();
  readonly connections = new FakeConnectionService();
  readonly toolReviews: ToolReviewService = {
    review: () => [],
    changes: () => [],
    accept: () => undefined,
    keepOnly: () => undefined,
    accepted: () => [],
  };
  readonly typedTexts = {
    keep: () => undefined,
    list: () => [],
    forget: () => undefined,
    forgetAll: () => undefined,
  };
  readonly #directCalls = {
    connections: this.connections,
    integrations: { get: () => Promise.resolve(undefined) },
    limits: () => DEFAULT_SIDECAR_LIMITS,
    network: () => ({ noProxy: [], certificateAuthorities: [] }),
    onOutboundCall: () => undefined,
    logger: silentLogger,
  };
  readonly playground = new Playground(this.#directCalls);
  readonly servers = new ServerDesk({
    ...this.#directCalls,
    engines: this.engines,
    packages: this.packages,
    trials: new ServerTrials({
      integrations: this.#directCalls.integrations,
      isTaken: () => Promise.resolve(false),
      stored: { read: () => undefined, write: () => undefined },
    }),
    serverSettings: () => Promise.resolve({}),
    containerNetwork: this.#directCalls.network,
    internalHosts: () => [],
    redact: (text) => text,
  });
  readonly credentialProxies = createCredentialProxies(this.#directCalls);
  readonly models = new FakeModelGateway();
  readonly memory = memoryInMemory();
  readonly runs = new FakeRunService();
  readonly offers = new Offers({
    ...this.#directCalls,
    library: this.library,
    runs: this.runs,
    version: '0.0.0',
  });
  readonly secrets = new FakeSecretStore();
  readonly settings = new FakeSettingsStore();
  readonly network = new AuthorNetwork({
    settings: () => this.settings.get().network,
    secrets: this.secrets,
    environment: {},
    protect: () => undefined,
  });
  readonly dataDirectory = '/fake';
  readonly version = '0.0.0';

  async [Symbol.asyncDispose](): Promise<void> {}
}
