import type { PackageType } from '#shared/manifest/dialect.ts';
import type { Finding } from '#shared/manifest/finding.ts';
import { editJson } from '#shared/manifest/json-edit.ts';
import { withoutRetired } from '#shared/manifest/retired.ts';
import { isHigherVersion, nextVersion } from '#shared/manifest/identity.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import type { PackageFinder, FoundPackage } from './package-finder.ts';
import { checkFileLimits } from './file-limits.ts';
import { MemoryPackage } from './memory-package.ts';
import { decodeText, readBytes, type PackageSource } from './package-source.ts';
import { invalidPackage, preparePackage, publishForbidden, usesForbidden } from './prepare.ts';
import { faultsIn } from './store/resolve.ts';
import { storeProblem } from './store/store-problems.ts';
import { newPackageFiles, type NewPackage, type PackageText } from './templates/index.ts';

/** A change of one file; without content the file is removed. */
export interface FileChangeRequest {
  readonly path: string;
  readonly content: Buffer | undefined;
}

/** What an author does to packages of their own: edit, publish, restore, copy. */
export class PackageEditor {
  readonly #finder: PackageFinder;

  constructor(finder: PackageFinder) {
    this.#finder = finder;
  }

  /**
   * Changes files of the draft, making it of the latest version where there is none.
   * @param basedOn id of the draft that was edited, 0 for none
   * @throws ProblemError `package_invalid`, `package_rename_refused`, `draft_conflict`, `file_path_unsafe` …
   */
  async save(
    name: string,
    changes: readonly FileChangeRequest[],
    { basedOn, checkOnly }: { basedOn?: number | undefined; checkOnly: boolean },
  ): Promise<{ draftId: number; saved: boolean; findings: readonly Finding[] }> {
    const { store } = this.#finder;
    const stored = store.find(name);
    const current = stored && this.#finder.snapshotOf(stored);
    const files = current === undefined ? new Map<string, Buffer>() : await store.contents(current);
    for (const { path, content } of changes) {
      if (content === undefined) files.delete(path);
      else files.set(path, content);
    }
    checkFileLimits(files);
    const checked = await this.#finder.check(new MemoryPackage(name, name, files), 'author', {
      prefersDraft: true,
    });
    const { findings, manifest } = checked;
    if (checkOnly) return { draftId: stored?.draft?.id ?? 0, saved: false, findings };
    if (manifest !== undefined && manifest.name !== name) throw renamed(name, manifest.name);
    const prepared = preparePackage(checked, files, { kind: 'written' });
    const { id } = await store.saveDraft(prepared, basedOn);
    return { draftId: id, saved: true, findings };
  }

  /**
   * Makes a working example of a type, as a draft.
   * @throws ProblemError `package_name_invalid`, `package_name_taken`
   */
  async create(
    type: PackageType,
    identity: NewPackage,
    texts: PackageText = newPackageFiles(type, identity),
  ): Promise<{ name: string }> {
    const { name } = identity;
    if (this.#finder.store.find(name) ?? (await this.#finder.samples.find(name))) {
      const detail = `There is a package "${name}" in the library already.`;
      throw storeProblem('package_name_taken', { detail, action: 'Choose another name.' });
    }
    await this.save(name, changesOf(texts), { checkOnly: false });
    return { name };
  }

  /** Takes a package of the app's own catalogue as a version. @throws ProblemError `version_exists` … */
  async addVersion(
    name: string,
    texts: ReadonlyMap<string, string>,
  ): Promise<{ name: string; version: string }> {
    const files = new Map([...texts].map(([path, text]) => [path, Buffer.from(text)]));
    const checked = await this.#finder.check(new MemoryPackage(name, name, files), 'stored', {
      prefersDraft: true,
    });
    const prepared = preparePackage(checked, files, { kind: 'catalogue' });
    await this.#finder.store.addVersion(prepared);
    return { name: prepared.name, version: prepared.summary.version };
  }

  /**
   * Makes the draft a version.
   * @param version in the place of the one in its manifest
   * @throws ProblemError `package_invalid`, `draft_missing`, `version_exists`, `version_not_higher`, `no_changes`,
   * `dependency_cycle`
   */
  async publish(
    name: string,
    version: string | undefined,
    keepsDraft: boolean,
  ): Promise<{ version: string; warnings: string[] }> {
    const { store } = this.#finder;
    const draft = store.draft(name);
    const files = await store.contents(draft);
    if (version !== undefined) editManifest(files, [{ pointer: '/version', value: version }]);
    // A version finds versions: what only a draft of another package has is not there for it.
    const asPublished = { prefersDraft: false };
    const checked = await this.#finder.check(new MemoryPackage(name, name, files), 'author', asPublished);
    const errors = publishForbidden(checked.findings);
    if (errors.length > 0) throw invalidPackage(checked, errors, 'cannot be published');
    const prepared = preparePackage(checked, files, { kind: 'published' });
    const faults =
      checked.manifest === undefined ? [] : faultsIn(this.#finder.resolve(checked.manifest, asPublished));
    const cycle = faults.find(({ state }) => state === 'cycle');
    if (cycle !== undefined) {
      throw storeProblem('dependency_cycle', {
        detail: `${name} cannot be published. ${cycle.detail}`,
        action: 'Remove one of these dependencies.',
        file: MANIFEST_FILE,
        pointer: '/dependencies',
      });
    }
    const snapshot = await store.publish(prepared, { keepsDraft, draftId: draft.id });
    return { version: snapshot.version ?? '', warnings: faults.map(({ detail }) => detail) };
  }

  /** Copies a version into the draft, without what was withdrawn since. @throws ProblemError `version_unknown`. */
  async restore(name: string, version: string): Promise<{ draftId: number; dropped: readonly string[] }> {
    const { store } = this.#finder;
    const files = await store.contents(store.version(name, version));
    const dropped = dropRetired(files);
    const checked = await this.#finder.check(new MemoryPackage(name, name, files), 'author', {
      prefersDraft: true,
    });
    const prepared = preparePackage(checked, files, { kind: 'restored', from: version });
    return { draftId: (await store.saveDraft(prepared)).id, dropped };
  }

  /**
   * Copies a package, a sample too, under another name, as a draft.
   * @throws ProblemError `package_unknown`, `package_name_invalid`, `package_name_taken`, `package_invalid`
   */
  async fork(
    name: string,
    wanted: string | undefined,
    newName: string,
  ): Promise<{ name: string; dropped: readonly string[] }> {
    const found = await this.#finder.get(name, wanted);
    if (await this.#finder.samples.find(newName)) {
      const detail = `A sample of the app is named "${newName}".`;
      throw storeProblem('package_name_taken', { detail, action: 'Choose another name.' });
    }
    const files = await this.contentsOf(found);
    const dropped = dropRetired(files);
    editManifest(files, [{ pointer: '/name', value: newName }]);
    const checked = await this.#finder.check(new MemoryPackage(newName, newName, files), 'author', {
      prefersDraft: true,
    });
    const nameErrors = usesForbidden(checked.findings).filter(({ pointer }) => pointer === '/name');
    if (nameErrors[0] !== undefined) {
      throw storeProblem('package_name_invalid', { detail: nameErrors[0].message });
    }
    const from = `${name}@${found.snapshot?.summary.version ?? 'sample'}`;
    const prepared = preparePackage(checked, files, { kind: 'fork', from });
    await this.#finder.store.fork(prepared, from);
    return { name: newName, dropped };
  }

  /** Contents of all files of a package, wherever it is kept. */
  async contentsOf({ source, snapshot }: FoundPackage): Promise<Map<string, Buffer>> {
    return snapshot === undefined ? readAll(source) : this.#finder.store.contents(snapshot);
  }
}

/** All files of a package in memory. @throws ProblemError `file_unreadable`, `package_too_large`. */
export async function readAll(source: PackageSource): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const listed = await source.list();
  checkFileLimits(new Map(listed.map(({ path, size }) => [path, { length: size }])));
  for (const { path } of listed) files.set(path, await readBytes(source, path));
  checkFileLimits(files);
  return files;
}

/** Changes the manifest among files, where there is one that can be read. */
function editManifest(files: Map<string, Buffer>, edits: Parameters<typeof editJson>[1]): void {
  const bytes = files.get(MANIFEST_FILE);
  if (bytes === undefined) return;
  files.set(MANIFEST_FILE, Buffer.from(editJson(decodeText(MANIFEST_FILE, bytes), edits)));
}

function changesOf(texts: ReadonlyMap<string, string>): FileChangeRequest[] {
  return [...texts].map(([path, text]) => ({ path, content: Buffer.from(text) }));
}

function dropRetired(files: Map<string, Buffer>): readonly string[] {
  const bytes = files.get(MANIFEST_FILE);
  if (bytes === undefined) return [];
  const { text, dropped } = withoutRetired(decodeText(MANIFEST_FILE, bytes));
  if (dropped.length > 0) files.set(MANIFEST_FILE, Buffer.from(text));
  return dropped;
}

function renamed(name: string, given: string): Error {
  return storeProblem('package_rename_refused', {
    detail: `The manifest names the package "${given}", but this is "${name}", and others may depend on that name.`,
    action: `Write "${name}" again, or copy the package under the other name.`,
    file: MANIFEST_FILE,
    pointer: '/name',
  });
}

/** Versions a draft may be published as, the one in its manifest first when it may be. */
export function nextVersionsOf(draft: string | undefined, highest: string | undefined): string[] {
  if (draft === undefined) return [];
  if (highest === undefined) return [draft];
  const steps = (['patch', 'minor', 'major'] as const).map((step) => nextVersion(highest, step));
  return [...new Set([...(isHigherVersion(draft, highest) ? [draft] : []), ...steps])];
}
