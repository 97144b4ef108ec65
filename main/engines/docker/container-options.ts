import type Docker from 'dockerode';
import { SIDECAR_USER_ID } from '#shared/protocol/layout.ts';
import type { ContainerRole, ContainerSpecification, VolumeSpecification } from '../engine.ts';
import { LABEL, ownerLabels, type Maker } from '../labels.ts';
import {
  COMPILE_CACHE_PATH,
  INSTALLATION_PATH,
  PROGRAM_VARIABLES,
  homeOf,
  nodeFlagsOf,
  startFolderOf,
  userIdOf,
} from '../program.ts';

/** What differs between engines in how a container must be asked for. */
export interface ContainerDialect {
  /** Runtime for what is not ours, such as gVisor's; the engine's own when undefined. */
  readonly sandboxRuntime: string | undefined;
  /** Podman sets its own process ulimit where none is given, and fails where the host's is lower. */
  readonly needsProcessUlimit: boolean;
  /** Processors the engine has: it refuses a container that asks for more. */
  readonly cpus: number;
  /** Network of a container that may be led out later, where the engine cannot do that later. */
  readonly laterNetwork: string | undefined;
  /** Whether `host-gateway` means the computer to the engine. */
  readonly knowsHostGateway: boolean;
}

/**
 * The kernel counts this ulimit over all processes of a user id, those of a person at the machine with the
 * same id included: it must stand far above them. What bounds a container is its `PidsLimit`.
 */
const PROCESS_ULIMIT = 16_384;
/** Name of the author's computer inside a sidecar. */
const HOST_NAME = 'host.docker.internal';
const TEMPORARY_BYTES = 256 * 1024 * 1024;
const HOME_BYTES = 64 * 1024 * 1024;
/** For the few files that a local MCP server is given. */
const FOLDER_BYTES = 4 * 1024 * 1024;
/** Seconds an engine that shuts down leaves a container to end by itself. */
const STOP_SECONDS = 2;

/**
 * The hardened container of one program (DESIGN section 4; toolchain section 5). Nothing here depends on
 * the run but names, limits and volumes.
 * @param command what to run instead of the role's program, for probes
 */
export function containerOptions(
  specification: ContainerSpecification,
  maker: Maker,
  dialect: ContainerDialect,
  command: readonly string[] = programCommand(specification.role),
): Docker.ContainerCreateOptions {
  const { role, limits } = specification;
  const user = specification.userId ?? userIdOf(role);
  const leadsOut = specification.network === 'later';
  const home = homeOf(role);
  const variables: Record<string, string> = {
    ...PROGRAM_VARIABLES,
    HOME: home,
    NODE_COMPILE_CACHE: COMPILE_CACHE_PATH,
  };
  return {
    Image: specification.image,
    Cmd: [...command],
    User: `${user}:${user}`,
    Env: Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    WorkingDir: startFolderOf(role),
    Hostname: role,
    Labels: { ...ownerLabels(maker, specification.owner), [LABEL.role]: role },
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    // When main dies the attached stream ends, standard input reaches its end and the program leaves.
    StdinOnce: true,
    Tty: false,
    StopTimeout: STOP_SECONDS,
    HostConfig: {
      Init: true,
      ReadonlyRootfs: true,
      NetworkMode: leadsOut ? (dialect.laterNetwork ?? 'none') : 'none',
      // Where Docker Desktop answers by itself; only a service its author names there is ever called.
      ...(leadsOut && dialect.knowsHostGateway && { ExtraHosts: [`${HOST_NAME}:host-gateway`] }),
      IpcMode: 'none',
      CapDrop: ['ALL'],
      // The default seccomp profile stays: naming none keeps it.
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: limits.processes,
      Memory: limits.memoryBytes,
      // The same as Memory: no swap on top of it.
      MemorySwap: limits.memoryBytes,
      NanoCpus: Math.round(Math.min(limits.cpus, dialect.cpus) * 1e9),
      Ulimits: [
        { Name: 'nofile', Soft: limits.openFiles, Hard: limits.openFiles },
        ...(dialect.needsProcessUlimit
          ? [{ Name: 'nproc', Soft: PROCESS_ULIMIT, Hard: PROCESS_ULIMIT }]
          : []),
      ],
      Tmpfs: {
        '/tmp': `rw,exec,nosuid,nodev,size=${TEMPORARY_BYTES},mode=1777`,
        [home]: ownMemory(HOME_BYTES, user),
        ...Object.fromEntries(
          (specification.memoryFolders ?? []).map((folder) => [folder, ownMemory(FOLDER_BYTES, user)]),
        ),
      },
      Mounts: specification.mounts.map((mount) => ({
        Type: 'volume',
        Source: mount.volume,
        Target: mount.path,
        ReadOnly: mount.readOnly,
        VolumeOptions: {
          // Keeps the owner and mode the volume was made with, and saves the copy.
          NoCopy: true,
          // An engine makes a volume that is gone by then anew: the reaper must know that one too.
          Labels: ownerLabels(maker, specification.owner),
          DriverConfig: { Name: 'local', Options: {} },
        },
      })),
      // Nothing a program says may be stored by the engine; the attached streams still carry it.
      LogConfig: { Type: 'none', Config: {} },
      RestartPolicy: { Name: 'no' },
      AutoRemove: false,
      ...(role !== 'sidecar' && dialect.sandboxRuntime !== undefined && { Runtime: dialect.sandboxRuntime }),
    },
  };
}

/** A folder in memory that nobody but the program's user can look into. */
function ownMemory(bytes: number, user: number): string {
  return `rw,exec,nosuid,nodev,size=${bytes},uid=${user},gid=${user},mode=0700`;
}

function programCommand(role: ContainerRole): readonly string[] {
  return ['node', ...nodeFlagsOf(role), `${INSTALLATION_PATH}/programs/${role}.js`];
}

/**
 * A volume in memory, cut off at its size and number of files, so that an agent cannot fill the disk. It
 * is emptied when no running container holds it.
 */
export function volumeOptions(specification: VolumeSpecification, maker: Maker): Docker.VolumeCreateOptions {
  const { userId } = specification;
  const shared = userId === SIDECAR_USER_ID;
  const options = [
    'rw',
    'nosuid',
    'nodev',
    // The sandbox must reach the sidecar's socket, but owns nothing there; nobody else sees a workspace.
    ...(shared ? ['noexec', 'mode=0755'] : ['mode=0700']),
    `size=${specification.sizeBytes}`,
    `nr_inodes=${specification.inodes}`,
    `uid=${userId}`,
    `gid=${userId}`,
  ];
  return {
    Name: specification.name,
    Driver: 'local',
    DriverOpts: { type: 'tmpfs', device: 'tmpfs', o: options.join(',') },
    Labels: ownerLabels(maker, specification.owner),
  };
}
