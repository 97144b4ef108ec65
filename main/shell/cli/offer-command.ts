import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { onEndSignal } from '../end-signals.ts';
import { readPort } from '../port.ts';
import { terminalText } from '../terminal-text.ts';
import { chooseConnections } from './choose-connections.ts';
import { EXIT } from './exit-codes.ts';
import type { Streams } from './run-command.ts';
import { withApplication, type DataOptions } from './services.ts';
import { openVault } from './vault-access.ts';

export interface OfferOptions extends DataOptions {
  readonly agent: readonly string[];
  readonly connection: readonly string[];
  readonly use: readonly string[];
  readonly tool: readonly string[];
  readonly model?: string | undefined;
  readonly port?: string | undefined;
  readonly json: boolean;
}

/**
 * Offers agents and tools to an MCP client of this computer until the process is asked to end. The token is
 * in a file that only this user may read, never in an argument, a variable or the output.
 */
export function offerCommand(options: OfferOptions, streams: Streams): Promise<number> {
  const port = readPort(options.port);
  return withApplication(options, async (application) => {
    const { connections: known } = application.connections.state();
    const offered = new Set(Object.values(chooseConnections(options.connection, known)).flat());
    if (offered.size > 0 || options.use.length > 0) await openVault(application, streams);
    await using stack = new AsyncDisposableStack();
    const server = stack.use(
      await application.offers.start({
        agents: options.agent,
        connections: known.filter(({ id }) => offered.has(id)),
        tools: options.tool.length > 0 ? options.tool : undefined,
        model: options.model === undefined ? undefined : application.models.parseReference(options.model),
        chosen: chooseConnections(options.use, known),
        ...(port > 0 && { port }),
        onCall: ({ tool, outcome }) => {
          if (options.json) return;
          const line = styleText(
            outcome === 'done' ? 'gray' : 'yellow',
            terminalText(`${tool} · ${outcome}`),
          );
          void streams.errors.line(line);
        },
      }),
    );
    const folder = await mkdtemp(join(tmpdir(), 'slipway-offer-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const configurationFile = join(folder, 'mcp.json');
    const headers = { Authorization: `Bearer ${server.token}` };
    // In the form that most clients take.
    const configuration = { mcpServers: { slipway: { type: 'http', url: server.url, headers } } };
    await writeFile(configurationFile, `${JSON.stringify(configuration, null, 2)}\n`, { mode: 0o600 });
    const { toolNames: tools } = server;
    if (options.json) await streams.output.json({ url: server.url, configurationFile, tools });
    else {
      await streams.errors.line(`Offers ${tools.join(', ')} until you press Ctrl+C.`);
      await streams.output.line(`SLIPWAY_MCP_URL='${server.url}'`);
      await streams.output.line(`SLIPWAY_MCP_CONFIGURATION='${configurationFile}'`);
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    using _signals = onEndSignal(() => resolve());
    await promise;
    return EXIT.success;
  });
}
