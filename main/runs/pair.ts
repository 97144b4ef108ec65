import { randomBytes, randomUUID } from 'node:crypto';
import type { Container, ContainerSpecification, Engine, ResourceLimits } from '#main/engines/engine.ts';
import type { Logger } from '#main/logging/logger.ts';
import {
  EGRESS_FOLDER,
  SANDBOX_USER_ID,
  SIDECAR_USER_ID,
  SOCKET_FOLDER,
  WORKSPACE_BYTES,
  WORKSPACE_PATH,
} from '#shared/protocol/layout.ts';
import { sandboxMainSide, sandboxSide } from '#shared/protocol/sandbox.ts';
import { sidecarMainSide, sidecarSide } from '#shared/protocol/sidecar.ts';
import { ProblemError } from '#shared/problem.ts';
import type { Side } from '#shared/protocol/peer.ts';
import { connectProgram, type ProgramConnection } from './program-connection.ts';

const MEBIBYTE = 1024 * 1024;

const WORKSPACE_INODES = 200_000;

/** What the workspace holds counts as the sandbox's memory, so the limit is above both together. */
const SANDBOX_LIMITS: ResourceLimits = {
  memoryBytes: 1536 * MEBIBYTE,
  cpus: 2,
  processes: 256,
  openFiles: 4096,
};
const SIDECAR_LIMITS: ResourceLimits = {
  memoryBytes: 256 * MEBIBYTE,
  cpus: 1,
  processes: 64,
  openFiles: 1024,
};

/** How long the two programs may take to say that they are there. */
const READY_TIMEOUT_MS = 60_000;
const STOP_GRACE_MS = 300;

export type SandboxConnection = ProgramConnection<typeof sandboxMainSide, typeof sandboxSide>;
export type SidecarConnection = ProgramConnection<typeof sidecarMainSide, typeof sidecarSide>;

/** A sidecar and a sandbox that are up and wait to be told what to do. Used for one run. */
export interface Pair {
  readonly engine: Engine;
  readonly image: string;
  /** Name of the volume with the workspace. */
  readonly workspace: string;
  readonly sandbox: { readonly container: Container; readonly connection: SandboxConnection };
  readonly sidecar: { readonly container: Container; readonly connection: SidecarConnection };
  /** Resolves with what happened when one of the two ended before it was told to. */
  readonly failure: Promise<ProblemError>;
  /** Name of the volume with the socket of the proxy that local servers get out by. */
  readonly egress: string;
  /** Lets something go with the pair: it is disposed of before the volumes that it may use. */
  accompany(companion: AsyncDisposable): void;
  /** Ends both and removes all that belongs to them. Safe to repeat. */
  remove(): Promise<void>;
}

/**
 * Starts a pair. Everything that can happen at the same time does.
 * @throws ProblemError `engine_unreachable`, `container_refused`, `program_not_ready`
 */
export async function launchPair(
  engine: Engine,
  image: string,
  logger: Logger,
  signal: AbortSignal,
): Promise<Pair> {
  const pairId = randomUUID();
  const name = `slipway-${randomBytes(5).toString('hex')}`;
  const owner = { runId: pairId };
  const workspace = `${name}-workspace`;
  const socket = `${name}-socket`;
  const egress = `${name}-egress`;
  const companions: AsyncDisposable[] = [];
  const cleanups: (() => Promise<void>)[] = [];
  let removing: Promise<void> | undefined;

  const remove = (): Promise<void> => {
    removing ??= (async () => {
      // Containers first and at once; a volume can go only when nothing holds it.
      for (const cleanup of cleanups.toReversed()) {
        await cleanup().catch((error: unknown) =>
          logger.warn({ error, pair: name }, 'A pair was not removed whole'),
        );
      }
    })();
    return removing;
  };

  try {
    cleanups.push(async () => {
      await Promise.all([workspace, socket, egress].map((volume) => engine.removeVolume(volume)));
    });
    await Promise.all([
      engine.createVolume(
        {
          name: workspace,
          owner,
          sizeBytes: WORKSPACE_BYTES,
          inodes: WORKSPACE_INODES,
          userId: SANDBOX_USER_ID,
        },
        signal,
      ),
      engine.createVolume(
        { name: socket, owner, sizeBytes: MEBIBYTE, inodes: 16, userId: SIDECAR_USER_ID },
        signal,
      ),
      engine.createVolume(
        { name: egress, owner, sizeBytes: MEBIBYTE, inodes: 16, userId: SIDECAR_USER_ID },
        signal,
      ),
    ]);
    const containers: Container[] = [];
    cleanups.push(async () => {
      await Promise.all([
        ...companions.map((companion) => companion[Symbol.asyncDispose]()),
        ...containers.map(async (container) => {
          try {
            await container.stop(STOP_GRACE_MS);
          } finally {
            // A container that will not be stopped is removed by force all the same.
            await container.remove();
          }
        }),
      ]);
    });
    const create = async (specification: ContainerSpecification): Promise<Container> => {
      const container = await engine.createContainer(specification, signal);
      containers.push(container);
      return container;
    };
    const [sandboxContainer, sidecarContainer] = await allOrThrow([
      create({
        name: `${name}-sandbox`,
        role: 'sandbox',
        owner,
        image,
        mounts: [
          { volume: workspace, path: WORKSPACE_PATH, readOnly: false },
          { volume: socket, path: SOCKET_FOLDER, readOnly: true },
        ],
        limits: SANDBOX_LIMITS,
        network: 'none',
      }),
      create({
        name: `${name}-sidecar`,
        role: 'sidecar',
        owner,
        image,
        mounts: [
          { volume: socket, path: SOCKET_FOLDER, readOnly: false },
          { volume: egress, path: EGRESS_FOLDER, readOnly: false },
        ],
        limits: SIDECAR_LIMITS,
        network: 'later',
      }),
    ]);
    const context = { logger, signal, cleanups };
    const [sandbox, sidecar] = await allOrThrow([
      startProgram(
        sandboxContainer,
        { own: sandboxMainSide, program: sandboxSide, name: 'the sandbox' },
        context,
      ),
      startProgram(
        sidecarContainer,
        { own: sidecarMainSide, program: sidecarSide, name: 'the sidecar' },
        context,
      ),
    ]);
    const failure = Promise.race([
      ended(sandboxContainer, sandbox.errorLines),
      ended(sidecarContainer, sidecar.errorLines),
      engine.gone.then(engineGone),
    ]);
    return {
      engine,
      image,
      workspace,
      egress,
      accompany: (companion) => void companions.push(companion),
      sandbox: { container: sandboxContainer, connection: sandbox },
      sidecar: { container: sidecarContainer, connection: sidecar },
      failure,
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

interface ProgramSides<Own extends Side, Program extends Side> {
  readonly own: Own;
  readonly program: Program;
  readonly name: string;
}

/** Attaches, starts, and waits for the program's `ready`. */
async function startProgram<Own extends Side, Program extends Side>(
  container: Container,
  sides: ProgramSides<Own, Program>,
  context: { logger: Logger; signal: AbortSignal; cleanups: (() => Promise<void>)[] },
): Promise<ProgramConnection<Own, Program>> {
  const { logger, signal } = context;
  const connection = connectProgram({
    streams: await container.attach(signal),
    ...sides,
    onFault: (detail) => logger.warn({ container: container.name, detail }, 'A program broke its contract'),
  });
  context.cleanups.push(async () => connection[Symbol.dispose]());
  const ready = Promise.withResolvers<void>();
  // It may fail while the start is still waited for.
  ready.promise.catch(() => undefined);
  const stopListening = connection.peer.on('ready', () => ready.resolve());
  connection.listen();
  const giveUp = () => ready.reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  const timer = setTimeout(
    () =>
      ready.reject(
        notReady(container, `It did not answer within ${READY_TIMEOUT_MS / 1000} s.`, connection.errorLines),
      ),
    READY_TIMEOUT_MS,
  );
  try {
    await container.start(signal);
    container.wait().then((status) => {
      ready.reject(notReady(container, `It ended at once with code ${status.code}.`, connection.errorLines));
    }, ready.reject);
    await ready.promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    stopListening();
  }
  return connection;
}

function notReady(container: Container, detail: string, lines: readonly string[]): ProblemError {
  return new ProblemError({
    code: 'program_not_ready',
    title: `The ${container.role} did not start`,
    detail: `The ${container.role} was started but cannot be used. ${detail}`,
    action: 'Run the agent again. If it happens each time, rebuild the image in Settings, Engine.',
    ...(lines.length > 0 && { context: [...lines] }),
  });
}

/** Describes how a container ended; never rejects. */
async function ended(container: Container, errorLines: readonly string[]): Promise<ProblemError> {
  const status = await container.wait().catch(() => undefined);
  if (status === undefined) return engineGone();
  if (status.outOfMemory || (container.role === 'sandbox' && status.code === 137)) {
    return new ProblemError({
      code: 'sandbox_out_of_memory',
      title: 'The sandbox ran out of memory',
      detail: `The agent's work needed more than ${SANDBOX_LIMITS.memoryBytes / MEBIBYTE} MB, which counts what its workspace holds, and was ended.`,
      action: 'Let the agent work on smaller parts, or give it smaller files.',
    });
  }
  return new ProblemError({
    code: `${container.role}_ended`,
    title: `The ${container.role} ended unexpectedly`,
    detail: `The ${container.role} ended with code ${status.code} in the middle of the run.`,
    ...(errorLines.length > 0 && { context: [...errorLines] }),
  });
}

function engineGone(): ProblemError {
  return new ProblemError({
    code: 'engine_gone',
    title: 'The container engine stopped',
    detail: 'The engine that runs the sandbox no longer answers, so the run ended.',
    action: 'Start the engine again; Slipway finds it by itself.',
  });
}

/** Like `Promise.all`, but waits for all before it throws, so that nothing is made after the clean-up. */
async function allOrThrow<T extends readonly unknown[]>(promises: {
  [Index in keyof T]: Promise<T[Index]>;
}): Promise<T> {
  const results = await Promise.allSettled(promises);
  for (const result of results) {
    if (result.status === 'rejected') throw result.reason;
  }
  return Promise.all(promises) as Promise<unknown> as Promise<T>;
}
