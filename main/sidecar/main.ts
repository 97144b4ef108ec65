import { ProblemError } from '#shared/problem.ts';
import { SIDECAR_PROTOCOL, type SidecarConfiguration } from '#shared/protocol/sidecar.ts';
import { McpEndpoint } from './mcp-endpoint.ts';
import { ModelRelay } from './model-relay.ts';
import { listenOnSocket } from './http-server.ts';
import { rehearse } from './rehearsal.ts';
import type { ServedTools } from './served-tools.ts';
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
  const served = await serve(configuration, signal);
  const services = served?.tools ?? [];
  const runtimeTools = createRuntimeTools(configuration, peer);
  const registry = new ToolRegistry([
    ...services,
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
  return { tools: registry.names, services: services.map(({ definition }) => definition) };
});

/** The tools of services, or a recording of them. Loaded only where a run has any: the others start faster. */
async function serve(
  configuration: SidecarConfiguration,
  signal: AbortSignal,
): Promise<ServedTools | undefined> {
  const { integrations = [], replay } = configuration;
  if (replay !== undefined && replay.tools.length > 0) {
    const { createReplayedTools } = await import('./cassette/replayed-tools.ts');
    return createReplayedTools(configuration, replay, peer);
  }
  if (integrations.length === 0) return undefined;
  const [{ createIntegrationTools }, { recordedTool }] = await Promise.all([
    import('./integration-tools.ts'),
    import('./cassette/recorded-tool.ts'),
  ]);
  const created = createIntegrationTools(configuration, integrations, peer);
  const tools = [...created.tools, ...(await created.openServers(signal))];
  return { ...created, tools: tools.map((tool) => recordedTool(tool, created, peer)) };
}

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
