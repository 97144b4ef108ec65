import { digested, recordIntegrity, recordOfDigests } from '../archive/package-record.ts';
import type { Dependency } from '#shared/manifest/dependencies.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import { isHigherVersion, isInRange, isPrerelease, PACKAGE_NAME } from '#shared/manifest/identity.ts';
import type { BlobStore } from './blob-store.ts';
import type {
  Dependant,
  NewSnapshot,
  PackageIndex,
  Snapshot,
  SnapshotFile,
  SnapshotOrigin,
  SnapshotSummary,
  StoredPackage,
} from './package-index.ts';
import { storeProblem } from './store-problems.ts';

/** A package's files with all that the index keeps of them. Checked already: the store knows no manifest. */
export interface PreparedPackage {
  readonly name: string;
  readonly type: PackageType;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly summary: SnapshotSummary;
  readonly dependencies: readonly Dependency[];
  readonly origin: SnapshotOrigin;
}

/** Tag of the highest version that is no prerelease and was not withdrawn. */
export const LATEST_TAG = 'latest';
const TAG = /^[a-z][a-z0-9._-]*$/;
const PROTECTED_TAGS = [LATEST_TAG, 'draft', 'published'];

/**
 * Drafts and versions of packages. A version never changes once it is there; what may follow what is held
 * here, and every change is one transaction.
 */
export class PackageStore {
  readonly #index: PackageIndex;
  readonly #blobs: BlobStore;

  constructor(index: PackageIndex, blobs: BlobStore) {
    this.#index = index;
    this.#blobs = blobs;
  }

  list(): StoredPackage[] {
    return this.#index.all();
  }

  find(name: string): StoredPackage | undefined {
    return this.#index.find(name);
  }

  /** @throws ProblemError `package_unknown`. */
  get(name: string): StoredPackage {
    const found = this.#index.find(name);
    if (found !== undefined) return found;
    throw storeProblem('package_unknown', { detail: `There is no package "${name}" in the library.` });
  }

  /** A version of a package. @throws ProblemError `package_unknown`, `version_unknown`. */
  version(name: string, version: string): Snapshot {
    const found = this.get(name);
    const snapshot = found.versions.find((candidate) => candidate.version === version);
    if (snapshot !== undefined) return snapshot;
    const known = found.versions.map((candidate) => candidate.version).slice(0, 10);
    const detail = `${name} has no version ${version}.`;
    const action = known.length > 0 ? `Its versions: ${known.join(', ')}.` : 'It was never published.';
    throw storeProblem('version_unknown', { detail, action });
  }

  /** @throws ProblemError `package_unknown`, `draft_missing`. */
  draft(name: string): Snapshot {
    const { draft } = this.get(name);
    if (draft !== undefined) return draft;
    throw storeProblem('draft_missing', {
      detail: `${name} has no draft: nothing was changed since its last version.`,
    });
  }

  files(snapshot: Snapshot): SnapshotFile[] {
    return this.#index.filesOf(snapshot.id);
  }

  /** A file's content. @throws ProblemError `package_damaged`. */
  content(file: SnapshotFile): Promise<Buffer> {
    return this.#blobs.get(file);
  }

  /** All files with their content. @throws ProblemError `package_damaged`. */
  async contents(snapshot: Snapshot): Promise<Map<string, Buffer>> {
    const contents = new Map<string, Buffer>();
    for (const file of this.files(snapshot)) contents.set(file.path, await this.#blobs.get(file));
    return contents;
  }

  dependencies(snapshot: Snapshot): Dependency[] {
    return this.#index.dependenciesOf(snapshot.id);
  }

  dependants(name: string): Dependant[] {
    return this.#index.dependantsOf(name);
  }

  dependantCounts(): Map<string, number> {
    return this.#index.dependantCounts();
  }

  /**
   * Saves a draft over the one there is, making the package when it is new.
   * @param basedOn id of the draft this save builds on, 0 for none; undefined to save over anything
   * @throws ProblemError `package_type_mismatch`, `draft_conflict`.
   */
  async saveDraft(prepared: PreparedPackage, basedOn?: number): Promise<Snapshot> {
    const snapshot = await this.#prepare(prepared, undefined);
    this.#index.transaction(() => {
      const { draft } = this.#packageFor(prepared);
      if (basedOn !== undefined && basedOn !== (draft?.id ?? 0)) {
        const detail = `The draft of ${prepared.name} was saved elsewhere since it was opened here. Nothing was saved.`;
        throw storeProblem('draft_conflict', { detail, action: 'Open it again and repeat your change.' });
      }
      if (draft !== undefined) this.#index.removeSnapshot(draft.id);
      this.#index.addSnapshot(snapshot);
    });
    return this.draft(prepared.name);
  }

  /** Removes a draft; a package that has nothing else goes with it. */
  discardDraft(name: string): void {
    this.#index.transaction(() => {
      const { draft, versions } = this.get(name);
      if (versions.length === 0) this.#index.removePackage(name);
      else if (draft !== undefined) this.#index.removeSnapshot(draft.id);
    });
  }

  /**
   * Makes the draft a version. The draft stays where the package goes on being edited elsewhere, such as in
   * a watched folder; else it has served.
   * @param draftId the draft it was made of: one that was saved meanwhile stays, since it is not in the version
   * @throws ProblemError `draft_missing`, `version_exists`, `version_not_higher`, `no_changes`.
   */
  async publish(
    prepared: PreparedPackage,
    { keepsDraft = false, draftId }: { keepsDraft?: boolean; draftId?: number } = {},
  ): Promise<Snapshot> {
    const { name, summary } = prepared;
    const snapshot = await this.#prepare(prepared, summary.version);
    this.#index.transaction(() => {
      const { draft, versions } = this.get(name);
      const same = versions.find(({ version }) => version === summary.version);
      if (same !== undefined) {
        const isEqual = same.integrity === snapshot.integrity;
        const action = 'Give the draft a higher version.';
        if (isEqual) throw storeProblem('no_changes', { detail: `${name} ${summary.version} is just this.` });
        throw storeProblem('version_exists', {
          detail: `${name} ${summary.version} exists and never changes.`,
          action,
        });
      }
      const highest = versions[0]?.version;
      if (highest !== undefined && !isHigherVersion(summary.version, highest)) {
        const detail = `${name} has version ${highest} already, so ${summary.version} cannot follow it.`;
        const action = `Give the draft a version above ${highest}.`;
        throw storeProblem('version_not_higher', { detail, action, pointer: '/version' });
      }
      this.#index.addSnapshot(snapshot);
      const isServed = !keepsDraft && (draftId === undefined || draft?.id === draftId);
      if (draft !== undefined && isServed) this.#index.removeSnapshot(draft.id);
      this.#moveLatest(name);
    });
    return this.version(name, summary.version);
  }

  /**
   * Keeps a version that was published elsewhere; it may be older than others. One that is there already
   * stays, and what is damaged of it is mended.
   * @throws ProblemError `package_type_mismatch`, `version_exists` for the same version with other content.
   */
  async addVersion(prepared: PreparedPackage): Promise<Snapshot> {
    const { name, summary } = prepared;
    const snapshot = await this.#prepare(prepared, summary.version);
    this.#index.transaction(() => {
      const { versions } = this.#packageFor(prepared);
      const same = versions.find(({ version }) => version === summary.version);
      if (same === undefined) {
        this.#index.addSnapshot(snapshot);
        this.#moveLatest(name);
      } else if (same.integrity !== snapshot.integrity) {
        const detail = `${name} ${summary.version} is in the library with other content, and a version never changes.`;
        throw storeProblem('version_exists', {
          detail,
          action: 'Take it as a draft, or give it another version.',
        });
      }
    });
    return this.version(name, summary.version);
  }

  /** Withdraws a version: it stays, and no range or tag leads to it any more. @throws `version_unknown`. */
  yank(name: string, version: string, reason: string | undefined): void {
    this.#index.transaction(() => {
      const { id, yanked } = this.version(name, version);
      this.#index.setYanked(id, yanked ?? { at: Date.now(), reason });
      this.#moveLatest(name);
    });
  }

  /** Takes a withdrawal back. @throws `version_unknown`. */
  unyank(name: string, version: string): void {
    this.#index.transaction(() => {
      this.#index.setYanked(this.version(name, version).id, undefined);
      this.#moveLatest(name);
    });
  }

  /**
   * Points a tag of the author's own at a version, or removes it.
   * @throws ProblemError `tag_invalid`, `tag_protected`, `version_unknown`, `version_yanked`.
   */
  tag(name: string, tag: string, version: string | undefined): void {
    if (!TAG.test(tag)) {
      const detail = `"${tag}" cannot be a tag: it begins with a lower-case letter and has letters, digits, ".", "_" and "-".`;
      throw storeProblem('tag_invalid', { detail });
    }
    if (PROTECTED_TAGS.includes(tag)) {
      throw storeProblem('tag_protected', { detail: `"${tag}" moves by itself and cannot be set.` });
    }
    this.#index.transaction(() => {
      this.get(name);
      if (version !== undefined && this.version(name, version).yanked !== undefined) {
        throw storeProblem('version_yanked', {
          detail: `${name} ${version} was withdrawn; a tag cannot lead to it.`,
        });
      }
      this.#index.setTag(name, tag, version);
    });
  }

  /**
   * Deletes a package, or one version of it.
   * @throws ProblemError `package_used` with those that need it, unless `force`.
   */
  remove(name: string, { version, force = false }: { version?: string | undefined; force?: boolean }): void {
    this.#index.transaction(() => {
      const found = this.get(name);
      const isWhole = version === undefined || (found.versions.length === 1 && found.draft === undefined);
      if (version !== undefined) this.version(name, version);
      const rest = isWhole ? [] : versionsLeft(found, version);
      const dependants = this.dependants(name).filter(
        (dependant) => dependant.name !== name && !rest.some((left) => isInRange(left, dependant.range)),
      );
      if (dependants.length > 0 && !force) throw used(name, dependants);
      if (isWhole) {
        this.#index.removePackage(name);
        return;
      }
      this.#index.removeSnapshot(this.version(name, version).id);
      for (const [tag, target] of Object.entries(found.tags)) {
        if (target === version) this.#index.setTag(name, tag, undefined);
      }
      this.#moveLatest(name);
    });
  }

  /**
   * Makes a new package of a prepared copy, as a draft.
   * @throws ProblemError `package_name_invalid`, `package_name_taken`.
   */
  async fork(prepared: PreparedPackage, forkedFrom: string): Promise<Snapshot> {
    const { name } = prepared;
    if (!PACKAGE_NAME.test(name)) {
      const detail = `"${name}" is not a name such as "@you/csv-report": lower-case letters, digits and inner hyphens.`;
      throw storeProblem('package_name_invalid', { detail });
    }
    const snapshot = await this.#prepare(prepared, undefined);
    this.#index.transaction(() => {
      if (this.#index.find(name) !== undefined) {
        throw storeProblem('package_name_taken', {
          detail: `There is a package "${name}" already.`,
          action: 'Choose another name.',
        });
      }
      this.#index.addPackage(name, prepared.type, forkedFrom);
      this.#index.addSnapshot(snapshot);
    });
    return this.draft(name);
  }

  async #prepare(prepared: PreparedPackage, version: string | undefined): Promise<NewSnapshot> {
    const { name, summary, dependencies, origin, files } = prepared;
    const paths = [...files.keys()].sort();
    const references = await this.#blobs.put(paths.map((path) => files.get(path) ?? new Uint8Array()));
    const kept = references.map((reference, index) => ({ ...reference, path: paths[index] ?? '' }));
    return { name, version, integrity: integrityOfDigests(kept), summary, origin, dependencies, files: kept };
  }

  #packageFor({ name, type }: PreparedPackage): StoredPackage {
    const found = this.#index.find(name);
    if (found === undefined) {
      this.#index.addPackage(name, type, undefined);
      return this.get(name);
    }
    if (found.type === type) return found;
    const detail = `"${name}" is a package of type "${found.type}" in the library; this one is of type "${type}".`;
    throw storeProblem('package_type_mismatch', { detail, action: 'Give one of the two another name.' });
  }

  #moveLatest(name: string): void {
    const found = this.get(name);
    const open = found.versions.filter(({ yanked }) => yanked === undefined);
    const stable = open.find(({ version }) => version !== undefined && !isPrerelease(version));
    this.#index.setTag(name, LATEST_TAG, (stable ?? open[0])?.version);
  }
}

function versionsLeft({ draft, versions }: StoredPackage, removed: string): string[] {
  const open = versions.filter(({ version, yanked }) => version !== removed && yanked === undefined);
  return [...open, ...(draft === undefined ? [] : [draft])].map(({ summary }) => summary.version);
}

/**
 * What makes two sets of files the same: their paths and contents, in no order. Of a package without a file
 * named RECORD it is what a bundle keeps of it.
 */
export function integrityOfFiles(files: ReadonlyMap<string, Buffer>): string {
  return integrityOfDigests(digested(files));
}

/** The same of files whose digests are known. */
export function integrityOfDigests(
  files: readonly { readonly path: string; readonly size: number; readonly digest: string }[],
): string {
  return recordIntegrity(recordOfDigests(files));
}

function used(name: string, dependants: readonly Dependant[]): Error {
  const names = [...new Set(dependants.map((dependant) => dependant.name))];
  return storeProblem('package_used', {
    detail: `${name} is needed by ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}.`,
    action: 'Remove it from their dependencies first, or delete it all the same: they will not run then.',
    causes: dependants.map((dependant) => ({
      code: 'package_used',
      detail: `${dependant.name} ${dependant.version ?? '(draft)'} needs it in version ${dependant.range || '*'}.`,
    })),
  });
}
