import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { constants as osConstants } from 'node:os';
import { join, posix, sep } from 'node:path';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError } from '#shared/problem.ts';
import type {
  AttachedStreams,
  Container,
  ContainerRole,
  ContainerSpecification,
  ExitStatus,
} from '../engine.ts';
import { packFrom, unpackInto } from './folder-archive.ts';
import { killTree } from './process-tree.ts';

/** How the program of one container is started. */
export interface ProcessCommand {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly workingFolder: string;
  /** Whether the program's own ids and paths are those of bubblewrap's namespaces. */
  readonly wrapped: boolean;
}

/** A container path and the folder on this computer that stands for it. */
export interface FolderMount {
  readonly path: string;
  readonly folder: string;
}

export interface ProcessContainerOptions {
  readonly name: string;
  readonly role: ContainerRole;
  /** Value by which all its processes are found. */
  readonly marker: string;
  readonly command: ProcessCommand;
  readonly mounts: readonly FolderMount[];
  readonly platform: NodeJS.Platform;
  /** Removes what belongs to it alone. */
  readonly discard: () => Promise<void>;
  /** Whether it is on this computer's network, or may never be. */
  readonly network: ContainerSpecification['network'];
}

/** A program of a run as a child process, with folders for its volumes. */
export class ProcessContainer implements Container {
  readonly name: string;
  readonly role: ContainerRole;
  readonly #options: ProcessContainerOptions;
  readonly #exit = Promise.withResolvers<ExitStatus>();
  readonly #stdin = new PassThrough();
  readonly #stdout = new PassThrough();
  readonly #stderr = new PassThrough();
  #child: ChildProcess | undefined;
  #ended = false;
  #removal: Promise<void> | undefined;

  constructor(options: ProcessContainerOptions) {
    this.#options = options;
    this.name = options.name;
    this.role = options.role;
    this.#exit.promise.catch(() => undefined);
    for (const stream of [this.#stdin, this.#stdout, this.#stderr]) stream.on('error', () => undefined);
  }

  resolve(containerPath: string): string {
    const { command, platform } = this.#options;
    if (command.wrapped) return containerPath;
    // Windows has no sockets in folders that Node could listen on.
    if (platform === 'win32' && containerPath.endsWith('.sock'))
      return `\\\\.\\pipe\\${this.#locate(containerPath).path.replaceAll(/[^A-Za-z0-9]+/g, '-')}`;
    return this.#locate(containerPath).path;
  }

  attach(signal: AbortSignal): Promise<AttachedStreams> {
    signal.throwIfAborted();
    return Promise.resolve({ stdin: this.#stdin, stdout: this.#stdout, stderr: this.#stderr });
  }

  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#child || this.#ended) return;
    const { command, platform, name } = this.#options;
    const child = spawn(command.file, command.arguments, {
      cwd: command.workingFolder,
      env: { ...command.variables },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own, to be ended whole.
      detached: platform !== 'win32',
      windowsHide: true,
    });
    this.#child = child;
    child.once('exit', (code, signalName) => void this.#onExit(code, signalName));
    pipeline(this.#stdin, child.stdin, () => undefined);
    pipeline(child.stdout, this.#stdout, () => undefined);
    pipeline(child.stderr, this.#stderr, () => undefined);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.once('spawn', resolve);
    child.once('error', (error) => {
      this.#settle({ code: 127, outOfMemory: false });
      reject(
        new ProblemError(
          {
            code: 'container_refused',
            title: 'A program could not be started',
            detail: `${name} could not be started: ${error.message}`,
          },
          { cause: error },
        ),
      );
    });
    await promise;
  }

  wait(): Promise<ExitStatus> {
    return this.#exit.promise;
  }

  async stop(graceMs: number): Promise<void> {
    if (!this.#child || this.#ended) return;
    if (graceMs > 0) {
      this.#askToEnd();
      const grace = new AbortController();
      await Promise.race([
        this.#exit.promise,
        delay(graceMs, undefined, { signal: grace.signal }).catch(() => undefined),
      ]);
      grace.abort();
    }
    await this.#killAll();
    await this.#exit.promise;
  }

  remove(): Promise<void> {
    this.#removal ??= this.#remove();
    return this.#removal;
  }

  async putArchive(folder: string, archive: Readable, signal: AbortSignal): Promise<void> {
    try {
      const { path, boundary } = this.#locate(folder);
      await unpackInto(path, boundary, archive, signal);
    } finally {
      archive.destroy();
    }
  }

  async getArchive(path: string, signal: AbortSignal): Promise<Readable> {
    signal.throwIfAborted();
    const place = this.#locate(path);
    const archive = await packFrom(place.path, place.boundary);
    const stop = (): void => void archive.destroy(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    archive.once('close', () => signal.removeEventListener('abort', stop));
    return archive;
  }

  openNetwork(): Promise<void> {
    if (this.#options.network !== 'later') throw new Error(`${this.name} may reach no network.`);
    // It is there already: see how bubblewrap is told.
    return Promise.resolve();
  }

  async peakMemory(): Promise<number | undefined> {
    const pid = this.#child?.pid;
    if (this.#options.platform !== 'linux' || pid === undefined || this.#ended) return undefined;
    try {
      const status = await readFile(`/proc/${await this.#programId(pid)}/status`, 'utf8');
      const kibibytes = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1];
      return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
    } catch {
      return undefined;
    }
  }

  /** The program's process: bubblewrap's grandchild, under the one that reaps in its namespace. */
  async #programId(pid: number): Promise<number> {
    let program = pid;
    for (let level = this.#options.command.wrapped ? 2 : 0; level > 0; level -= 1) {
      const children = await readFile(`/proc/${program}/task/${program}/children`, 'utf8');
      program = Number.parseInt(children, 10);
    }
    return program;
  }

  #askToEnd(): void {
    // The end of its standard input tells either program to leave. A signal to bubblewrap would kill it.
    this.#child?.stdin?.end();
    if (!this.#options.command.wrapped && this.#options.platform !== 'win32') this.#child?.kill('SIGTERM');
  }

  async #killAll(): Promise<void> {
    await killTree(this.#child?.pid, this.#options.marker, this.#options.platform);
  }

  async #onExit(code: number | null, signalName: NodeJS.Signals | null): Promise<void> {
    // What the agent started may outlive the program.
    await this.#killAll().catch(() => undefined);
    const number = signalName === null ? 0 : osConstants.signals[signalName];
    this.#settle({ code: code ?? 128 + number, outOfMemory: false });
  }

  #settle(status: ExitStatus): void {
    this.#ended = true;
    this.#exit.resolve(status);
  }

  async #remove(): Promise<void> {
    await this.stop(0);
    if (!this.#child) this.#settle({ code: 137, outOfMemory: false });
    for (const stream of [this.#stdin, this.#stdout, this.#stderr]) stream.destroy();
    await this.#options.discard();
  }

  /** Where a container path is on this computer, and the folder of the mount it is in. */
  #locate(containerPath: string): { path: string; boundary: string } {
    const wanted = posix.normalize(containerPath).replace(/(?<=.)\/$/, '');
    const mount = this.#options.mounts.find(({ path }) => wanted === path || wanted.startsWith(`${path}/`));
    if (!mount)
      throw new ProblemError({
        code: 'path_absent',
        title: 'Not there',
        detail: `${containerPath} is in no volume of ${this.name}.`,
      });
    const rest = wanted.slice(mount.path.length).split('/').join(sep);
    return { path: join(mount.folder, rest), boundary: mount.folder };
  }
}
