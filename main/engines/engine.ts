import type { Readable, Writable } from 'node:stream';
import type { EngineKind, EngineReport, ImageStatus, IsolationCheck } from '#shared/engines/engine-report.ts';

/** Which program a container runs: one of a run's pair, or that which starts a local MCP server. */
export type ContainerRole = 'sandbox' | 'sidecar' | 'runner';

/** Labels on everything created, so that a later start can tell what nobody owns. */
export interface OwnerLabels {
  /** What was made for one run: of a pair, the pair's own id, since labels cannot change when a run takes it. */
  readonly runId: string;
}

/** A volume to make for one run. */
export interface VolumeSpecification {
  readonly name: string;
  readonly owner: OwnerLabels;
  /** Held in memory and cut off at this size, so that an agent cannot fill the disk. */
  readonly sizeBytes: number;
  /** Files and folders it may hold. */
  readonly inodes: number;
  readonly userId: number;
}

/** A volume as a container sees it. */
export interface Mount {
  readonly volume: string;
  /** One of the paths of `#shared/protocol/layout.ts`, or where a local MCP server wants its workspace. */
  readonly path: string;
  readonly readOnly: boolean;
}

/** What one container may take of the machine. */
export interface ResourceLimits {
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly processes: number;
  readonly openFiles: number;
}

/** A container to make: whose it is and what differs between runs; its hardening is the engine's own. */
export interface ContainerSpecification {
  readonly name: string;
  readonly role: ContainerRole;
  readonly owner: OwnerLabels;
  readonly image: string;
  readonly mounts: readonly Mount[];
  readonly limits: ResourceLimits;
  /** `later` lets {@link Container.openNetwork} lead it out; nothing else ever does. */
  readonly network: 'none' | 'later';
  /** Another user than the role's own: the workspace's, for a server that shares it. */
  readonly userId?: number;
  /** Further folders in memory, the program's own: what a local MCP server is given as files goes there. */
  readonly memoryFolders?: readonly string[];
}

/** Attached standard streams; the only channel into a container besides its files. */
export interface AttachedStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** How a program ended. */
export interface ExitStatus {
  readonly code: number;
  /** The kernel killed it for memory. Some engines cannot tell and report 137 alone. */
  readonly outOfMemory: boolean;
}

/** One program of a run, and the volumes it has. Its standard streams and its files are the only ways in. */
export interface Container {
  readonly name: string;
  readonly role: ContainerRole;
  /** Where a container path really is for the program: the same in Docker, a folder in the process engine. */
  resolve(containerPath: string): string;
  /** Attach before start, so that nothing the program says is lost. */
  attach(signal: AbortSignal): Promise<AttachedStreams>;
  start(signal: AbortSignal): Promise<void>;
  /** Resolves once, when the program has ended. */
  wait(): Promise<ExitStatus>;
  /** Asks it to end, kills it after `graceMs`; resolves when it has ended. Safe to repeat. */
  stop(graceMs: number): Promise<void>;
  /** Kills and removes it. Safe to repeat, also when it is already gone. */
  remove(): Promise<void>;
  /** Unpacks a tar stream into a folder of a mounted volume; entries carry their owner. Container must run. */
  putArchive(folder: string, archive: Readable, signal: AbortSignal): Promise<void>;
  /** A tar stream of a file or folder. Container must run. */
  getArchive(path: string, signal: AbortSignal): Promise<Readable>;
  /**
   * Lets a running container reach the author's network; its specification must say `later`.
   * @throws ProblemError `engine_unreachable`, `container_refused`
   */
  openNetwork(signal: AbortSignal): Promise<void>;
  /** Highest memory the container has used, in bytes, where the engine can tell. */
  peakMemory(): Promise<number | undefined>;
}

/** How much a reaper removed. */
export interface ReapReport {
  readonly containers: number;
  readonly volumes: number;
  readonly networks: number;
}

/** Where sandboxes live. One is in use at a time. */
export interface Engine {
  readonly kind: EngineKind;
  readonly isolates: boolean;
  /**
   * Makes sure the image is there, building it when it is not. Concurrent calls share one build.
   * @throws ProblemError `image_build_failed` with the build's last lines.
   */
  ensureImage(options: { signal: AbortSignal; onProgress(status: ImageStatus): void }): Promise<string>;
  createVolume(specification: VolumeSpecification, signal: AbortSignal): Promise<void>;
  removeVolume(name: string): Promise<void>;
  /**
   * A call that is given up takes the volumes it was to mount with it, where nothing else holds them.
   * @throws ProblemError `engine_unreachable`, `container_refused`.
   */
  createContainer(specification: ContainerSpecification, signal: AbortSignal): Promise<Container>;
  /** Runs the probes in a throw-away pair of containers; remembered per engine version and image. */
  probeIsolation(image: string, signal: AbortSignal): Promise<IsolationCheck[]>;
  /** Removes what no live app instance owns; with `own`, all that this instance made as well. */
  reap(options?: { own?: boolean }): Promise<ReapReport>;
  /** Resolves when the engine stops answering; used to fail runs at once. */
  readonly gone: Promise<Error>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** An engine, and the image that containers of it are made from. */
export interface Placement {
  readonly engine: Engine;
  readonly image: string;
}

/** Finds an engine, keeps looking while there is none, and tells what it sees. */
export interface EngineDirectory {
  readonly report: EngineReport;
  onReport(listener: (report: EngineReport) => void): () => void;
  /** Looks again now. */
  look(): Promise<EngineReport>;
  prefer(preference: EngineReport['preference']): Promise<EngineReport>;
  consent(granted: boolean): Promise<EngineReport>;
  /**
   * The engine to run on, its image ready and its isolation probed.
   * @throws ProblemError `no_engine`, `consent_required`, `image_build_failed`, `isolation_failed`.
   */
  acquire(options: {
    signal: AbortSignal;
    onPhase(phase: 'engine' | 'image', detail: string, fraction?: number): void;
  }): Promise<Placement>;
  /**
   * Where the local MCP servers of a run go: beside its sandbox, where that is isolated.
   * @param own where the sandbox is
   * @throws ProblemError `local_server_not_isolated`, and what {@link acquire} throws
   */
  acquireForServers(own: Placement, signal: AbortSignal): Promise<Placement>;
  /** Starts building the image now, without a run. */
  prepareImage(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
