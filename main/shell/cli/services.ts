import { join, resolve } from 'node:path';
import type { Application } from '#main/app/application.ts';
import { createApplication } from '#main/app/create-application.ts';
import { developmentResourcePaths } from '#main/app/resource-paths.ts';
import { createFileLogger, Redactor } from '#main/logging/index.ts';
import { defaultDataDirectory, processEnvironment } from '#main/store/index.ts';
import { onUncaughtError } from '../fatal-errors.ts';
import { readPassphrase } from '../passphrase.ts';
import { readVersion } from '../version.ts';

/** Root of the checkout: the bundle is in `out/cli`. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** Options of every command that needs the app. */
export interface DataOptions {
  readonly dataDir?: string | undefined;
  readonly passphraseFile?: string | undefined;
}

/** The folder a command works on. */
export function dataDirectoryOf(options: DataOptions): string {
  return resolve(options.dataDir ?? defaultDataDirectory(processEnvironment()));
}

/** Makes the app for one command, does the work and ends the app, whatever happened. */
export async function withApplication<T>(
  options: DataOptions,
  work: (application: Application) => Promise<T>,
): Promise<T> {
  const dataDirectory = dataDirectoryOf(options);
  const redactor = new Redactor();
  using logger = createFileLogger(join(dataDirectory, 'logs'), redactor);
  using _fatal = onUncaughtError(logger, () => {
    process.stderr.write(`Slipway met a fault. The log in ${join(dataDirectory, 'logs')} may say more.\n`);
    process.exit(1);
  });
  await using application = await createApplication({
    dataDirectory,
    trigger: 'cli',
    resources: developmentResourcePaths(ROOT),
    version: readVersion(ROOT),
    logger,
    redactor,
    nodePath: process.execPath,
  });
  if (options.passphraseFile !== undefined)
    await application.secrets.unlock(await readPassphrase(options.passphraseFile));
  // Awaited here: what this function owns ends with it.
  return await work(application);
}
