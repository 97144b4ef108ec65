import {
  BUNDLE_PATH,
  RUNNER_HOME,
  RUNNER_USER_ID,
  SANDBOX_USER_ID,
  SIDECAR_USER_ID,
  SOCKET_FOLDER,
  WORKSPACE_PATH,
} from '#shared/protocol/layout.ts';
import type { ContainerRole } from './engine.ts';

/** Where the image keeps Pi and the programs. */
export const INSTALLATION_PATH = '/opt/slipway';

/** Where the image keeps what V8 made of the programs' code; each user has a part of its own. */
export const COMPILE_CACHE_PATH = `${INSTALLATION_PATH}/compile-cache`;

/**
 * Node's flags for a role's program. Unbounded, V8's space for young objects grows to 16 MB three times over
 * while Pi starts, and stays so: a quarter of the sandbox's memory for nothing it would miss.
 */
export function nodeFlagsOf(role: ContainerRole): readonly string[] {
  return role === 'sandbox' ? ['--max-semi-space-size=4'] : [];
}

interface Surroundings {
  readonly userId: number;
  readonly home: string;
  readonly startFolder: string;
}

const SURROUNDINGS: Readonly<Record<ContainerRole, Surroundings>> = {
  sandbox: { userId: SANDBOX_USER_ID, home: '/home/agent', startFolder: WORKSPACE_PATH },
  sidecar: { userId: SIDECAR_USER_ID, home: '/home/sidecar', startFolder: SOCKET_FOLDER },
  runner: { userId: RUNNER_USER_ID, home: RUNNER_HOME, startFolder: BUNDLE_PATH },
};

/** The user a role's program runs as; never root. */
export function userIdOf(role: ContainerRole): number {
  return SURROUNDINGS[role].userId;
}

/** Home of a role's user: in memory, gone with the container. */
export function homeOf(role: ContainerRole): string {
  return SURROUNDINGS[role].home;
}

/** Folder a role's program starts in. */
export function startFolderOf(role: ContainerRole): string {
  return SURROUNDINGS[role].startFolder;
}

/** Variables every program gets, whatever the engine. None is a secret, none is the app's own. */
export const PROGRAM_VARIABLES: Readonly<Record<string, string>> = {
  LANG: 'C.UTF-8',
  // Pi would look for updates and report usage; there is no network to do either.
  PI_OFFLINE: '1',
  PI_SKIP_VERSION_CHECK: '1',
  PI_TELEMETRY: '0',
  // Keeps an agent's outputs free of byte-code folders.
  PYTHONDONTWRITEBYTECODE: '1',
  NODE_NO_WARNINGS: '1',
};
