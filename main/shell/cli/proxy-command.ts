import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { styleText } from 'node:util';
import type { OutboundCall } from '#shared/protocol/integrations.ts';
import { ProblemError } from '#shared/problem.ts';
import { askedToEnd, exitCodeOf, onEndSignal } from '../end-signals.ts';
import { readPort } from '../port.ts';
import { terminalText } from '../terminal-text.ts';
import { EXIT } from './exit-codes.ts';
import { openPrivateFile } from './private-file.ts';
import type { Streams } from './streams.ts';
import { withApplication, type DataOptions } from './services.ts';
import { openVault } from './vault-access.ts';

export interface ProxyOptions extends DataOptions {
  readonly port?: string | undefined;
  readonly json: boolean;
}

/**
 * Serves the credential proxy: for the length of a command, or until the process is asked to end. The token
 * is in a file that only this user may read, never in an argument, a variable or the output.
 * @returns the command's own exit code
 */
export function proxyCommand(
  command: readonly string[],
  options: ProxyOptions,
  streams: Streams,
): Promise<number> {
  const port = readPort(options.port);
  return withApplication(options, async (application) => {
    await openVault(application, streams);
    await using stack = new AsyncDisposableStack();
    const proxy = stack.use(
      await application.credentialProxies.start({
        ...(port > 0 && { port }),
        onOutboundCall: (call) => {
          if (!options.json) void streams.errors.line(lineOf(call));
        },
      }),
    );
    // In the form that curl takes by `-H @file`.
    const headers = await openPrivateFile('headers', `Authorization: Bearer ${proxy.token}\n`);
    const { path: headersFile } = stack.use(headers);
    if (options.json) await streams.output.json({ url: proxy.url, headersFile });
    // Awaited here: the proxy lives as long as the command.
    if (command.length > 0) return await runCommand(command, { url: proxy.url, headersFile });
    if (!options.json) {
      await streams.errors.line(
        'The credential proxy serves scripts of this computer until you press Ctrl+C.',
      );
      await streams.output.line(`SLIPWAY_PROXY_URL='${proxy.url}'`);
      await streams.output.line(`SLIPWAY_PROXY_HEADERS='${headersFile}'`);
    }
    await askedToEnd();
    return EXIT.success;
  });
}

/** Runs a program that finds the proxy by two variables, neither of which is a secret. */
async function runCommand(
  [program = '', ...words]: readonly string[],
  { url, headersFile }: { readonly url: string; readonly headersFile: string },
): Promise<number> {
  const child = spawn(program, words, {
    stdio: 'inherit',
    env: { ...process.env, SLIPWAY_PROXY_URL: url, SLIPWAY_PROXY_HEADERS: headersFile },
  });
  // A terminal tells the child itself; what was sent to this process alone is handed on.
  using _signals = onEndSignal((signal) => void child.kill(signal));
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (code !== null) return code;
    return signal === 'SIGINT' || signal === 'SIGTERM' || signal === 'SIGHUP'
      ? exitCodeOf(signal)
      : 128 + (signal === null ? 0 : constants.signals[signal]);
  } catch (error) {
    throw new ProblemError(
      {
        code: 'command_not_started',
        title: 'The command did not start',
        detail: `"${program}" cannot be run (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`,
      },
      { cause: error },
    );
  }
}

/** What a person sees of each request. */
function lineOf({ method, url, status, code, rule, durationMs }: OutboundCall): string {
  const outcome = status === 0 ? (code ?? 'refused') : String(status);
  const facts = [
    `${method} ${url}`,
    outcome,
    ...(rule === undefined ? [] : [`by ${rule}`]),
    `${Math.round(durationMs)} ms`,
  ];
  return styleText(status === 0 || status >= 400 ? 'yellow' : 'gray', terminalText(facts.join(' · ')));
}
