import { randomBytes } from 'node:crypto';
import type { Container, Engine, ExitStatus, Mount, ResourceLimits } from '#main/engines/engine.ts';
import { Redactor } from '#main/logging/index.ts';
import type { Launch } from '#shared/mcp-bundle/launch.ts';
import { ProblemError, toProblem } from '#shared/problem.ts';
import { BUNDLE_PATH, EGRESS_FOLDER, RUNNER_USER_ID, SANDBOX_USER_ID } from '#shared/protocol/layout.ts';
import { RUNNER_FAILED, RUNNER_LENGTH_BYTES } from '#shared/protocol/runner.ts';
import type { Bundle } from './bundle-archive.ts';
import { eachLine, KEPT_LINES, LINE_CHARACTERS } from './error-lines.ts';
import { MAX_LINE_BYTES, MessageLines, type ServerOutput } from './message-lines.ts';

const MEBIBYTE = 1024 * 1024;

/** Reference: sidecar, section 7.3. */
export const RUNNER_LIMITS: ResourceLimits = {
  memoryBytes: 256 * MEBIBYTE,
  cpus: 1,
  processes: 128,
  openFiles: 1024,
};

/** Bytes that may wait for a server which does not read. */
const MAX_WAITING_BYTES = 16 * MEBIBYTE;
const STOP_GRACE_MS = 300;
/** Milliseconds that the last of what an ended server wrote may take to arrive. */
const LAST_WORDS_MS = 200;
/** JSON-RPC's code for a failure that the server itself did not tell; none that the SDK gives a meaning. */
const RELAY_ERROR = -32_050;

export interface RunnerRequest {
  readonly engine: Engine;
  readonly image: string;
  /** Of the run's pair, so that what removes one removes the other. */
  readonly runId: string;
  readonly displayName: string;
  readonly bundle: Bundle;
  readonly launch: Launch;
  /** The run's workspace, for a server that asked to see it. */
  readonly workspace: Mount | undefined;
  /** Volume with the socket of the proxy, for a server that has a way out. */
  readonly egress: string | undefined;
  /** A message of the server; held back until it has been passed on. */
  readonly onMessage: (message: string) => Promise<void>;
  /** A line that the server wrote for people, without secrets. */
  readonly onLog: (line: string) => void;
}

/** One MCP server in a container of its own, from its first message to its end. */
export class ServerRunner {
  readonly #request: RunnerRequest;
  readonly #name = `slipway-runner-${randomBytes(5).toString('hex')}`;
  readonly #redactor = new Redactor();
  readonly #ended = Promise.withResolvers<string>();
  readonly #lastLines: string[] = [];
  #container: Container | undefined;
  #hasVolume = false;
  #write: ((text: string) => boolean) | undefined;
  #waitingBytes: () => number = () => 0;
  /** Why it was ended from here. */
  #verdict: string | undefined;
  #removal: Promise<void> | undefined;

  private constructor(request: RunnerRequest) {
    this.#request = request;
    for (const secret of request.launch.secrets) this.#redactor.protect(secret);
  }

  /** Makes the container and starts the server. @throws ProblemError `engine_unreachable`, `container_refused` … */
  static async start(request: RunnerRequest, signal: AbortSignal): Promise<ServerRunner> {
    const runner = new ServerRunner(request);
    try {
      await runner.#start(signal);
      return runner;
    } catch (error) {
      await runner.remove().catch(() => undefined);
      throw error;
    }
  }

  /** Resolves with how the server ended, in words for a person, and never rejects. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  /** Gives the server a message, one line of JSON. */
  send(message: string): void {
    if (this.#write === undefined || this.#verdict !== undefined) return;
    this.#write(`${message}\n`);
    if (this.#waitingBytes() > MAX_WAITING_BYTES)
      this.#end('It does not read what it is sent, so it was ended.');
  }

  /** Ends it and removes all that belongs to it. Safe to repeat. */
  remove(): Promise<void> {
    this.#removal ??= this.#remove();
    return this.#removal;
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { engine, image, runId, bundle, launch, workspace, egress } = this.#request;
    const owner = { runId };
    const volume = `${this.#name}-bundle`;
    // Who shares the agent's files is the agent's user: each may then change what the other made.
    const userId = workspace === undefined ? RUNNER_USER_ID : SANDBOX_USER_ID;
    this.#hasVolume = true;
    await engine.createVolume(
      { name: volume, owner, sizeBytes: bundle.sizeBytes, inodes: bundle.inodes, userId },
      signal,
    );
    const container = await engine.createContainer(
      {
        name: this.#name,
        role: 'runner',
        owner,
        image,
        mounts: [
          { volume, path: BUNDLE_PATH, readOnly: false },
          ...(workspace ? [workspace] : []),
          ...(launch.start.egress && egress !== undefined
            ? [{ volume: egress, path: EGRESS_FOLDER, readOnly: true }]
            : []),
        ],
        limits: RUNNER_LIMITS,
        network: 'none',
        userId,
        memoryFolders: launch.memoryFolders,
      },
      signal,
    );
    this.#container = container;
    const { stdin, stdout, stderr } = await container.attach(signal);
    eachLine(stderr, (line) => this.#keepLine(line));
    await container.start(signal);
    const reading = this.#read(stdout as AsyncIterable<Buffer>);
    container.wait().then(
      (status) => void this.#onExit(status, reading),
      () => this.#ended.resolve('The container engine stopped.'),
    );
    await container.putArchive(BUNDLE_PATH, bundle.archive(userId, signal), signal);
    const start = Buffer.from(JSON.stringify(launch.start));
    const length = Buffer.alloc(RUNNER_LENGTH_BYTES);
    length.writeUInt32BE(start.length);
    stdin.write(Buffer.concat([length, start]));
    this.#write = (text) => stdin.write(text);
    this.#waitingBytes = () => stdin.writableLength;
  }

  async #read(stdout: AsyncIterable<Buffer>): Promise<void> {
    const lines = new MessageLines();
    try {
      for await (const chunk of stdout) {
        for (const output of lines.push(chunk)) await this.#pass(output);
      }
    } catch (error) {
      this.#end(toProblem(error).detail);
    }
  }

  async #pass(output: ServerOutput): Promise<void> {
    switch (output.kind) {
      case 'noise':
        this.#keepLine(output.text.slice(0, LINE_CHARACTERS));
        return;
      case 'message':
        return this.#request.onMessage(this.#redactor.redact(output.text));
      case 'oversized': {
        if (output.id === undefined) throw oversized(output.bytes);
        const message = oversized(output.bytes).problem.detail;
        const error = `{"code":${RELAY_ERROR},"message":${JSON.stringify(message)}}`;
        return this.#request.onMessage(`{"jsonrpc":"2.0","id":${output.id},"error":${error}}`);
      }
    }
  }

  #keepLine(text: string): void {
    const line = this.#redactor.redact(text);
    this.#lastLines.push(line);
    this.#lastLines.splice(0, this.#lastLines.length - KEPT_LINES);
    this.#request.onLog(line);
  }

  #end(verdict: string): void {
    if (this.#verdict !== undefined) return;
    this.#verdict = verdict;
    void this.#container?.stop(0).catch(() => undefined);
  }

  async #onExit(status: ExitStatus, reading: Promise<void>): Promise<void> {
    // What it wrote last may still be on its way, and explains its end.
    await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS))]);
    const said = this.#lastLines.length > 0 ? ` Its last words: ${this.#lastLines.join(' | ')}` : '';
    this.#ended.resolve(`${this.#verdict ?? exitSentence(status)}${said}`);
  }

  async #remove(): Promise<void> {
    this.#verdict ??= 'It is no longer needed.';
    try {
      await this.#container?.stop(STOP_GRACE_MS);
    } finally {
      await this.#container?.remove();
      if (this.#hasVolume) await this.#request.engine.removeVolume(`${this.#name}-bundle`);
      this.#ended.resolve(this.#verdict);
    }
  }
}

function exitSentence({ code, outOfMemory }: ExitStatus): string {
  if (outOfMemory)
    return `It needed more than ${RUNNER_LIMITS.memoryBytes / MEBIBYTE} MB of memory and was ended.`;
  if (code === RUNNER_FAILED) return 'It could not be started.';
  return `It ended with code ${code}.`;
}

function oversized(bytes: number): ProblemError {
  return new ProblemError({
    code: 'server_message_too_long',
    title: 'The server answered with too much',
    detail: `The server's message has ${bytes} bytes; ${MAX_LINE_BYTES} are the most that are passed on. Ask for less at once.`,
  });
}
