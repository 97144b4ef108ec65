import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { developmentResourcePaths } from '#main/app/resource-paths.ts';
import { defaultDataDirectory, processEnvironment } from '#main/store/index.ts';
import { ProblemError } from '#shared/problem.ts';
import { problemText } from '../problem-text.ts';
import { readPort } from '../port.ts';
import { readVersion } from '../version.ts';
import { runBrowserShell } from './browser-shell.ts';

const USAGE = `Usage: npm start -- [options]

  --browser                 open a window of your browser, also where Electron is
  --no-open                 only print the address
  --port <number>           listen on this port (default: any free one)
  --data-dir <folder>       keep everything in this folder
  --passphrase-file <file>  open the vault with the passphrase in this file
`;

/** The browser shell as a program of its own: what \`npm start\` falls back to. */
async function main(): Promise<number> {
  let values;
  try {
    ({ values } = parseArgs({
      options: {
        open: { type: 'boolean', default: true },
        port: { type: 'string' },
        'data-dir': { type: 'string' },
        'passphrase-file': { type: 'string' },
        help: { type: 'boolean', default: false },
      },
      allowNegative: true,
    }));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const root = join(import.meta.dirname, '..', '..');
  try {
    await runBrowserShell({
      dataDirectory: resolve(values['data-dir'] ?? defaultDataDirectory(processEnvironment())),
      resourcePaths: developmentResourcePaths(root),
      version: readVersion(root),
      port: readPort(values.port),
      open: values.open,
      passphraseFile: values['passphrase-file'],
      tell: (line) => process.stdout.write(`${line}\n`),
    });
    return 0;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    process.stderr.write(`${problemText(error.problem)}\n`);
    return 1;
  }
}

process.exit(await main());
