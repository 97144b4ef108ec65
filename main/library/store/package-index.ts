import { z } from 'zod';
import type { Database, SqlValue } from '#main/store/index.ts';
import { snapshotOriginSchema } from '#shared/ipc/library-routes.ts';
import type { Dependency } from '#shared/manifest/dependencies.ts';
import { PACKAGE_TYPES, type PackageType } from '#shared/manifest/dialect.ts';
import { compareVersions } from '#shared/manifest/identity.ts';
import type { BlobReference } from './blob-store.ts';

/** What a list shows of a set of files, kept so that a list reads no file. */
export const snapshotSummarySchema = z.object({
  displayName: z.string(),
  description: z.string(),
  keywords: z.array(z.string()),
  icon: z.string().optional(),
  /** The version in the manifest; of a draft, the one it would be published as. */
  version: z.string(),
  errorCount: z.number().int(),
  publishErrorCount: z.number().int(),
  warningCount: z.number().int(),
  /** For agents: names of the tools and number of fields, as their cards show them. */
  tools: z.array(z.string()),
  inputFieldCount: z.number().int(),
});
export type SnapshotSummary = z.infer<typeof snapshotSummarySchema>;

/** How a set of files came here. */
export type SnapshotOrigin = z.infer<typeof snapshotOriginSchema>;

export interface SnapshotFile extends BlobReference {
  readonly path: string;
}

/** One set of files of a package: its draft, or a version. Never changed under its id, which is never given again. */
export interface Snapshot {
  readonly id: number;
  readonly name: string;
  /** Undefined for the draft. */
  readonly version: string | undefined;
  readonly integrity: string;
  readonly summary: SnapshotSummary;
  readonly origin: SnapshotOrigin;
  readonly savedAt: number;
  readonly yanked: { readonly at: number; readonly reason: string | undefined } | undefined;
}

export interface StoredPackage {
  readonly name: string;
  readonly type: PackageType;
  readonly createdAt: number;
  readonly forkedFrom: string | undefined;
  readonly draft: Snapshot | undefined;
  /** Highest first. */
  readonly versions: readonly Snapshot[];
  readonly tags: Readonly<Record<string, string>>;
}

/** Who needs a package: a draft, or a version. */
export interface Dependant {
  readonly name: string;
  readonly version: string | undefined;
  readonly kind: string;
  readonly range: string;
}

export type NewSnapshot = Pick<Snapshot, 'name' | 'version' | 'integrity' | 'summary' | 'origin'> & {
  readonly files: readonly SnapshotFile[];
  readonly dependencies: readonly Dependency[];
};

type Row = Record<string, SqlValue>;

/** The rows of packages. Rules about what may follow what are the store's. */
export class PackageIndex {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  transaction<T>(work: () => T): T {
    return this.#database.transaction(work);
  }

  all(): StoredPackage[] {
    const snapshots = Map.groupBy(
      this.#database.all('SELECT * FROM package_snapshot').map(snapshotOf),
      ({ name }) => name,
    );
    const tags = Map.groupBy(this.#database.all('SELECT * FROM package_tag'), (row) => textOf(row['name']));
    return this.#database
      .all('SELECT * FROM package ORDER BY name')
      .map((row) =>
        packageOf(row, snapshots.get(textOf(row['name'])) ?? [], tags.get(textOf(row['name'])) ?? []),
      );
  }

  find(name: string): StoredPackage | undefined {
    const row = this.#database.get('SELECT * FROM package WHERE name = ?', name);
    if (row === undefined) return undefined;
    const snapshots = this.#database
      .all('SELECT * FROM package_snapshot WHERE name = ?', name)
      .map(snapshotOf);
    return packageOf(row, snapshots, this.#database.all('SELECT * FROM package_tag WHERE name = ?', name));
  }

  addPackage(name: string, type: PackageType, forkedFrom: string | undefined): void {
    this.#database.run(
      'INSERT INTO package (name, type, created_at, forked_from) VALUES (?, ?, ?, ?)',
      name,
      type,
      Date.now(),
      forkedFrom ?? null,
    );
  }

  removePackage(name: string): void {
    this.#database.run('DELETE FROM package WHERE name = ?', name);
  }

  addSnapshot(snapshot: NewSnapshot): number {
    const { name, version, integrity, summary, origin, files, dependencies } = snapshot;
    const { lastInsertRowid: id } = this.#database.run(
      'INSERT INTO package_snapshot (name, version, integrity, summary, origin, saved_at) VALUES (?, ?, ?, ?, ?, ?)',
      name,
      version ?? null,
      integrity,
      JSON.stringify(summary),
      JSON.stringify(origin),
      Date.now(),
    );
    for (const { path, digest, size } of files) {
      this.#database.run('INSERT INTO package_file VALUES (?, ?, ?, ?)', id, path, digest, size);
    }
    for (const dependency of dependencies) {
      this.#database.run(
        'INSERT INTO package_dependency VALUES (?, ?, ?, ?)',
        id,
        dependency.kind,
        dependency.name,
        dependency.range,
      );
    }
    return id;
  }

  removeSnapshot(id: number): void {
    this.#database.run('DELETE FROM package_snapshot WHERE id = ?', id);
  }

  setYanked(id: number, yanked: Snapshot['yanked']): void {
    this.#database.run(
      'UPDATE package_snapshot SET yanked_at = ?, yank_reason = ? WHERE id = ?',
      yanked?.at ?? null,
      yanked?.reason ?? null,
      id,
    );
  }

  /** Points a tag at a version, or removes it. */
  setTag(name: string, tag: string, version: string | undefined): void {
    if (version === undefined) {
      this.#database.run('DELETE FROM package_tag WHERE name = ? AND tag = ?', name, tag);
      return;
    }
    this.#database.run(
      'INSERT INTO package_tag VALUES (?, ?, ?) ON CONFLICT (name, tag) DO UPDATE SET version = excluded.version',
      name,
      tag,
      version,
    );
  }

  /** Files of a snapshot by path. */
  filesOf(id: number): SnapshotFile[] {
    return this.#database
      .all('SELECT path, digest, size FROM package_file WHERE snapshot_id = ? ORDER BY path', id)
      .map((row) => ({
        path: textOf(row['path']),
        digest: textOf(row['digest']),
        size: Number(row['size']),
      }));
  }

  dependenciesOf(id: number): Dependency[] {
    return this.#database
      .all('SELECT kind, name, range FROM package_dependency WHERE snapshot_id = ? ORDER BY kind, name', id)
      .map((row) => ({
        kind: textOf(row['kind']) as Dependency['kind'],
        name: textOf(row['name']),
        range: textOf(row['range']),
      }));
  }

  dependantsOf(name: string): Dependant[] {
    return this.#database
      .all(
        `SELECT s.name, s.version, d.kind, d.range FROM package_dependency d
         JOIN package_snapshot s ON s.id = d.snapshot_id WHERE d.name = ? ORDER BY s.name, s.id`,
        name,
      )
      .map((row) => ({
        name: textOf(row['name']),
        version: typeof row['version'] === 'string' ? row['version'] : undefined,
        kind: textOf(row['kind']),
        range: textOf(row['range']),
      }));
  }

  /** How many packages need each package. */
  dependantCounts(): Map<string, number> {
    const rows = this.#database.all(
      `SELECT d.name, COUNT(DISTINCT s.name) AS count FROM package_dependency d
       JOIN package_snapshot s ON s.id = d.snapshot_id GROUP BY d.name`,
    );
    return new Map(rows.map((row) => [textOf(row['name']), Number(row['count'])]));
  }

  watchedFolders(): { path: string; name: string }[] {
    return this.#database
      .all('SELECT path, name FROM watched_folder ORDER BY path')
      .map((row) => ({ path: textOf(row['path']), name: textOf(row['name']) }));
  }

  setWatchedFolder(path: string, name: string | undefined): void {
    if (name === undefined) {
      this.#database.run('DELETE FROM watched_folder WHERE path = ?', path);
      return;
    }
    this.#database.run(
      'INSERT INTO watched_folder VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET name = excluded.name',
      path,
      name,
    );
  }
}

function packageOf(row: Row, snapshots: readonly Snapshot[], tags: readonly Row[]): StoredPackage {
  const versions = snapshots.filter(({ version }) => version !== undefined);
  return {
    name: textOf(row['name']),
    type: z.enum(PACKAGE_TYPES).parse(row['type']),
    createdAt: Number(row['created_at']),
    forkedFrom: typeof row['forked_from'] === 'string' ? row['forked_from'] : undefined,
    draft: snapshots.find(({ version }) => version === undefined),
    versions: versions.sort((a, b) => compareVersions(b.version ?? '', a.version ?? '')),
    tags: Object.fromEntries(tags.map((tag) => [textOf(tag['tag']), textOf(tag['version'])])),
  };
}

function snapshotOf(row: Row): Snapshot {
  const at = row['yanked_at'];
  const reason = row['yank_reason'];
  return {
    id: Number(row['id']),
    name: textOf(row['name']),
    version: typeof row['version'] === 'string' ? row['version'] : undefined,
    integrity: textOf(row['integrity']),
    summary: snapshotSummarySchema.parse(JSON.parse(textOf(row['summary']))),
    origin: snapshotOriginSchema.parse(JSON.parse(textOf(row['origin']))),
    savedAt: Number(row['saved_at']),
    yanked:
      typeof at === 'number' ? { at, reason: typeof reason === 'string' ? reason : undefined } : undefined,
  };
}

function textOf(value: SqlValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
