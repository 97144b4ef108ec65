import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { ConnectionService, IntegrationSource } from '#main/connections/index.ts';
import type { Logger } from '#main/logging/index.ts';
import { documentNames } from '#main/runs/index.ts';
import type { Connection } from '#shared/connections/connection.ts';
import type {
  PlaygroundCall,
  PlaygroundFile,
  PlaygroundResult,
  PlaygroundState,
  PlaygroundTool,
} from '#shared/ipc/playground-routes.ts';
import { ProblemError, toProblem } from '#shared/problem.ts';
import { CALL_ERROR_META_KEY, UPSTREAM_META_KEY } from '#shared/protocol/api-tools.ts';
import type { OutboundCall, SidecarLimits, SidecarNetwork } from '#shared/protocol/integrations.ts';
import { fileTooLarge } from '#shared/runs/file-too-large.ts';
import { callFailureCodeSchema } from '#shared/tools/call-failure.ts';
import { openSession } from './open-session.ts';
import { planAccounts } from './plan-accounts.ts';
import type { PlaygroundRequest, PlaygroundService } from './playground-service.ts';
import type { ToolSession, ToolSessionOptions } from './tool-session.ts';

/** Calls that are remembered, of all integrations together. */
const MAX_CALLS = 100;
/** Connections that are ready to be called; the one not called for longest gives way. */
const MAX_SESSIONS = 6;
/** Files of a workspace that are listed. */
const MAX_FILES = 500;
const SUMMARY_CHARACTERS = 200;

export interface PlaygroundOptions {
  readonly connections: ConnectionService;
  readonly integrations: IntegrationSource;
  /** @throws ProblemError `sidecar_settings_invalid`. */
  readonly limits: () => SidecarLimits;
  readonly network: () => SidecarNetwork;
  /** Told of every request that leaves, or is refused. */
  readonly onOutboundCall: (call: OutboundCall) => void;
  readonly logger: Logger;
}

interface Entry {
  call: PlaygroundCall;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly abort: AbortController;
  readonly outbound: OutboundCall[];
  content: PlaygroundResult['content'];
  result: CallToolResult | undefined;
  files: readonly PlaygroundFile[];
  problem: PlaygroundResult['problem'];
}

/** A connection that can be called. */
interface Desk {
  /** What the session was opened with: another needs another session. */
  readonly plan: string;
  readonly session: Promise<ToolSession>;
  /** The call that is under way, or the last one. */
  latest: Entry | undefined;
}

const upstreamSchema = z.object({ status: z.number().int() });

/** {@link PlaygroundService} over the sidecar's and the sandbox's own code, in this process. */
export class Playground implements PlaygroundService, AsyncDisposable {
  readonly #options: PlaygroundOptions;
  readonly #desks = new Map<string, Desk>();
  readonly #workspaces = new Map<string, Promise<string>>();
  /** By id, the newest last. */
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<(state: PlaygroundState) => void>();

  constructor(options: PlaygroundOptions) {
    this.#options = options;
  }

  state(): PlaygroundState {
    return { calls: [...this.#entries.values()].map(({ call }) => call).toReversed() };
  }

  onState(listener: (state: PlaygroundState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async describe(
    integrationId: string,
    connectionId: string,
  ): Promise<{ tools: PlaygroundTool[]; files: PlaygroundFile[] }> {
    const desk = await this.#desk(this.#connection(integrationId, connectionId));
    const { tools } = await desk.session;
    return {
      tools: tools.map(({ name, title = name, description = '', inputSchema }) => ({
        name,
        title,
        description,
        inputSchema,
      })),
      files: await filesIn(await this.#workspace(integrationId)),
    };
  }

  async start(request: PlaygroundRequest): Promise<string> {
    const { integrationId, connectionId, tool } = request;
    const connection = this.#connection(integrationId, connectionId);
    const desk = await this.#desk(connection);
    const session = await desk.session;
    if (!session.tools.some(({ name }) => name === tool)) throw unknownTool(tool);
    // One at a time, so that every request that leaves is known to be of this call.
    if (desk.latest?.call.state === 'running') throw callRunning(connection);
    const entry: Entry = {
      call: {
        id: randomUUID(),
        integrationId,
        connectionId,
        connection: connection.label,
        tool,
        summary: summaryOf(request.arguments),
        state: 'running',
        startedAt: Date.now(),
        revision: 0,
      },
      arguments: request.arguments,
      abort: new AbortController(),
      outbound: [],
      content: [],
      result: undefined,
      files: [],
      problem: undefined,
    };
    desk.latest = entry;
    this.#entries.set(entry.call.id, entry);
    this.#forgetOldest();
    this.#tell();
    void this.#perform(session, entry);
    return entry.call.id;
  }

  cancel(callId: string): void {
    this.#entry(callId).abort.abort();
  }

  result(callId: string): PlaygroundResult {
    const { call, arguments: given, content, result, files, outbound, problem } = this.#entry(callId);
    return {
      call,
      arguments: { ...given },
      content,
      ...(result && { result }),
      files: [...files],
      outbound: [...outbound],
      ...(problem && { problem }),
    };
  }

  async clear(integrationId: string): Promise<void> {
    for (const [id, entry] of this.#entries) {
      if (entry.call.integrationId !== integrationId) continue;
      entry.abort.abort();
      this.#entries.delete(id);
    }
    const workspace = this.#workspaces.get(integrationId);
    this.#workspaces.delete(integrationId);
    const closed = [...this.#desks.keys()].filter((key) => key.startsWith(`${integrationId}\n`));
    await Promise.all(closed.map((key) => this.#close(key)));
    if (workspace) await removeFolder(await workspace);
    this.#tell();
  }

  async addFile(
    integrationId: string,
    file: { readonly originalName: string; readonly size: number; open(): Promise<Readable> },
  ): Promise<PlaygroundFile> {
    const refusal = fileTooLarge(file.originalName, file.size);
    if (refusal) throw new ProblemError(refusal);
    const workspace = await this.#workspace(integrationId);
    const taken = (await filesIn(workspace)).map(({ path }) => path);
    const path = documentNames([...taken, file.originalName]).at(-1) ?? file.originalName;
    const { writeWorkspaceFile } = await import('#main/sandbox/calls/workspace-file.ts');
    return { path, size: await writeWorkspaceFile(workspace, path, await file.open()) };
  }

  async openFile(
    integrationId: string,
    path: string,
  ): Promise<{ readonly size: number; stream(start: number, end: number): Readable }> {
    const workspace = await this.#workspace(integrationId);
    const known = (await filesIn(workspace)).find((file) => file.path === path);
    if (!known) {
      throw new ProblemError({
        code: 'file_unknown',
        title: 'No such file',
        detail: `The playground has no file "${path}" any more.`,
        file: path,
      });
    }
    return {
      size: known.size,
      stream: (start, end) => createReadStream(join(workspace, ...path.split('/')), { start, end }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { abort } of this.#entries.values()) abort.abort();
    await Promise.all([...this.#desks.keys()].map((key) => this.#close(key)));
    const folders = await Promise.allSettled(this.#workspaces.values());
    this.#workspaces.clear();
    for (const folder of folders) if (folder.status === 'fulfilled') await removeFolder(folder.value);
  }

  /** Plays the sandbox: calls, and gives what Pi would give to a model. */
  async #perform(session: ToolSession, entry: Entry): Promise<void> {
    const { toModelResult } = await import('#main/sandbox/mcp-content.ts');
    const { id, tool, integrationId } = entry.call;
    const startedAt = performance.now();
    const workspace = await this.#workspace(integrationId);
    const before = new Map((await filesIn(workspace)).map(({ path, size }) => [path, size]));
    let ended: Partial<PlaygroundCall>;
    try {
      const result = await session.callTool(
        tool,
        { ...entry.arguments },
        {
          callId: `call-${id.slice(0, 8)}`,
          signal: entry.abort.signal,
          onProgress: (progress) => this.#change(entry, { progress }),
        },
      );
      entry.result = result;
      entry.content = toModelResult(result).content;
      ended = { state: result.isError === true ? 'failed' : 'done', ...factsOf(result) };
    } catch (error) {
      if (entry.abort.signal.aborted) ended = { state: 'cancelled' };
      else {
        ended = { state: 'failed' };
        entry.problem = this.#problemOf(error, tool);
      }
    }
    entry.files = (await filesIn(workspace)).filter(({ path, size }) => before.get(path) !== size);
    const { progress: _progress, ...call } = entry.call;
    entry.call = call;
    this.#change(entry, { ...ended, durationMs: performance.now() - startedAt });
  }

  #problemOf(error: unknown, tool: string): NonNullable<PlaygroundResult['problem']> {
    const problem = toProblem(error);
    if (problem.code !== 'internal_error') return problem;
    this.#options.logger.error({ error, tool }, 'A call by hand got no answer');
    return {
      code: 'call_failed',
      title: 'The call got no answer',
      detail: `${tool} could not be called. A model would be told so, and the run would go on.`,
    };
  }

  #change(entry: Entry, change: Partial<PlaygroundCall>): void {
    entry.call = { ...entry.call, ...change, revision: entry.call.revision + 1 };
    this.#tell();
  }

  #connection(integrationId: string, connectionId: string): Connection {
    const { connections } = this.#options.connections.state();
    const found = connections.find((one) => one.id === connectionId && one.integrationId === integrationId);
    if (found) return found;
    throw new ProblemError({
      code: 'connection_unknown',
      title: 'No such connection',
      detail: 'The connection was removed, or belongs to another integration.',
      action: 'Choose another one.',
    });
  }

  /** The desk of a connection, opened anew when its integration, its label or a limit has changed. */
  async #desk(connection: Connection): Promise<Desk> {
    const { id, integrationId } = connection;
    const { integrations, limits: readLimits, network: readNetwork } = this.#options;
    const planned = await planAccounts(integrations, [connection]);
    const options = { integrations: planned, limits: readLimits(), network: readNetwork() };
    const plan = JSON.stringify(options);
    const key = `${integrationId}\n${id}`;
    const known = this.#desks.get(key);
    if (known?.plan === plan || known?.latest?.call.state === 'running') {
      this.#desks.delete(key);
      this.#desks.set(key, known);
      return known;
    }
    if (known) await this.#close(key);
    const desk: Desk = { plan, session: this.#open(integrationId, options, key), latest: undefined };
    desk.session.catch(() => {
      if (this.#desks.get(key) === desk) this.#desks.delete(key);
    });
    this.#desks.set(key, desk);
    await this.#closeIdle();
    return desk;
  }

  async #open(
    integrationId: string,
    options: Pick<ToolSessionOptions, 'integrations' | 'limits' | 'network'>,
    key: string,
  ): Promise<ToolSession> {
    const { connections, logger, onOutboundCall } = this.#options;
    return openSession({
      ...options,
      connections,
      logger,
      workspace: await this.#workspace(integrationId),
      onOutboundCall: (call) => {
        onOutboundCall(call);
        const entry = this.#desks.get(key)?.latest;
        if (entry === undefined) return;
        entry.outbound.push(call);
        this.#change(entry, {});
      },
    });
  }

  async #close(key: string): Promise<void> {
    const desk = this.#desks.get(key);
    this.#desks.delete(key);
    desk?.latest?.abort.abort();
    const session = await desk?.session.catch(() => undefined);
    await session?.[Symbol.asyncDispose]();
  }

  async #closeIdle(): Promise<void> {
    for (const [key, { latest }] of this.#desks) {
      if (this.#desks.size <= MAX_SESSIONS) return;
      if (latest?.call.state !== 'running') await this.#close(key);
    }
  }

  #workspace(integrationId: string): Promise<string> {
    let workspace = this.#workspaces.get(integrationId);
    if (workspace === undefined) {
      workspace = mkdtemp(join(tmpdir(), 'slipway-playground-'));
      this.#workspaces.set(integrationId, workspace);
    }
    return workspace;
  }

  #entry(callId: string): Entry {
    const entry = this.#entries.get(callId);
    if (entry) return entry;
    throw new ProblemError({
      code: 'call_unknown',
      title: 'This call is no longer known',
      detail: `Slipway remembers the last ${MAX_CALLS} calls by hand until it is closed.`,
    });
  }

  #forgetOldest(): void {
    for (const [id, { call }] of this.#entries) {
      if (this.#entries.size <= MAX_CALLS) return;
      if (call.state !== 'running') this.#entries.delete(id);
    }
  }

  #tell(): void {
    const state = this.state();
    for (const listener of this.#listeners) listener(state);
  }
}

function factsOf(result: CallToolResult): Pick<PlaygroundCall, 'status' | 'code'> {
  const status =
    upstreamSchema.safeParse(result._meta?.[UPSTREAM_META_KEY]).data?.status ?? uploadStatusOf(result);
  const code = callFailureCodeSchema.safeParse(result._meta?.[CALL_ERROR_META_KEY]).data;
  return { ...(status !== undefined && { status }), ...(code !== undefined && { code }) };
}

/** An upload tells its last status in its one JSON text. */
function uploadStatusOf({ content: [block] }: CallToolResult): number | undefined {
  if (block?.type !== 'text' || !block.text.startsWith('{')) return undefined;
  try {
    return upstreamSchema.safeParse(JSON.parse(block.text)).data?.status;
  } catch {
    return undefined;
  }
}

/** What tells a call from others in a list: its method and its address. */
function summaryOf({ method, target }: Readonly<Record<string, unknown>>): string {
  if (typeof target !== 'string') return '';
  const text = typeof method === 'string' && method !== '' ? `${method} ${target}` : target;
  return text.slice(0, SUMMARY_CHARACTERS);
}

async function filesIn(workspace: string): Promise<PlaygroundFile[]> {
  const entries = await readdir(workspace, { recursive: true, withFileTypes: true });
  const files: PlaygroundFile[] = [];
  for (const entry of entries) {
    if (files.length === MAX_FILES) break;
    // Half-written files have hidden names.
    if (!entry.isFile() || entry.name.startsWith('.')) continue;
    const place = join(entry.parentPath, entry.name);
    const found = await stat(place).catch(() => undefined);
    if (found) {
      files.push({ path: place.slice(workspace.length + 1).replaceAll(sep, '/'), size: found.size });
    }
  }
  return files.sort((a, b) => a.path.localeCompare(b.path));
}

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

function unknownTool(tool: string): ProblemError {
  return new ProblemError({
    code: 'tool_unknown',
    title: 'No such tool',
    detail: `A run with this connection has no tool "${tool}".`,
    pointer: '/tool',
  });
}

function callRunning({ label }: Connection): ProblemError {
  return new ProblemError({
    code: 'call_running',
    title: 'A call is under way',
    detail: `Another call with ${label} has not ended yet.`,
    action: 'Wait for it, or cancel it.',
  });
}
