import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import type { ConnectionService, IntegrationSource } from '#main/connections/index.ts';
import type { GivenImport, PackageService } from '#main/library/index.ts';
import type { RunPackage } from '#main/library/library.ts';
import { isLoopbackHost } from '#main/network/index.ts';
import { isInRange } from '#shared/manifest/identity.ts';
import { readIntegration, type IntegrationManifest } from '#shared/manifest/model/integration.ts';
import type { ServerList, ServerRequest, ServerState, ServerTrial } from '#shared/ipc/server-routes.ts';
import { trialManifest, type TrialAuthKey } from '#shared/mcp/trial-manifest.ts';
import { exportLines } from '#shared/mcp/protocol-lines.ts';
import { ProblemError } from '#shared/problem.ts';
import type { BoundConnection, SidecarLimits, SidecarNetwork } from '#shared/protocol/integrations.ts';
import { fileTooLarge } from '#shared/runs/file-too-large.ts';
import type { openReach, ReachServices } from './open-reach.ts';
import type { DroppedFile, FollowedLog, ServerService } from './server-service.ts';
import type { ServerSession, SessionTimes } from './server-session.ts';
import type { ServerTrials } from './server-trials.ts';

/** Connections that are open; the one that was used least recently gives way. */
const MAX_OPEN = 4;
/** Ended sessions whose logs can still be looked at. */
const MAX_CLOSED = 8;

export interface ServerDeskOptions extends ReachServices {
  readonly connections: ConnectionService;
  readonly packages: Pick<
    PackageService,
    'take' | 'takeImported' | 'previewImport' | 'commitImport' | 'cancelImport' | 'create' | 'detail'
  >;
  readonly integrations: IntegrationSource;
  readonly trials: ServerTrials;
  /** @throws ProblemError `sidecar_settings_invalid`. */
  readonly limits: () => SidecarLimits;
  readonly network: () => SidecarNetwork;
  readonly containerNetwork: () => SidecarNetwork;
  readonly internalHosts: () => readonly string[];
  /** Takes known secrets out of a text. */
  readonly redact: (text: string) => string;
  readonly times?: Partial<SessionTimes>;
  /** Another way to servers, in tests. */
  readonly reach?: typeof openReach;
}

/** {@link ServerService} over the sidecar's own client, in this process. */
export class ServerDesk implements ServerService, AsyncDisposable {
  readonly #options: ServerDeskOptions;
  /** By id, the newest last. */
  readonly #sessions = new Map<string, ServerSession>();
  readonly #listeners = new Set<(state: ServerState) => void>();
  /** Until all that has given way has ended. */
  #leaving: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  constructor(options: ServerDeskOptions) {
    this.#options = options;
  }

  state(): ServerState {
    return {
      sessions: [...this.#sessions.values()].map(({ shown }) => shown),
      trials: this.#options.trials.list(),
    };
  }

  onState(listener: (state: ServerState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async open(subject: string, connectionId: string | undefined): Promise<string> {
    const { limits: readLimits, network, containerNetwork, internalHosts, redact, times } = this.#options;
    const { integration, server } = await this.#subject(subject);
    const connection = connectionId === undefined ? undefined : this.#connection(subject, connectionId);
    const limits = readLimits();
    const [{ ServerSession: Session }, { openReach: reach }] = await Promise.all([
      import('./server-session.ts'),
      import('./open-reach.ts'),
    ]);
    // Nobody would end what begins after all was ended.
    if (this.#isDisposed) throw closing();
    const open = this.#options.reach ?? reach;
    this.#makeRoom(subject);
    const session = new Session({
      id: randomUUID(),
      subject,
      connectionId,
      displayName: integration.displayName,
      reach: (hooks, signal) =>
        open(
          {
            integration,
            server,
            connection,
            limits,
            network: network(),
            containerNetwork: containerNetwork(),
            internalHosts: [...internalHosts(), ...this.#ownHost(subject, integration)],
          },
          this.#options,
          hooks,
          signal,
        ),
      callMs: limits.serverCallMs,
      redact,
      onChange: () => this.#tell(),
      ...(times && { times }),
    });
    this.#sessions.set(session.shown.id, session);
    this.#tell();
    // Known at once, so that of several that are opened at a time none is one too many.
    void this.#leaving.then(() => session.connect());
    return session.shown.id;
  }

  async close(sessionId: string): Promise<void> {
    await this.#session(sessionId).close();
  }

  list(sessionId: string, list: ServerList, signal: AbortSignal): ReturnType<ServerService['list']> {
    return this.#session(sessionId).list(list, signal);
  }

  request(
    sessionId: string,
    request: ServerRequest,
    signal: AbortSignal,
  ): ReturnType<ServerService['request']> {
    return this.#session(sessionId).request(request, signal);
  }

  log(sessionId: string): FollowedLog {
    const session = this.#session(sessionId);
    return {
      after: (sequence, limit) => session.log.after(sequence, limit),
      onEntry: (listener) => session.onEntry(listener),
      watch: () => session.watch(),
    };
  }

  exportLog(sessionId: string): { fileName: string; text: string } {
    const { log, shown } = this.#session(sessionId);
    const slug = shown.subject.split('/').at(-1) ?? 'server';
    const time = new Date(shown.openedAt).toISOString().slice(0, 19).replaceAll(':', '-');
    return {
      fileName: `${slug}-${time}.jsonl`,
      text: exportLines(log.after(0, Number.MAX_SAFE_INTEGER)),
    };
  }

  async tryAddress({
    integrationId: name,
    ...address
  }: Parameters<ServerService['tryAddress']>[0]): Promise<ServerTrial> {
    const trial = await this.#options.trials.addAddress({ name, ...address });
    this.#tell();
    return trial;
  }

  async tryBundle(
    file: DroppedFile,
    authorizedUris: readonly string[],
    signal: AbortSignal,
  ): Promise<ServerTrial> {
    const refusal = fileTooLarge(file.originalName, file.size);
    if (refusal) throw new ProblemError(refusal);
    const { packages, trials } = this.#options;
    const fileName = file.originalName;
    const bytes = await buffer(await file.open());
    const { token, items, problems } = await packages.previewImport(givenFile(fileName, bytes), signal);
    try {
      const [item] = items;
      const [problem] = problems;
      if (item === undefined && problem) throw new ProblemError(problem);
      if (item === undefined || items.length > 1) throw notOneServer(fileName);
      const taken = packages.takeImported(token, item.id);
      const { manifest } = taken;
      if (manifest.type !== 'mcp-server') throw notOneServer(fileName);
      const trial = await trials.addBundle({
        fileName,
        bytes,
        package: { ...taken, manifest },
        authorizedUris,
      });
      this.#tell();
      return trial;
    } finally {
      packages.cancelImport(token);
    }
  }

  async forget(integrationId: string): Promise<void> {
    const { connections, trials, integrations } = this.#options;
    const { bundle } = trials.find(integrationId);
    await this.#closeAll(integrationId);
    const isKept = (await integrations.get(integrationId)) !== undefined;
    if (!isKept) {
      for (const { id, integrationId: own } of connections.state().connections) {
        if (own === integrationId) await connections.remove(id);
      }
      if (bundle === undefined) await connections.removeClient({ integrationId, authKey: 'oauth' });
      else await this.#forgetSettings(integrationId, bundle.package.name);
    }
    trials.remove(integrationId);
    this.#tell();
  }

  async save(
    integrationId: string,
    identity: { readonly displayName: string; readonly description?: string | undefined },
    signal: AbortSignal,
  ): Promise<{ name: string }> {
    const { connections, packages, trials } = this.#options;
    const { tried, bundle } = trials.find(integrationId);
    const session = [...this.#sessions.values()].find(
      ({ shown }) => shown.subject === integrationId && shown.state === 'connected',
    );
    if (session === undefined) throw notConnected(tried.displayName);
    const { items } = await session.list('tools', signal);
    const tools = items.map(({ name }) => String(name));
    const used = connections
      .state()
      .connections.filter((connection) => connection.integrationId === integrationId)
      .map(({ authKey }) => authKey);
    const methods = (['oauth', 'key'] as const).filter((key) => used.includes(key));
    const kept: readonly TrialAuthKey[] = methods.length > 0 ? methods : ['open'];
    const manifest = trialManifest({ ...tried, ...identity }, kept, tools);
    if (bundle) await this.#keepBundle(bundle.fileName, bundle.bytes, signal);
    const texts = new Map([['manifest.json', `${JSON.stringify(manifest, null, 2)}\n`]]);
    const saved = await packages.create('integration', { name: integrationId, ...identity }, texts);
    trials.remove(integrationId);
    this.#tell();
    return saved;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#listeners.clear();
    await Promise.all([...this.#sessions.values()].map((session) => session[Symbol.asyncDispose]()));
  }

  /** An integration, a trial, or a server's package with an integration that is made for it here. */
  async #subject(
    subject: string,
  ): Promise<{ integration: IntegrationManifest; server: RunPackage | undefined }> {
    const { trials, packages } = this.#options;
    const integration = await trials.get(subject);
    if (integration) {
      const { source } = integration;
      if (source.kind !== 'local') return { integration, server: undefined };
      return { integration, server: await this.#serverOf(source.server) };
    }
    const server = await packages.take(subject).catch((error: unknown) => {
      if (error instanceof ProblemError && error.problem.code === 'package_unknown') return undefined;
      throw error;
    });
    if (server?.manifest.type !== 'mcp-server') {
      throw new ProblemError({
        code: 'integration_unknown',
        title: 'There is no such server',
        detail: `${subject} is not in the library, or its manifest has errors.`,
      });
    }
    const source = {
      kind: 'local',
      server: { name: server.name, version: server.version },
      authorizedUris: [],
    } as const;
    const { displayName } = server.manifest;
    const made = trialManifest({ name: subject, displayName, source }, ['open']);
    return { integration: readIntegration(made, '0.x'), server };
  }

  /** The draft where it fits, as its author is at work on it; else the highest version in range. */
  async #serverOf({ name, version }: { name: string; version: string }): Promise<RunPackage | undefined> {
    const { packages, trials } = this.#options;
    const tried = trials.bundlePackage(name);
    if (tried && isInRange(tried.version, version)) return tried;
    try {
      const newest = await packages.take(name);
      return isInRange(newest.version, version) ? newest : await packages.take(name, version);
    } catch (error) {
      if (error instanceof ProblemError && /^(package|version)_unknown$/.test(error.problem.code)) {
        return undefined;
      }
      throw error;
    }
  }

  #connection(integrationId: string, connectionId: string): BoundConnection {
    const { connections } = this.#options.connections.state();
    const found = connections.find((one) => one.id === connectionId && one.integrationId === integrationId);
    if (found) {
      const { id, authKey, label } = found;
      return { id, authKey, label };
    }
    throw new ProblemError({
      code: 'connection_unknown',
      title: 'No such connection',
      detail: 'The connection was removed, or belongs to another integration.',
      action: 'Choose another one.',
    });
  }

  /** This computer, where the person has typed its address in: a server that is being written is there. */
  #ownHost(subject: string, { source }: IntegrationManifest): string[] {
    if (source.kind !== 'remote' || !this.#options.trials.has(subject)) return [];
    const { hostname } = new URL(source.url);
    return isLoopbackHost(hostname) ? [hostname.replaceAll(/[[\]]/g, '')] : [];
  }

  /** Begins to end what gives way to another session. */
  #makeRoom(subject: string): void {
    const leaving = [this.#leaving, this.#closeAll(subject)];
    const open = this.#sessionsOf((state) => state !== 'closed').toSorted(
      (a, b) => a.lastUsedAt - b.lastUsedAt,
    );
    for (const session of open.slice(0, Math.max(0, open.length - MAX_OPEN + 1))) {
      leaving.push(
        session.close({
          code: 'server_session_replaced',
          title: 'The connection was closed',
          detail: `At most ${MAX_OPEN} servers are connected to at a time.`,
          action: 'Connect again.',
        }),
      );
    }
    const closed = this.#sessionsOf((state) => state === 'closed');
    for (const { shown } of closed.slice(0, Math.max(0, closed.length - MAX_CLOSED))) {
      this.#sessions.delete(shown.id);
    }
    this.#leaving = Promise.allSettled(leaving);
  }

  #sessionsOf(is: (state: ServerState['sessions'][number]['state']) => boolean): ServerSession[] {
    return [...this.#sessions.values()].filter(({ shown }) => is(shown.state));
  }

  /** Ends all sessions of a server, and forgets them. */
  async #closeAll(subject: string): Promise<void> {
    const own = [...this.#sessions.values()].filter(({ shown }) => shown.subject === subject);
    for (const { shown } of own) this.#sessions.delete(shown.id);
    await Promise.all(own.map((session) => session[Symbol.asyncDispose]()));
  }

  /** What was typed in for a bundle that is not kept. */
  async #forgetSettings(integrationId: string, server: string): Promise<void> {
    const { connections, packages } = this.#options;
    const isKept = await packages.take(server).then(
      () => true,
      () => false,
    );
    if (isKept) return;
    const { settings } = await connections.serverSettings(integrationId);
    if (settings.length === 0) return;
    await connections.saveServerSettings(
      integrationId,
      Object.fromEntries(settings.map(({ key }) => [key, null])),
    );
  }

  /** Takes a bundle into the library, unless it is there. */
  async #keepBundle(fileName: string, bytes: Buffer, signal: AbortSignal): Promise<void> {
    const { packages } = this.#options;
    const { token, items } = await packages.previewImport(givenFile(fileName, bytes), signal);
    const decisions = items.flatMap(({ id, choices: [as] }) => (as === undefined ? [] : [{ id, as }]));
    const { problems } = await packages.commitImport(token, decisions);
    const [problem] = problems;
    if (problem) throw new ProblemError(problem);
  }

  #session(sessionId: string): ServerSession {
    const session = this.#sessions.get(sessionId);
    if (session) return session;
    throw new ProblemError({
      code: 'server_session_unknown',
      title: 'This connection is no longer known',
      detail: 'Another connection to the same server has taken its place, or Slipway was started again.',
      action: 'Connect again.',
    });
  }

  #tell(): void {
    if (this.#listeners.size === 0) return;
    const state = this.state();
    for (const listener of this.#listeners) listener(state);
  }
}

function closing(): ProblemError {
  return new ProblemError({
    code: 'app_closing',
    title: 'Slipway is closing',
    detail: 'No connection is opened any more.',
  });
}

function givenFile(path: string, bytes: Buffer): GivenImport {
  const open = () => Promise.resolve(Readable.from([bytes]));
  return { kind: 'files', files: [{ path, size: bytes.length, open }] };
}

function notOneServer(fileName: string): ProblemError {
  return new ProblemError({
    code: 'bundle_not_one_server',
    title: 'This is not the bundle of a server',
    detail: `"${fileName}" is no MCP bundle, and no package of one MCP server.`,
    action: 'Import it instead, if it is a package of another kind.',
  });
}

function notConnected(displayName: string): ProblemError {
  return new ProblemError({
    code: 'server_not_connected',
    title: 'Not connected',
    detail: `What ${displayName} is saved with are the tools that it lists, and it is not connected.`,
    action: 'Connect, then save it.',
  });
}
