import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { developmentResourcePaths } from '#main/app/resource-paths.ts';
import { createLibraries, type LibrariesOptions } from '#main/library/index.ts';
import { createSecretStore, type SecretStore } from '#main/secrets/index.ts';
import { openDatabase, type Database } from '#main/store/index.ts';

export type OpenLibraries = ReturnType<typeof createLibraries> &
  AsyncDisposable & {
    readonly database: Database;
    readonly secrets: SecretStore;
    readonly dataDirectory: string;
  };

/** Libraries over a data folder: one of their own, which goes with them, or the one that is given. */
export async function openLibraries(
  options: Partial<LibrariesOptions> & Pick<LibrariesOptions, 'samplesFolder'>,
): Promise<OpenLibraries> {
  const isOwn = options.dataDirectory === undefined;
  const dataDirectory = options.dataDirectory ?? (await mkdtemp(join(tmpdir(), 'slipway-data-')));
  const database = openDatabase(dataDirectory);
  const secrets = createSecretStore({ directory: dataDirectory, preference: 'memory' });
  const libraries = createLibraries({
    database,
    secrets,
    isLasting: false,
    catalogueFolder: developmentResourcePaths(join(import.meta.dirname, '..', '..')).catalogue,
    ...options,
    dataDirectory,
  });
  return {
    ...libraries,
    database,
    secrets,
    dataDirectory,
    async [Symbol.asyncDispose]() {
      await libraries.packages[Symbol.asyncDispose]();
      await libraries.agents[Symbol.asyncDispose]();
      database[Symbol.dispose]();
      if (isOwn) await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}
