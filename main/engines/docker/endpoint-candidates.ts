import { createHash } from 'node:crypto';
import { posix, win32, type PlatformPath } from 'node:path';
import { z } from 'zod';
import {
  parseHost,
  withoutCredentials,
  type EndpointCandidate,
  type EndpointEnvironment,
  type TlsMaterial,
} from './endpoint.ts';

const configurationSchema = z.object({ currentContext: z.string().optional() });

/** `meta.json` of a Docker context; Docker's client writes the field names with capitals. */
const contextSchema = z.object({
  Endpoints: z.object({
    docker: z.object({ Host: z.string().default(''), SkipTLSVerify: z.boolean().default(false) }),
  }),
});

/**
 * Places to look for an engine, best first: what the person chose by DOCKER_HOST, then by the current
 * context, then the sockets that known products make. A place appears once, under its first origin.
 */
export async function endpointCandidates(environment: EndpointEnvironment): Promise<EndpointCandidate[]> {
  const chosen = [...(await fromVariable(environment)), ...(await fromContext(environment))];
  const known = environment.platform === 'win32' ? knownPipes() : knownSockets(environment);
  const seen = new Set<string>();
  return [...chosen, ...known].filter(({ address, target }) => {
    const key = target.kind === 'socket' ? target.path : address;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

async function fromVariable(environment: EndpointEnvironment): Promise<EndpointCandidate[]> {
  const { variables, platform } = environment;
  const host = variables['DOCKER_HOST']?.trim();
  if (!host) return [];
  const wantsTls =
    isSet(variables['DOCKER_TLS_VERIFY']) || isSet(variables['DOCKER_TLS']) || /:2376\/?$/.test(host);
  let tls: TlsMaterial | undefined;
  if (wantsTls) {
    const folder = variables['DOCKER_CERT_PATH'] ?? configurationFolder(environment);
    const skipVerify = isSet(variables['DOCKER_TLS']) && !isSet(variables['DOCKER_TLS_VERIFY']);
    tls = await readTls(environment, folder, skipVerify);
  }
  return [
    {
      origin: 'DOCKER_HOST',
      address: withoutCredentials(host),
      target: parseHost(host, platform, tls),
    },
  ];
}

async function fromContext(environment: EndpointEnvironment): Promise<EndpointCandidate[]> {
  const path = pathsOf(environment);
  const folder = configurationFolder(environment);
  const name =
    environment.variables['DOCKER_CONTEXT'] ||
    (await readJson(environment, path.join(folder, 'config.json'), configurationSchema))?.currentContext;
  if (!name || name === 'default') return [];
  const origin = `Docker context "${name}"`;
  // Docker's client names a context's folder by the hash of its name.
  const id = createHash('sha256').update(name).digest('hex');
  const file = path.join(folder, 'contexts', 'meta', id, 'meta.json');
  const context = await readJson(environment, file, contextSchema);
  if (!context) {
    const reason = 'The context has no readable description. Choose another with "docker context use".';
    return [{ origin, address: file, target: { kind: 'unusable', reason } }];
  }
  const { Host: host, SkipTLSVerify: skipVerify } = context.Endpoints.docker;
  const material = await readTls(environment, path.join(folder, 'contexts', 'tls', id, 'docker'), skipVerify);
  const tls = skipVerify || material.ca || material.cert ? material : undefined;
  return [{ origin, address: withoutCredentials(host), target: parseHost(host, environment.platform, tls) }];
}

function knownSockets(environment: EndpointEnvironment): EndpointCandidate[] {
  const { home, platform, variables, userId } = environment;
  const runtime = variables['XDG_RUNTIME_DIR'] || (userId === undefined ? undefined : `/run/user/${userId}`);
  const configuration = variables['XDG_CONFIG_HOME'] || posix.join(home, '.config');
  const mac = platform === 'darwin';
  const temporary = variables['TMPDIR'] || '/tmp';
  const places: [origin: string, path: string | undefined][] = [
    ["Docker's usual socket", '/var/run/docker.sock'],
    ['Docker Desktop', posix.join(home, '.docker', 'run', 'docker.sock')],
    ['Docker Desktop for Linux', mac ? undefined : posix.join(home, '.docker', 'desktop', 'docker.sock')],
    ['OrbStack', mac ? posix.join(home, '.orbstack', 'run', 'docker.sock') : undefined],
    ['Colima', posix.join(variables['COLIMA_HOME'] || posix.join(home, '.colima'), 'default', 'docker.sock')],
    ['Colima', posix.join(configuration, 'colima', 'default', 'docker.sock')],
    ['Rancher Desktop', posix.join(home, '.rd', 'docker.sock')],
    ['Lima', posix.join(home, '.lima', 'docker', 'sock', 'docker.sock')],
    ['Docker without root', runtime && posix.join(runtime, 'docker.sock')],
    ['Podman without root', runtime && posix.join(runtime, 'podman', 'podman.sock')],
    [
      "Podman's machine",
      mac ? posix.join(temporary, 'podman', 'podman-machine-default-api.sock') : undefined,
    ],
    [
      "Podman's machine",
      posix.join(home, '.local', 'share', 'containers', 'podman', 'machine', 'podman.sock'),
    ],
    ['Podman', mac ? undefined : '/run/podman/podman.sock'],
  ];
  return places.flatMap(([origin, path]) =>
    path ? [{ origin, address: path, target: { kind: 'socket' as const, path } }] : [],
  );
}

function knownPipes(): EndpointCandidate[] {
  const places: [origin: string, path: string][] = [
    ['Docker Desktop', '//./pipe/docker_engine'],
    ['Docker Desktop', '//./pipe/dockerDesktopLinuxEngine'],
    ["Podman's machine", '//./pipe/podman-machine-default'],
  ];
  return places.map(([origin, path]) => ({ origin, address: path, target: { kind: 'socket', path } }));
}

function pathsOf({ platform }: EndpointEnvironment): PlatformPath {
  return platform === 'win32' ? win32 : posix;
}

function configurationFolder(environment: EndpointEnvironment): string {
  return environment.variables['DOCKER_CONFIG'] || pathsOf(environment).join(environment.home, '.docker');
}

/** Docker's client takes any text but the empty one as yes. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

async function readTls(
  environment: EndpointEnvironment,
  folder: string,
  skipVerify: boolean,
): Promise<TlsMaterial> {
  const path = pathsOf(environment);
  const [ca, cert, key] = await Promise.all(
    ['ca.pem', 'cert.pem', 'key.pem'].map((name) => environment.readText(path.join(folder, name))),
  );
  return { ca, cert, key, skipVerify };
}

async function readJson<T>(
  environment: EndpointEnvironment,
  file: string,
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  const text = await environment.readText(file);
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
