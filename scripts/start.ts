import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buildApart } from './lib/build-apart.ts';
import { root, type BuildTarget } from './lib/build-state.ts';
import { browserReason, browserWords } from './lib/choose-shell.ts';
import { fetchElectron } from './lib/fetch-electron.ts';

/** What a program ends with when the system's loader cannot start it. */
const NOT_STARTED = 127;

const words = process.argv.slice(2);
const log = (line: string): void => void process.stderr.write(`${line}\n`);

/** Opens the app in Electron; the reason why it is not to be had otherwise. */
async function startElectron(): Promise<string> {
  const search = await fetchElectron(root, log);
  if ('reason' in search) return `Electron cannot be fetched (${search.reason})`;
  await build('electron');
  const electron = spawn(search.binary, [root, ...words], { stdio: 'inherit' });
  // Ctrl+C reaches Electron by itself; what is sent to this process alone is handed on.
  process.on('SIGINT', () => undefined);
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, () => electron.kill(name));
  try {
    await once(electron, 'spawn');
  } catch (error) {
    return `Electron does not start (${error instanceof Error ? error.message : String(error)})`;
  }
  const [code] = (await once(electron, 'exit')) as [number | null];
  if (code === NOT_STARTED) return 'Electron does not start: a library it needs is missing on this system';
  process.exit(code ?? 1);
}

function build(shell: BuildTarget): Promise<void> {
  return buildApart(['programs', shell, 'renderer']);
}

const reason =
  browserReason({
    platform: process.platform,
    environment: process.env,
    userId: process.getuid?.(),
    words,
  }) ?? (await startElectron());
if (reason !== '') log(`${reason}, so Slipway opens in your browser.`);
await build('browser');
process.argv.splice(1, process.argv.length, join(root, 'out', 'browser', 'main.js'), ...browserWords(words));
await import(join(root, 'out', 'browser', 'main.js'));
