import { PassThrough, Writable, pipeline, type Duplex, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { z } from 'zod';
import { ProblemError } from '#shared/problem.ts';
import type {
  AttachedStreams,
  Container,
  ContainerRole,
  ContainerSpecification,
  ExitStatus,
} from '../engine.ts';
import { Demultiplexer } from './demultiplexer.ts';
import type { EngineCalls } from './engine-calls.ts';
import { statusOf } from './problems.ts';

/** Exit code of a program that was killed by SIGKILL, as shells and engines count it. */
const KILLED = 137;
/** Milliseconds a killed program's last output may take to be read, before its streams are closed. */
const LAST_OUTPUT_MS = 500;
/** Bytes of a small command's output that are kept. */
const COMMAND_OUTPUT_BYTES = 4096;

const waitResultSchema = z.object({ StatusCode: z.number() });
const memoryStatsSchema = z.object({
  memory_stats: z.object({ max_usage: z.number().positive().optional() }),
});

/** What a container needs of its engine. */
export interface ContainerHost {
  readonly calls: EngineCalls;
  /** Takes a container into the network that leads out. */
  connect(containerId: string, signal: AbortSignal): Promise<void>;
}

/** One container over Docker's API. */
export class DockerContainer implements Container {
  readonly name: string;
  readonly role: ContainerRole;
  readonly #network: ContainerSpecification['network'];
  readonly #handle: Docker.Container;
  readonly #host: ContainerHost;
  readonly #exit = Promise.withResolvers<ExitStatus>();
  #running = false;
  /** Ends the attached streams: an engine lets a container go only when its output is read or nobody listens. */
  #detach: () => void = () => undefined;
  #removal: Promise<void> | undefined;

  constructor(
    identity: Pick<ContainerSpecification, 'name' | 'role' | 'network'>,
    handle: Docker.Container,
    host: ContainerHost,
  ) {
    this.name = identity.name;
    this.role = identity.role;
    this.#network = identity.network;
    this.#handle = handle;
    this.#host = host;
    // Not everyone waits; an engine that is lost must not end the app.
    this.#exit.promise.catch(() => undefined);
  }

  resolve(containerPath: string): string {
    return containerPath;
  }

  async attach(signal: AbortSignal): Promise<AttachedStreams> {
    const attaching = this.#handle.attach({
      stream: true,
      hijack: true,
      stdin: true,
      stdout: true,
      stderr: true,
    });
    try {
      const connection = (await this.#host.calls.make(
        `attach to ${this.name}`,
        attaching,
        signal,
      )) as unknown as Duplex;
      this.#detach = () => void connection.destroy();
      return attachedStreams(connection);
    } catch (error) {
      // A connection that comes after all is of no use to anyone.
      void attaching.then((late) => (late as unknown as Duplex).destroy()).catch(() => undefined);
      throw error;
    }
  }

  async start(signal: AbortSignal): Promise<void> {
    await this.#host.calls.make(`start ${this.name}`, this.#handle.start(), signal);
    this.#running = true;
    void this.#awaitExit();
  }

  wait(): Promise<ExitStatus> {
    return this.#exit.promise;
  }

  async stop(graceMs: number): Promise<void> {
    if (!this.#running) return;
    if (graceMs > 0) {
      await this.#signal('SIGTERM');
      await this.#exitWithin(graceMs);
    }
    if (this.#running) await Promise.all([this.#signal('SIGKILL'), this.#readLastOutput()]);
    await this.#exit.promise;
  }

  remove(): Promise<void> {
    this.#removal ??= this.#remove().catch((error: unknown) => {
      this.#removal = undefined;
      throw error;
    });
    return this.#removal;
  }

  async putArchive(folder: string, archive: Readable, signal: AbortSignal): Promise<void> {
    // Ends the upload when the call is given up, and the call when the archive breaks.
    const upload = new PassThrough();
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => undefined);
    pipeline(archive, upload, (error) => {
      if (error) broken.reject(error);
    });
    try {
      const put = this.#handle.putArchive(upload, { path: folder, abortSignal: signal });
      await this.#host.calls.make(`put files into ${this.name}`, Promise.race([put, broken.promise]), signal);
    } finally {
      archive.destroy();
      upload.destroy();
    }
  }

  async getArchive(path: string, signal: AbortSignal): Promise<Readable> {
    const got = this.#handle.getArchive({ path, abortSignal: signal });
    const archive = await this.#host.calls
      .make(`read ${path} of ${this.name}`, got, signal)
      .catch((error: unknown) => {
        throw statusOf(error) === 404 ? absent(path, error) : error;
      });
    // Breaks where the response breaks, and ends the response where the reader stops.
    const output = new PassThrough();
    pipeline(archive, output, () => undefined);
    return output;
  }

  async openNetwork(signal: AbortSignal): Promise<void> {
    if (this.#network !== 'later') throw new Error(`${this.name} may reach no network.`);
    await this.#host.connect(this.#handle.id, signal);
  }

  async peakMemory(): Promise<number | undefined> {
    if (!this.#running) return undefined;
    try {
      // Without `one-shot` the engine takes a second sample a second later.
      const options = { stream: false, 'one-shot': true } as const;
      const answer = await this.#host.calls.make(`measure ${this.name}`, this.#handle.stats(options));
      const peak = memoryStatsSchema.safeParse(answer).data?.memory_stats.max_usage;
      if (peak !== undefined) return peak;
      // Control groups 2 have no such field; the kernel's own file has it, from 5.19 on.
      const text = await this.#run(['cat', '/sys/fs/cgroup/memory.peak']);
      const value = Number.parseInt(text, 10);
      return Number.isNaN(value) ? undefined : value;
    } catch {
      return undefined;
    }
  }

  /** Leaves a killed program's output a moment to be read; the engine waits for that without end. */
  async #readLastOutput(): Promise<void> {
    await this.#exitWithin(LAST_OUTPUT_MS);
    if (this.#running) this.#detach();
  }

  /** Waits for the end, but no longer than this; fails when the engine is lost. */
  async #exitWithin(milliseconds: number): Promise<void> {
    const waiting = new AbortController();
    const deadline = delay(milliseconds, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([this.#exit.promise, deadline]).finally(() => waiting.abort());
  }

  async #awaitExit(): Promise<void> {
    try {
      const answer = await this.#host.calls.make(
        `wait for ${this.name}`,
        this.#handle.wait({ condition: 'not-running' }) as Promise<unknown>,
      );
      const code = waitResultSchema.parse(answer).StatusCode;
      this.#exit.resolve({ code, outOfMemory: code === KILLED && (await this.#ranOutOfMemory()) });
    } catch (error) {
      // Removed by someone else: it has ended all the same.
      if (statusOf(error) === 404) this.#exit.resolve({ code: KILLED, outOfMemory: false });
      else this.#exit.reject(error);
    } finally {
      this.#running = false;
    }
  }

  async #ranOutOfMemory(): Promise<boolean> {
    const inspection = await this.#host.calls
      .make(`inspect ${this.name}`, this.#handle.inspect())
      .catch(() => undefined);
    return inspection?.State.OOMKilled ?? false;
  }

  async #signal(name: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#host.calls
      .make(`stop ${this.name}`, this.#handle.kill({ signal: name }))
      .catch((error: unknown) => {
        // It ended a moment before.
        const status = statusOf(error);
        if (status !== 404 && status !== 409 && status !== 304) throw error;
      });
  }

  async #remove(): Promise<void> {
    this.#detach();
    await this.#host.calls
      .make(`remove ${this.name}`, this.#handle.remove({ force: true, v: true }))
      .catch((error: unknown) => {
        // Already gone, or another removal is under way.
        const status = statusOf(error);
        if (status !== 404 && status !== 409) throw error;
      });
    if (!this.#running) this.#exit.resolve({ code: KILLED, outOfMemory: false });
  }

  /** Output of a small command in the container, under the same hardening as its program. */
  async #run(command: string[]): Promise<string> {
    const { calls } = this.#host;
    const execution = await calls.make(
      `look into ${this.name}`,
      this.#handle.exec({ Cmd: command, AttachStdout: true, AttachStderr: true }),
    );
    const connection = await calls.make(
      `look into ${this.name}`,
      execution.start({ hijack: true, stdin: false }),
    );
    const { stdout, stderr } = attachedStreams(connection);
    stderr.resume();
    let text = '';
    for await (const chunk of stdout) {
      if (text.length < COMMAND_OUTPUT_BYTES) text += String(chunk);
    }
    return text;
  }
}

function absent(path: string, cause: unknown): ProblemError {
  return new ProblemError(
    { code: 'path_absent', title: 'Not there', detail: `There is no ${path} in the container.` },
    { cause },
  );
}

/** Takes an attached connection apart. Ending `stdin` ends the program's, and leaves its output open. */
function attachedStreams(connection: Duplex): AttachedStreams {
  const outputs = new Demultiplexer();
  const stdin = new Writable({
    write: (chunk: Buffer, _encoding, done) => void connection.write(chunk, done),
    final: (done) => void connection.end(done),
  });
  // Writing to a program that has gone is no fault of the writer.
  stdin.on('error', () => undefined);
  pipeline(connection, outputs, () => {
    stdin.destroy();
    connection.destroy();
  });
  return { stdin, stdout: outputs.stdout, stderr: outputs.stderr };
}
