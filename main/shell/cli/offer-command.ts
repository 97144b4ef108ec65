import { styleText } from 'node:util';
import { askedToEnd } from '../end-signals.ts';
import { readPort } from '../port.ts';
import { terminalText } from '../terminal-text.ts';
import { chooseConnections } from './choose-connections.ts';
import { EXIT } from './exit-codes.ts';
import { openPrivateFile } from './private-file.ts';
import type { Streams } from './streams.ts';
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
    const headers = { Authorization: `Bearer ${server.token}` };
    // In the form that most clients take.
    const configuration = { mcpServers: { slipway: { type: 'http', url: server.url, headers } } };
    const file = await openPrivateFile('mcp.json', `${JSON.stringify(configuration, null, 2)}\n`);
    const { path: configurationFile } = stack.use(file);
    const { toolNames: tools } = server;
    if (options.json) await streams.output.json({ url: server.url, configurationFile, tools });
    else {
      await streams.errors.line(`Offers ${tools.join(', ')} until you press Ctrl+C.`);
      await streams.output.line(`SLIPWAY_MCP_URL='${server.url}'`);
      await streams.output.line(`SLIPWAY_MCP_CONFIGURATION='${configurationFile}'`);
    }
    await askedToEnd();
    return EXIT.success;
  });
}
