import { ProblemError } from '#shared/problem.ts';
import { SIDECAR_PROTOCOL } from '#shared/protocol/sidecar.ts';
import { McpEndpoint } from './mcp-endpoint.ts';
import { ModelRelay } from './model-relay.ts';
import { listenOnSocket } from './http-server.ts';
import { rehearse } from './rehearsal.ts';
import { createRuntimeTools } from './runtime-tools/runtime-tools.ts';
import { connectToMain, exitOnCrash, report } from './stdio.ts';
import { ToolRegistry } from './tool-registry.ts';

exitOnCrash();
if (process.argv.includes('--rehearse')) {
  // When the image is built: Node then keeps what V8 made of the code, for every start.
  await rehearse();
  process.exit(0);
}
const { peer, listen } = connectToMain();
let isConfigured = false;

peer.handle('configure', async (configuration, signal) => {
  if (isConfigured) {
    throw new ProblemError({
      code: 'already_configured',
      title: 'The sidecar is already in use',
      detail: 'A sidecar serves one run.',
    });
  }
  isConfigured = true;
  const { integrations = [] } = configuration;
  // Loaded only where a run has any, so that the others start as fast as ever.
  const served =
    integrations.length > 0
      ? (await import('./integration-tools.ts')).createIntegrationTools(configuration, integrations, peer)
      : undefined;
  const runtimeTools = createRuntimeTools(configuration, peer);
  const registry = new ToolRegistry([
    ...(served?.tools ?? []),
    ...((await served?.openServers(signal)) ?? []),
    ...runtimeTools.map((tool) => served?.spiller.watch(tool) ?? tool),
  ]);
  await listenOnSocket({
    socketPath: configuration.socketPath,
    token: configuration.token,
    mcp: await McpEndpoint.create(registry, served?.resources),
    models: new ModelRelay(peer),
    maxMcpBytes: configuration.limits?.maxMcpEnvelopeBytes,
    resources: served?.resources,
    bodies: served?.bodies,
  });
  return { tools: registry.names };
});

peer.handle('settle', () => Promise.resolve({}));

peer.on('rehearse', () => {
  if (isConfigured) return;
  rehearse().catch((error: unknown) => report(`Rehearsal: ${String(error)}`));
});

// Main closes standard input when the run ends, or is gone: nothing here outlives it.
void peer.closed.then(() => process.exit(0));
listen();
void peer.notify('ready', {
  protocol: SIDECAR_PROTOCOL,
  nodeVersion: process.version,
  bootMs: performance.now(),
});
