import { execFile } from 'node:child_process';
import { lstat, readlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/** Folders of the system that a program sees, read-only. Homes, /root, /var and /srv are not among them. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt'];
/** What of /etc programs need to start, to find libraries and certificates. */
const SYSTEM_SETTINGS = [
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/ssl',
  '/etc/ca-certificates',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/magic',
  '/etc/passwd',
  '/etc/group',
];
/** How names are looked up, for a program on this computer's network. */
const NAME_SETTINGS = ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', '/etc/gai.conf'];
const TRIAL_MS = 3000;

/** Where bubblewrap is and what it can show of this system. */
export interface Bubblewrap {
  readonly path: string;
  readonly version: string;
  /** Arguments that show the system's folders, as they are on this machine. */
  readonly system: readonly string[];
}

/** A folder of the host, where it appears, and whether it may be written. */
export interface Binding {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** bubblewrap, where it is installed and the kernel lets it make its namespaces. */
export async function findBubblewrap(
  platform: NodeJS.Platform,
  path = 'bwrap',
): Promise<Bubblewrap | undefined> {
  if (platform !== 'linux') return undefined;
  const run = promisify(execFile);
  try {
    const system = await describeSystem();
    const trial = ['--unshare-all', '--cap-drop', 'ALL', ...system, '--proc', '/proc', '--dev', '/dev'];
    const [{ stdout }] = await Promise.all([
      run(path, ['--version'], { timeout: TRIAL_MS }),
      run(path, [...trial, '/bin/sh', '-c', 'exit 0'], { timeout: TRIAL_MS, env: {} }),
    ]);
    return { path, version: stdout.trim().replace(/^\D*/, ''), system };
  } catch {
    return undefined;
  }
}

async function describeSystem(): Promise<string[]> {
  const shown = await Promise.all(
    SYSTEM_FOLDERS.map(async (folder) => {
      const entry = await lstat(folder).catch(() => undefined);
      if (!entry) return [];
      if (entry.isSymbolicLink()) return ['--symlink', await readlink(folder), folder];
      return ['--ro-bind', folder, folder];
    }),
  );
  return [...shown.flat(), ...SYSTEM_SETTINGS.flatMap((path) => ['--ro-bind-try', path, path])];
}

/**
 * Arguments that run a command in namespaces of its own: no network, no other process in sight, nothing of
 * the person's files, and a root that cannot be written.
 */
export function bubblewrapArguments(options: {
  readonly bubblewrap: Bubblewrap;
  readonly bindings: readonly Binding[];
  readonly variables: Readonly<Record<string, string>>;
  readonly userId: number;
  readonly home: string;
  readonly workingFolder: string;
  readonly hostname: string;
  /** Leaves it on this computer's network. */
  readonly sharesNetwork: boolean;
  readonly command: readonly string[];
}): string[] {
  const { bubblewrap, bindings, variables, userId, home, workingFolder, hostname, sharesNetwork, command } =
    options;
  return [
    // Every namespace there is; the network one has but loopback, where it is not shared.
    '--unshare-all',
    ...(sharesNetwork ? ['--share-net'] : []),
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    '--uid',
    String(userId),
    '--gid',
    String(userId),
    '--hostname',
    hostname,
    ...bubblewrap.system,
    ...(sharesNetwork ? NAME_SETTINGS.flatMap((path) => ['--ro-bind-try', path, path]) : []),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    '--tmpfs',
    home,
    ...bindings.flatMap(({ source, target, readOnly }) => [
      readOnly ? '--ro-bind' : '--bind',
      source,
      target,
    ]),
    '--remount-ro',
    '/',
    '--clearenv',
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    workingFolder,
    '--',
    ...command,
  ];
}

/** Whether a path is shown already because a folder above it is. */
export function isSystemPath(path: string): boolean {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder))
    if (SYSTEM_FOLDERS.includes(folder)) return true;
  return false;
}
