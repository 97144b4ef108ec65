import { styleText } from 'node:util';
import { onEndSignal } from '../end-signals.ts';
import { terminalText } from '../terminal-text.ts';
import { EXIT } from './exit-codes.ts';
import { findConnection } from './find-connection.ts';
import { table } from './list-commands.ts';
import type { Streams } from './streams.ts';
import { withApplication, type DataOptions } from './services.ts';
import { openVault } from './vault-access.ts';

export interface ConnectionsOptions extends DataOptions {
  readonly json: boolean;
}

export interface TestOptions extends ConnectionsOptions {
  readonly url?: string | undefined;
}

/** Lists the accounts that are connected. No vault is needed for it. */
export function connectionsCommand(options: ConnectionsOptions, { output }: Streams): Promise<number> {
  return withApplication(options, async ({ connections }) => {
    const { connections: list } = connections.state();
    if (options.json) await output.json({ connections: list });
    else
      await table(
        output,
        list.map(({ integrationId, label, accountId, authType, state, problem }) => [
          integrationId,
          label,
          accountId,
          authType,
          state === 'connected' ? (problem?.title ?? '') : 'needs a new sign-in',
        ]),
      );
    return EXIT.success;
  });
}

/**
 * Calls a service once with a connection.
 * @returns 0 when the service took it, else 1
 */
export function testConnectionCommand(
  integrationId: string,
  name: string | undefined,
  options: TestOptions,
  streams: Streams,
): Promise<number> {
  return withApplication(options, async (application) => {
    const { connections } = application;
    const { id, label } = findConnection(connections.state().connections, integrationId, name);
    await openVault(application, streams);
    const abort = new AbortController();
    using _signals = onEndSignal(() => abort.abort());
    const result = await connections.test({ connectionId: id }, options.url, abort.signal);
    if (options.json) await streams.output.json({ connectionId: id, label, ...result });
    else {
      const mark = result.outcome === 'works' ? styleText('green', '✓') : styleText('yellow', '✗');
      await streams.output.line(`${mark} ${terminalText(`${label}: ${result.detail}`)}`);
    }
    return result.outcome === 'works' ? EXIT.success : EXIT.failed;
  });
}

/** Forgets a connection with its secret. */
export function disconnectCommand(
  integrationId: string,
  name: string | undefined,
  options: ConnectionsOptions,
  streams: Streams,
): Promise<number> {
  return withApplication(options, async (application) => {
    const { connections } = application;
    const { id, label } = findConnection(connections.state().connections, integrationId, name);
    await openVault(application, streams);
    await connections.remove(id);
    if (options.json) await streams.output.json({ removed: id });
    else await streams.output.line(terminalText(`"${label}" of ${integrationId} was removed.`));
    return EXIT.success;
  });
}
