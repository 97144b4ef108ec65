import { join } from 'node:path';
import type { SecretStore } from '#main/secrets/secret-store.ts';
import { StoredValue } from '#main/settings/index.ts';
import type { Database } from '#main/store/index.ts';
import type { SchemaChecker } from '#shared/manifest/schema-checker.ts';
import { AgentLibrary } from './agent-library.ts';
import { Catalogue } from './catalogue/index.ts';
import { Exporter } from './export/exporter.ts';
import { FolderWatches } from './import/folder-watches.ts';
import { Importer } from './import/importer.ts';
import { createSchemaChecker } from './json-schema.ts';
import type { Library } from './library.ts';
import { PackageEditor } from './package-editor.ts';
import { PackageFinder } from './package-finder.ts';
import { PackageLibrary } from './package-library.ts';
import type { PackageService } from './package-service.ts';
import { SampleFolder } from './sample-folder.ts';
import { Signing } from './signing.ts';
import { BlobStore } from './store/blob-store.ts';
import { PackageIndex } from './store/package-index.ts';
import { PackageStore } from './store/package-store.ts';

export { checkPath, packFolder, type PackedFolder, type PathReport } from './check-path.ts';
export { createSchemaChecker } from './json-schema.ts';
export type { GivenImport, GivenImportFile } from './import/import-source.ts';
export { portabilityFault } from './package-path.ts';
export type { PackageSource } from './package-source.ts';
export type { PackageService } from './package-service.ts';
export { validateRunInput, type CheckedInput, type GivenFile } from './run-input.ts';

export interface LibrariesOptions {
  /** Folder that holds the sample agents as `@scope/name` folders. */
  readonly samplesFolder: string;
  /** Folder that holds the integrations of the catalogue. */
  readonly catalogueFolder: string;
  readonly database: Database;
  readonly dataDirectory: string;
  readonly secrets: Pick<SecretStore, 'state' | 'get' | 'set' | 'names'>;
  /** Follows folders and clears what nothing refers to: for a process that stays. */
  readonly isLasting: boolean;
  /** Where public archives of repositories are, in the place of GitHub's own. */
  readonly githubArchives?: string | undefined;
  readonly schemaChecker?: SchemaChecker;
}

/** The author's packages, and the agents among them as runs take them. End `packages` before `agents`. */
export function createLibraries(options: LibrariesOptions): {
  readonly agents: Library;
  readonly packages: PackageService;
} {
  const { database, secrets, schemaChecker = createSchemaChecker() } = options;
  const index = new PackageIndex(database);
  const blobs = new BlobStore(database, join(options.dataDirectory, 'packages'));
  const store = new PackageStore(index, blobs);
  const finder = new PackageFinder(
    store,
    new SampleFolder(options.samplesFolder, schemaChecker),
    schemaChecker,
  );
  const editor = new PackageEditor(finder);
  const signing = new Signing({ value: new StoredValue(database, 'signing'), secrets });
  const agents = new AgentLibrary(finder);
  const watches = new FolderWatches({ finder, index, onChange: () => void packages.tellChange() });
  const packages: PackageLibrary = new PackageLibrary({
    finder,
    editor,
    signing,
    agents,
    catalogue: new Catalogue(options.catalogueFolder),
    watches,
    importer: new Importer({
      finder,
      signing,
      isWatched: (name) => watches.isWatched(name),
      githubArchives: options.githubArchives,
    }),
    exporter: new Exporter({ finder, editor, signing, secrets }),
  });
  if (options.isLasting) {
    packages.owns(database.onForeignChange(() => void packages.tellChange()));
    watches.resume();
    void blobs.collectGarbage().catch(() => undefined);
  }
  return { agents, packages };
}
