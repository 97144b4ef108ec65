import { addCertificates, HttpOutbound, removeCertificate, type AuthorNetwork } from '#main/network/index.ts';
import type { networkRoutes, NetworkDescription, NetworkTest } from '#shared/ipc/network-routes.ts';
import { toProblem } from '#shared/problem.ts';
import { DEFAULT_SIDECAR_LIMITS, readSidecarLimits, SIDECAR_SETTINGS } from '#shared/tools/sidecar-limits.ts';
import type { SettingsStore } from './application.ts';
import type { RequestContext, RouteHandlers } from './route-handlers.ts';

type NetworkHandlers = RouteHandlers<keyof typeof networkRoutes, Pick<RequestContext, 'signal'>>;

const TEST_MS = 15_000;
/** Bytes of an answer that are read: only that it comes counts. */
const TEST_BYTES = 1_000_000;

/** Binds the requests about the author's network. */
export function bindNetworkRoutes({
  network,
  settings,
}: {
  readonly network: AuthorNetwork;
  readonly settings: SettingsStore;
}): NetworkHandlers {
  const changeCertificates = (change: (present: string) => string) => {
    const present = settings.get().network;
    settings.update({ network: { ...present, extraCertificates: change(present.extraCertificates) } });
    return describeNetwork(network);
  };
  return {
    'network.describe': () => describeNetwork(network),
    'network.setProxyLogin': async ({ user, password }) => ({
      hasLogin: await network.setProxyLogin(user, password),
    }),
    'network.addCertificates': ({ pem }) => changeCertificates((present) => addCertificates(present, pem)),
    'network.removeCertificate': ({ fingerprint }) =>
      changeCertificates((present) => removeCertificate(present, fingerprint)),
    'network.test': ({ url }, { signal }) => testNetwork(network, new URL(url), signal),
  };
}

async function describeNetwork(network: AuthorNetwork): Promise<NetworkDescription> {
  return { ...(await network.describe()), ...describeLimits(network.environment) };
}

/** Each limit as it is; what is set but cannot be is told, and the defaults are shown in its place. */
export function describeLimits(
  environment: Readonly<Record<string, string | undefined>>,
): Pick<NetworkDescription, 'limits' | 'limitsProblem'> {
  const read = readOrProblem(environment);
  return {
    limits: SIDECAR_SETTINGS.map(({ variable, limit, unit, ceiling, explanation }) => {
      const ignored = read.ignored.find((one) => one.variable === variable)?.reason;
      return {
        variable,
        unit,
        explanation,
        defaultValue: DEFAULT_SIDECAR_LIMITS[limit],
        ...(ceiling !== undefined && { ceiling }),
        value: read.limits[limit],
        isSet: (environment[variable]?.trim() ?? '') !== '',
        ...(ignored !== undefined && { ignored }),
      };
    }),
    ...(read.problem && { limitsProblem: read.problem }),
  };
}

function readOrProblem(environment: Readonly<Record<string, string | undefined>>) {
  try {
    return { ...readSidecarLimits(environment), problem: undefined };
  } catch (error) {
    return { limits: DEFAULT_SIDECAR_LIMITS, ignored: [], problem: toProblem(error) };
  }
}

/** With connections of its own, so that it sees what a setting that was just changed does. */
async function testNetwork(network: AuthorNetwork, url: URL, signal: AbortSignal): Promise<NetworkTest> {
  await using outbound = new HttpOutbound({
    network: () => network.choice(),
    environment: network.environment,
  });
  const began = performance.now();
  const proxy = await outbound.proxyFor(url);
  const way = proxy === undefined ? undefined : URL.parse(proxy);
  const through = way && { proxy: `${way.protocol}//${way.host}` };
  try {
    const { status } = await outbound.send({
      method: 'GET',
      url,
      headers: { accept: '*/*' },
      timeoutMs: TEST_MS,
      maxBytes: TEST_BYTES,
      signal,
    });
    return { outcome: 'reached', status, ...through, milliseconds: performance.now() - began };
  } catch (error) {
    if (signal.aborted) throw error;
    const problem = toProblem(error);
    const milliseconds = performance.now() - began;
    // An answer that is too long to read is an answer.
    if (problem.code === 'response_too_large') return { outcome: 'reached', ...through, milliseconds };
    return { outcome: 'failed', ...through, milliseconds, problem };
  }
}
