import type { ApiCallServices } from '../calls/api-call-tool.ts';
import type { MainLink } from '../stdio.ts';
import {
  IntegrationServer,
  type IntegrationServerOptions,
  type ServedIntegration,
} from './integration-server.ts';
import type { LocalServerRelay } from './relayed-transport.ts';
import { remoteTransports } from './remote-server.ts';

export interface ServerServices extends Pick<
  ApiCallServices,
  'http' | 'credentials' | 'limits' | 'spiller' | 'onOutboundCall'
> {
  readonly main: MainLink;
  readonly relay: LocalServerRelay;
  readonly internalHosts: readonly string[];
  readonly seesImages: boolean;
}

/** Milliseconds that an exchange may outlast its call, for what is said about the call's end. */
const GRACE_MS = 5_000;

/** Opens the server of an integration for each of its connections. @throws ProblemError */
export function openServer(
  integration: ServedIntegration,
  services: ServerServices,
  signal: AbortSignal,
): Promise<IntegrationServer> {
  const { spiller, main, seesImages, limits } = services;
  return IntegrationServer.open(
    {
      integration,
      reach: reachOf(integration, services),
      main,
      spiller,
      seesImages,
      callMs: limits.serverCallMs,
      trusted: integration.apis.flatMap(({ callTool, uploadTool }) =>
        uploadTool === undefined ? [callTool] : [callTool, uploadTool],
      ),
    },
    signal,
  );
}

function reachOf(
  integration: ServedIntegration,
  services: ServerServices,
): IntegrationServerOptions['reach'] {
  const { source } = integration.server;
  const { http, credentials, internalHosts, onOutboundCall, limits, relay } = services;
  if (source.kind === 'local') {
    return ({ id }) => ({
      openTransport: (signal) => relay.open(id, signal),
      ...(source.roots !== undefined && { roots: source.roots }),
    });
  }
  return (connection) => ({
    openTransport: remoteTransports({
      integration,
      source,
      connection,
      http,
      credentials,
      internalHosts,
      exchangeMs: limits.serverCallMs + GRACE_MS,
      onOutboundCall,
    }),
  });
}
