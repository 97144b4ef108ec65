import type Docker from 'dockerode';
import { z } from 'zod';
import type { EndpointAttempt } from '#shared/engines/engine-report.ts';
import { createDockerClient, type DockerClient } from './client.ts';
import type { DockerIdentity } from './docker-engine.ts';
import { endpointCandidates } from './endpoint-candidates.ts';
import type { EndpointCandidate, EndpointEnvironment } from './endpoint.ts';
import { PING_DEADLINE_MS, ping } from './engine-watch.ts';
import { connectionCodeOf, engineMessage } from './problems.ts';

/** Oldest API that has what is used here; Docker 20.10 and Podman 4 serve it. */
const LEAST_API = [1, 40] as const;

const versionSchema = z.object({
  Version: z.string(),
  ApiVersion: z.string(),
  Components: z.array(z.object({ Name: z.string() })).optional(),
  Platform: z.object({ Name: z.string() }).optional(),
});
const infoSchema = z.object({
  ID: z.string().optional(),
  Name: z.string().optional(),
  OSType: z.string().optional(),
  OperatingSystem: z.string().optional(),
  NCPU: z.number().positive().optional(),
  Runtimes: z.record(z.string(), z.unknown()).nullish(),
});

/** An engine that answered, and why it was taken. */
export interface FoundEngine {
  readonly client: DockerClient;
  readonly identity: DockerIdentity;
  readonly address: string;
  readonly origin: string;
}

/** Tries every place in order and takes the first engine that answers and can be used. */
export async function findDockerEngine(
  environment: EndpointEnvironment,
  signal: AbortSignal,
): Promise<{ readonly found: FoundEngine | undefined; readonly attempts: EndpointAttempt[] }> {
  const attempts: EndpointAttempt[] = [];
  let found: FoundEngine | undefined;
  for (const candidate of await endpointCandidates(environment)) {
    signal.throwIfAborted();
    if (found) {
      attempts.push(attempt(candidate, 'not_tried', 'An earlier place had an engine.'));
      continue;
    }
    const tried = await tryCandidate(candidate, environment.platform, signal);
    attempts.push(tried.attempt);
    found = tried.found;
  }
  return { found, attempts };
}

async function tryCandidate(
  candidate: EndpointCandidate,
  platform: NodeJS.Platform,
  signal: AbortSignal,
): Promise<{ attempt: EndpointAttempt; found?: FoundEngine }> {
  const { target, origin, address } = candidate;
  if (target.kind === 'unusable') return { attempt: attempt(candidate, 'unusable', target.reason) };
  const client = createDockerClient(target);
  try {
    await ping(client.docker, signal);
    const identified = await identify(client.docker, signal);
    if ('reason' in identified) {
      client[Symbol.dispose]();
      return { attempt: attempt(candidate, 'unusable', identified.reason) };
    }
    const said = `${identified.name} ${identified.version} answered.`;
    return {
      attempt: attempt(candidate, 'answered', said),
      found: { client, identity: identified, address, origin },
    };
  } catch (error) {
    client[Symbol.dispose]();
    signal.throwIfAborted();
    return { attempt: describeFailure(candidate, platform, error) };
  }
}

async function identify(docker: Docker, signal: AbortSignal): Promise<DockerIdentity | { reason: string }> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(5 * PING_DEADLINE_MS)]);
  const abortable = docker as unknown as Record<
    'version' | 'info',
    (options: { abortSignal: AbortSignal }) => Promise<unknown>
  >;
  const [versionAnswer, infoAnswer] = await Promise.all([
    abortable.version({ abortSignal: deadline }),
    abortable.info({ abortSignal: deadline }),
  ]);
  const version = versionSchema.safeParse(versionAnswer);
  const info = infoSchema.safeParse(infoAnswer);
  if (!version.success || !info.success)
    return { reason: "Something answers there, but not with Docker's API." };
  if (info.data.OSType === 'windows')
    return { reason: 'This engine runs Windows containers. Switch Docker Desktop to Linux containers.' };
  if (isOlder(version.data.ApiVersion))
    return {
      reason: `Its API ${version.data.ApiVersion} is too old; ${LEAST_API.join('.')} is needed. Update it.`,
    };
  const podman = version.data.Components?.some(({ Name }) => /podman/i.test(Name)) ?? false;
  return {
    id: info.data.ID || info.data.Name || 'unnamed',
    name: productName(podman, info.data.OperatingSystem, version.data.Platform?.Name),
    version: version.data.Version,
    runtimes: Object.keys(info.data.Runtimes ?? {}),
    podman,
    cpus: info.data.NCPU ?? 1,
  };
}

function productName(podman: boolean, system: string | undefined, platform: string | undefined): string {
  if (podman) return 'Podman';
  for (const product of ['Docker Desktop', 'OrbStack', 'Rancher Desktop'])
    if (`${system} ${platform}`.includes(product)) return product;
  return 'Docker Engine';
}

function isOlder(api: string): boolean {
  const [major = 0, minor = 0] = api.split('.').map(Number);
  return major < LEAST_API[0] || (major === LEAST_API[0] && minor < LEAST_API[1]);
}

/** What a failed try means, in a sentence that says what to do about it where something can be done. */
export function describeFailure(
  candidate: EndpointCandidate,
  platform: NodeJS.Platform,
  error: unknown,
): EndpointAttempt {
  const socket = candidate.target.kind === 'socket';
  switch (connectionCodeOf(error)) {
    case 'ENOENT':
      return attempt(candidate, 'absent', socket ? 'There is no such socket.' : 'There is nothing there.');
    case 'ENOTSOCK':
    case 'ENOTDIR':
      return attempt(candidate, 'absent', 'What is there is not a socket.');
    case 'ECONNREFUSED':
      return attempt(
        candidate,
        'refused',
        socket
          ? 'The socket is there, but no engine listens on it. Start Docker.'
          : 'No engine listens at this address.',
      );
    case 'EACCES':
    case 'EPERM':
      return attempt(
        candidate,
        'refused',
        platform === 'linux'
          ? 'You may not use this socket. Add yourself to its group with "sudo usermod -aG docker $USER", then log out and in again.'
          : 'You may not use this socket. Check who owns it.',
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return attempt(candidate, 'absent', 'The name of this host is not known.');
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return attempt(candidate, 'absent', 'This host cannot be reached from here.');
    case 'ETIMEDOUT':
      return attempt(candidate, 'timed_out', 'Nobody took the connection in time.');
    default:
  }
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
    return attempt(
      candidate,
      'timed_out',
      `It took the connection but did not answer within ${PING_DEADLINE_MS / 1000} s. It may be starting, or hang: restart it if this stays.`,
    );
  const said = engineMessage(error);
  if (/certificate|SSL|TLS|EPROTO/i.test(said))
    return attempt(candidate, 'unusable', `The secured connection failed: ${said}`);
  return attempt(candidate, 'unusable', `It answered, but not as an engine does: ${said}`);
}

function attempt(
  { origin, address }: EndpointCandidate,
  outcome: EndpointAttempt['outcome'],
  detail: string,
): EndpointAttempt {
  return { origin, address, outcome, detail };
}
