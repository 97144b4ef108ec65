import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import Docker from 'dockerode';
import type { Endpoint } from './endpoint.ts';

/** Variables that docker-modem reads by itself when a client is made. */
const MODEM_VARIABLES = ['DOCKER_HOST', 'DOCKER_TLS_VERIFY', 'DOCKER_CERT_PATH', 'DOCKER_CLIENT_TIMEOUT'];

/** A client of one engine, with its own connections. */
export interface DockerClient extends Disposable {
  readonly docker: Docker;
}

/** Makes a client; opens no connection yet. Disposing it ends the idle ones. */
export function createDockerClient(endpoint: Endpoint): DockerClient {
  const secured = endpoint.kind === 'tcp' && endpoint.tls !== undefined;
  const agent = secured
    ? new HttpsAgent({ keepAlive: true, rejectUnauthorized: !endpoint.tls.skipVerify })
    : new HttpAgent({ keepAlive: true });
  const docker = withoutVariables(() => new Docker(clientOptions(endpoint, agent)));
  return { docker, [Symbol.dispose]: () => agent.destroy() };
}

function clientOptions(endpoint: Endpoint, agent: HttpAgent): Docker.DockerOptions {
  // Every field the modem would otherwise take from the environment is said here.
  const common = { agent, timeout: undefined, pathPrefix: '/' };
  if (endpoint.kind === 'socket')
    return { ...common, host: undefined, protocol: 'http', socketPath: endpoint.path };
  const { host, port, tls } = endpoint;
  return {
    ...common,
    host,
    port,
    protocol: tls ? 'https' : 'http',
    ca: tls?.ca,
    cert: tls?.cert,
    key: tls?.key,
  };
}

/** Runs something that must not see the modem's variables: a broken one makes its constructor throw. */
function withoutVariables<T>(make: () => T): T {
  const saved = MODEM_VARIABLES.map((name) => [name, process.env[name]] as const);
  for (const [name] of saved) delete process.env[name];
  try {
    return make();
  } finally {
    for (const [name, value] of saved) if (value !== undefined) process.env[name] = value;
  }
}
