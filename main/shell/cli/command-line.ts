import { Command, CommanderError, Option } from 'commander';
import { ProblemError } from '#shared/problem.ts';
import type { ConnectOptions } from './connect-command.ts';
import type { ConnectionsOptions, TestOptions } from './connection-commands.ts';
import { EXIT, EXIT_CODE_HELP, isEngineProblem, REPLAY_EXIT_CODE_HELP } from './exit-codes.ts';
import type { ExportOptions, ImportOptions } from './library-commands.ts';
import type { ListOptions } from './list-commands.ts';
import type { PackOptions, ValidateOptions } from './package-commands.ts';
import { problemText } from '../problem-text.ts';
import type { OfferOptions } from './offer-command.ts';
import type { ProxyOptions } from './proxy-command.ts';
import type { ReplayOptions } from './replay-command.ts';
import type { RunOptions } from './run-command.ts';
import type { Streams } from './streams.ts';
import type { ServeOptions } from './serve-command.ts';
import type { ToolsOptions } from './tools-command.ts';
import type { UriOptions } from './uri-command.ts';

/**
 * Reads the command line and does what it says. Commands are loaded when they are used, so that help and
 * usage errors come at once.
 * @returns the exit code.
 */
export async function runCommandLine(
  words: readonly string[],
  version: string,
  streams: Streams,
): Promise<number> {
  let code: number = EXIT.success;
  const done = (result: number) => void (code = result);
  // With JSON lines a reader always finds a result, also of what never began.
  const finish = async (json: boolean, command: Promise<number>) => {
    try {
      done(await command);
    } catch (error) {
      if (json) await streams.output.json((await import('./follow-run.ts')).refusedLine(error));
      throw error;
    }
  };
  const program = new Command('slipway')
    .enablePositionalOptions()
    .description('Write, run and debug agents on your own computer.')
    .version(version, '-V, --version')
    .exitOverride()
    .showHelpAfterError('Add --help for what there is.')
    .configureOutput({
      writeOut: (text) => void streams.output.line(text.trimEnd()),
      writeErr: (text) => void streams.errors.line(text.trimEnd()),
    });

  program
    .command('run')
    .description('run an agent: one of the library, or a folder with a package')
    .argument('<agent>', 'id such as @slipway/csv-report, or a folder')
    .option(
      '-m, --model <provider/model>',
      'model to run on, or "walkthrough" (default: the one in the settings)',
    )
    .option('-i, --input <file>', 'JSON object with the input values; - for the standard input')
    .addOption(repeated('-f, --file <file>', 'file for the agent, as path or field=path; may be repeated'))
    .addOption(
      repeated(
        '-c, --connection <integration=label>',
        'account to use of an integration; may be repeated (default: what the agent remembers, or the only one)',
      ),
    )
    .addOption(
      new Option(
        '--integrations <source>',
        'accounts that the agent may use: those of this computer, or none',
      )
        .choices(['local', 'none'])
        .default('local'),
    )
    .option('-o, --out <folder>', 'copy the output files into this folder')
    .option('--force', 'replace files that are in the folder already', false)
    .option('--json', 'print events as JSON lines: the run first, the result last', false)
    .option('-t, --timeout <seconds>', "time limit, in place of the agent's own")
    .addHelpText('after', EXIT_CODE_HELP)
    .action(async (agent: string, options: RunOptions) => {
      const { runCommand } = await import('./run-command.ts');
      await finish(options.json, runCommand(agent, options, streams));
    });

  program
    .command('replay')
    .description('run a recorded run again: nothing outside is asked, and what comes out otherwise is told')
    .argument('<run>', 'id of a run that has ended; "last" for the newest')
    .option(
      '--live',
      'ask a model anew, with the agent as it is now; only its calls are answered as recorded',
      false,
    )
    .option('-m, --model <provider/model>', 'model to ask with --live (default: the one of the recorded run)')
    .option(
      '-a, --agent <agent>',
      'agent to run with --live: an id, or a folder (default: the one of the recorded run)',
    )
    .option('--json', 'print events as JSON lines: the run first, the result last', false)
    .addHelpText('after', REPLAY_EXIT_CODE_HELP)
    .action(async (run: string, options: ReplayOptions) => {
      const { replayCommand } = await import('./replay-command.ts');
      await finish(options.json, replayCommand(run, options, streams));
    });

  program
    .command('validate')
    .description('check packages: folders, manifests, .afps and .afps-bundle files; exit code 1 on errors')
    .argument('<path...>', 'file or folder')
    .option('--json', 'print one JSON object with all findings', false)
    .action(async (paths: string[], options: ValidateOptions) => {
      const { validateCommand } = await import('./package-commands.ts');
      done(await validateCommand(paths, options, streams));
    });
  program
    .command('pack')
    .description('make an .afps file of the package in a folder')
    .argument('<folder>', 'folder with a manifest.json')
    .option('-o, --out <file>', 'write to this file (default: <scope>-<name>-<version>.afps here)')
    .option('--force', 'replace the file when it exists', false)
    .option('--json', 'print JSON', false)
    .action(async (folder: string, options: PackOptions) => {
      const { packCommand } = await import('./package-commands.ts');
      done(await packCommand(folder, options, streams));
    });
  program
    .command('import')
    .description('bring packages into the library, after telling what would change')
    .argument('<source...>', '.afps, .afps-bundle or .mcpb files, folders, or addresses on GitHub')
    .option('-y, --yes', 'agree to what would change', false)
    .option('--draft', 'take packages as drafts to edit, not as versions', false)
    .option('--json', 'print one JSON object for each source; needs --yes to import', false)
    .action(async (sources: string[], options: ImportOptions) => {
      const { importCommand } = await import('./library-commands.ts');
      done(await importCommand(sources, options, streams));
    });
  program
    .command('export')
    .description('write a package of the library into an .afps or .afps-bundle file')
    .argument('<package>', 'name such as @you/agent, with @version, @tag or @draft to choose a state')
    .option('-o, --out <file>', 'write to this file')
    .option('-b, --bundle', 'with all packages it depends on', false)
    .option('-s, --sign', "sign with the app's own key, which is in the vault", false)
    .addOption(
      new Option('--dialect <dialect>', 'write manifests for readers of one dialect only').choices([
        '0.x',
        '2.x',
      ]),
    )
    .option('--force', 'replace the file when it exists', false)
    .option('--json', 'print JSON', false)
    .action(async (identity: string, options: ExportOptions) => {
      const { exportCommand } = await import('./library-commands.ts');
      done(await exportCommand(identity, options, streams));
    });

  program
    .command('connect')
    .description('connect an account: in the browser, or by what is typed in or read from the standard input')
    .argument('<integration>', 'name such as @scope/name')
    .option('--auth <key>', 'method to connect by, where there are several')
    .option('--label <text>', 'how the connection is called (default: its account)')
    .option('--scopes <list>', 'scopes to ask for besides the usual ones, with commas between')
    .option('--renew <connection>', 'sign in again to a connection there is')
    .option('--device', 'sign in on another device, by a code', false)
    .option('--no-browser', 'print the address only')
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      '\nSecrets are typed in unseen. Without a terminal the standard input is read: the one value as it is,\n' +
        'several as a JSON object. No argument and no variable takes one.',
    )
    .action(async (integration: string, options: ConnectOptions) => {
      const { connectCommand } = await import('./connect-command.ts');
      done(await connectCommand(integration, options, streams));
    });
  const connections = program.command('connections').description('list connected accounts, or test one');
  connections
    .command('list', { isDefault: true })
    .description('list connected accounts')
    .option('--json', 'print JSON', false)
    .action(async (options: ConnectionsOptions) => {
      const { connectionsCommand } = await import('./connection-commands.ts');
      done(await connectionsCommand(options, streams));
    });
  connections
    .command('test')
    .description('call the service once; exit code 1 when it does not take the connection')
    .argument('<integration>', 'name such as @scope/name')
    .argument('[connection]', 'label, account or id (default: the only one)')
    .option('--url <address>', 'address to call, where the integration names none')
    .option('--json', 'print JSON', false)
    .action(async (integration: string, connection: string | undefined, options: TestOptions) => {
      const { testConnectionCommand } = await import('./connection-commands.ts');
      done(await testConnectionCommand(integration, connection, options, streams));
    });
  program
    .command('tools')
    .description('show what MCP servers have changed in their tools, and accept it')
    .argument('<integration>', 'name such as @scope/name')
    .addOption(repeated('-a, --accept <tool>', 'tool whose change is accepted; may be repeated'))
    .option('--accept-all', 'accept every change that is shown', false)
    .option('--json', 'print JSON', false)
    .action(async (integration: string, options: ToolsOptions) => {
      const { toolsCommand } = await import('./tools-command.ts');
      done(await toolsCommand(integration, options, streams));
    });
  program
    .command('disconnect')
    .description('remove a connection with its secret')
    .argument('<integration>', 'name such as @scope/name')
    .argument('[connection]', 'label, account or id (default: the only one)')
    .option('--json', 'print JSON', false)
    .action(async (integration: string, connection: string | undefined, options: ConnectionsOptions) => {
      const { disconnectCommand } = await import('./connection-commands.ts');
      done(await disconnectCommand(integration, connection, options, streams));
    });
  program
    .command('proxy')
    .description('send requests of scripts on this computer with connected accounts, which they never see')
    .argument('[command...]', 'program to run with it, after --; it ends with the program')
    .option('-p, --port <number>', 'port to listen on (default: any free one)')
    .option('--json', 'print the address and the file with the token as JSON', false)
    .passThroughOptions()
    .action(async (command: string[], options: ProxyOptions) => {
      const { proxyCommand } = await import('./proxy-command.ts');
      done(await proxyCommand(command, options, streams));
    });

  program
    .command('offer')
    .description('offer agents and tools to an MCP client on this computer, until you press Ctrl+C')
    .addOption(repeated('-a, --agent <agent>', 'agent to offer as a tool; may be repeated'))
    .addOption(
      repeated('-c, --connection <integration=label>', 'account whose tools are offered; may be repeated'),
    )
    .addOption(repeated('-t, --tool <name>', 'tool of the accounts to offer, alone of them; may be repeated'))
    .addOption(repeated('-u, --use <integration=label>', 'account that the agents use; may be repeated'))
    .option('-m, --model <model>', 'model that the agents run on')
    .option('-p, --port <number>', 'port to listen on (default: any free one)')
    .option('--json', 'print the address and the file with the token as JSON', false)
    .action(async (options: OfferOptions) => {
      const { offerCommand } = await import('./offer-command.ts');
      done(await offerCommand(options, streams));
    });

  program
    .command('agents')
    .description('list the agents of the library')
    .action(async (options: ListOptions) => {
      const { agentsCommand } = await import('./list-commands.ts');
      done(await agentsCommand(options, streams.output));
    });
  program
    .command('models')
    .description('list the models a run can use')
    .action(async (options: ListOptions) => {
      const { modelsCommand } = await import('./list-commands.ts');
      done(await modelsCommand(options, streams.output));
    });
  program
    .command('engine')
    .description('tell which engine runs agents here, and what was tried; exit code 3 when there is none')
    .action(async (options: ListOptions) => {
      const { engineCommand } = await import('./list-commands.ts');
      done(await engineCommand(options, streams.output));
    });
  program
    .command('serve')
    .description('serve the app to a browser, without opening one')
    .option('-p, --port <number>', 'port to listen on (default: any free one)')
    .action(async (options: ServeOptions) => {
      const { serveCommand } = await import('./serve-command.ts');
      done(await serveCommand(options, streams.output));
    });

  program
    .command('uri')
    .description("tell whether an integration's credential may be used at an address, and by which rule")
    .argument('<manifest>', 'manifest of an integration, or the folder of its package')
    .argument('<auth>', 'key of the authentication method')
    .argument('<url>', 'address to judge')
    .option('--json', 'print JSON: allowed, pattern or code', false)
    .action(async (manifest: string, auth: string, url: string, options: UriOptions) => {
      const { uriCommand } = await import('./uri-command.ts');
      done(await uriCommand(manifest, auth, url, options, streams.output));
    });

  for (const command of [...program.commands, ...connections.commands]) {
    if (['uri', 'validate', 'pack', 'connections'].includes(command.name())) continue;
    command
      .option('--data-dir <folder>', 'keep everything in this folder')
      .option('--passphrase-file <file>', 'open the vault with the passphrase in this file');
    if (['agents', 'models', 'engine'].includes(command.name()))
      command.option('--json', 'print JSON', false);
  }

  try {
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    return failure(error, streams);
  }
}

async function failure(error: unknown, { errors }: Streams): Promise<number> {
  // Commander has said what is wrong, or has printed the help or version that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage;
  if (!(error instanceof ProblemError)) throw error;
  await errors.line(problemText(error.problem));
  if (error.problem.code === 'cancelled') return EXIT.cancelled;
  return isEngineProblem(error.problem) ? EXIT.engineMissing : EXIT.usage;
}

/** An option that is given once for each value. */
function repeated(flags: string, description: string): Option {
  return new Option(flags, description)
    .argParser((value: string, previous: string[]) => [...previous, value])
    .default([], 'none');
}
