import { ProblemError } from '../problem.ts';
import { BUNDLE_PATH, RUNNER_HOME, WORKSPACE_PATH } from '../protocol/layout.ts';

/** Folders of every runner that its files may be written under. */
const OWN_FOLDERS: readonly string[] = [RUNNER_HOME, '/tmp'];

/** What no file of a package may touch, nor anything beneath. */
const CLOSED: readonly string[] = [
  '/dev',
  '/proc',
  '/sys',
  BUNDLE_PATH,
  WORKSPACE_PATH,
  '/opt/slipway',
  '/run/slipway',
  '/run/slipway-egress',
];

/** Folders of the system: what is put in their place would hide what is there. */
const SYSTEM: readonly string[] = [
  '/bin',
  '/boot',
  '/etc',
  '/home',
  '/lib',
  '/lib64',
  '/media',
  '/mnt',
  '/opt',
  '/root',
  '/run',
  '/sbin',
  '/srv',
  '/usr',
  '/var',
];

/** Folders right under these may be made anew; deeper ones under the others belong to the system. */
const OPEN_SYSTEM: ReadonlySet<string> = new Set([
  '/etc',
  '/home',
  '/media',
  '/mnt',
  '/opt',
  '/run',
  '/srv',
  '/var',
]);

/** Folders that the image has, or that programs look into for more than a file. */
const TAKEN: ReadonlySet<string> = new Set([
  '/etc/alternatives',
  '/etc/ssl',
  '/etc/security',
  '/etc/ld.so.conf.d',
  '/etc/python3',
  '/etc/python3.11',
  '/etc/sudoers.d',
  '/etc/pam.d',
  '/home/agent',
  '/home/sidecar',
  '/var/lib',
  '/var/log',
  '/var/cache',
  '/var/run',
  '/run/lock',
]);

/** Where a file that a server is given goes. */
export interface FilePlace {
  readonly path: string;
  /** A folder that has to be made in memory for it; undefined where every runner has one. */
  readonly folder: string | undefined;
}

/**
 * Checks where `delivery.files` wants a file (reference: sidecar, section 6.6), and finds the folder in memory
 * that holds it: nothing of a runner's own file system can be written.
 * @throws ProblemError `delivery_path_refused`
 */
export function checkFilePath(server: string, path: string): FilePlace {
  const steps = path.split('/').slice(1);
  const refuse = (reason: string) => refused(server, path, reason);
  if (!path.startsWith('/')) throw refuse('it is not absolute');
  if (/\p{Cc}/u.test(path)) throw refuse('it has characters that no path needs');
  if (steps.some((step) => step === '' || step === '.' || step === '..')) {
    throw refuse('its steps are not plain names');
  }
  if (/\/\.docker(\/|$)|\/\.dockerenv(\/|$)/.test(path)) throw refuse('it belongs to the container engine');
  if (CLOSED.some((folder) => isWithin(path, folder)))
    throw refuse('that folder is not for files of a package');
  if (/^\/etc\/(passwd|shadow|gshadow|group|sudoers)/.test(path)) throw refuse('it decides who may do what');
  if (OWN_FOLDERS.some((folder) => isWithin(path, folder) && path !== folder))
    return { path, folder: undefined };
  if (steps.length < 2) throw refuse('a file needs a folder of its own');
  const [first = '', second = ''] = steps;
  const top = `/${first}`;
  if (!SYSTEM.includes(top)) return { path, folder: top };
  const folder = `${top}/${second}`;
  if (steps.length < 3 || !OPEN_SYSTEM.has(top) || TAKEN.has(folder)) {
    throw refuse(`it would hide what the system has in ${steps.length < 3 ? top : folder}`);
  }
  return { path, folder };
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function refused(server: string, path: string, reason: string): ProblemError {
  return new ProblemError({
    code: 'delivery_path_refused',
    title: `${server} cannot be given a file there`,
    detail: `The integration wants a file at ${JSON.stringify(path)}, but ${reason}.`,
    action: 'Give it a folder of its own, such as /credentials/key.json.',
  });
}
