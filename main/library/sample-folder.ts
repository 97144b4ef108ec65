import { existsSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Direction } from '#shared/manifest/finding-list.ts';
import type { SchemaChecker } from '#shared/manifest/schema-checker.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { idOf } from './agent-views.ts';
import { checkPackage, type CheckedPackage } from './checked-package.ts';
import { PackageFolder } from './package-folder.ts';

/** Packages that stand in folders, each checked again only when a file of it changed. */
class FolderReader {
  readonly #schemaChecker: SchemaChecker | undefined;
  readonly #packages = new Map<string, { fingerprint: string; checked: CheckedPackage }>();

  /** @param schemaChecker none to look only at the outline of the JSON Schemas in manifests */
  constructor(schemaChecker: SchemaChecker | undefined) {
    this.#schemaChecker = schemaChecker;
  }

  async read(folder: PackageFolder, direction: Direction): Promise<CheckedPackage> {
    const files = await folder.list();
    const fingerprint = files.map(({ path, size, stamp }) => `${path}\0${size}\0${stamp}`).join('\n');
    const key = `${direction} ${folder.location}`;
    const kept = this.#packages.get(key);
    if (kept?.fingerprint === fingerprint) return kept.checked;
    const checked = await checkPackage(folder, files, { direction, schemaChecker: this.#schemaChecker });
    this.#packages.set(key, { fingerprint, checked });
    return checked;
  }
}

/** The sample agents that come with the app, as `@scope/name` folders. */
export class SampleFolder {
  readonly #folder: string;
  // Compiling the schemas of all samples would take most of the time that the app needs to show a list.
  readonly #outlines = new FolderReader(undefined);
  readonly #reader: FolderReader;

  constructor(folder: string, schemaChecker: SchemaChecker) {
    this.#folder = folder;
    this.#reader = new FolderReader(schemaChecker);
  }

  /** All samples, checked but for the JSON Schemas they carry. */
  list(): Promise<CheckedPackage[]> {
    return this.#readAll(this.#outlines);
  }

  /** One sample, checked in full. */
  async find(name: string): Promise<CheckedPackage | undefined> {
    const outline = (await this.list()).find((checked) => idOf(checked) === name);
    return outline && this.#reader.read(await PackageFolder.at(outline.source.location), 'stored');
  }

  async #readAll(reader: FolderReader): Promise<CheckedPackage[]> {
    const packages: CheckedPackage[] = [];
    const scopes = await foldersIn(this.#folder);
    for (const path of (await Promise.all(scopes.map(foldersIn))).flat()) {
      if (!existsSync(join(path, MANIFEST_FILE))) continue;
      packages.push(await reader.read(await PackageFolder.at(path), 'stored'));
    }
    return packages;
  }
}

async function foldersIn(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const entry of await opendir(folder)) {
    if (entry.isDirectory()) paths.push(join(folder, entry.name));
  }
  return paths.sort();
}
