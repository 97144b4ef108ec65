import type { Readable } from 'node:stream';
import type {
  Comparison,
  ExportedFile,
  ImportOutcome,
  ImportPreview,
  LibraryState,
  PackageDetail,
  PackageSummary,
  SigningState,
  WatchState,
} from '#shared/ipc/library-routes.ts';
import type { Finding } from '#shared/manifest/finding.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import { versionStep, type VersionState } from '#shared/manifest/version-step.ts';
import type { AgentLibrary } from './agent-library.ts';
import { idOf } from './agent-views.ts';
import type { Catalogue, CatalogueEntry } from './catalogue/index.ts';
import type { Exporter, ExportRequest, MadeArchive } from './export/exporter.ts';
import type { FolderWatches } from './import/folder-watches.ts';
import type { Importer } from './import/importer.ts';
import type { GivenImport } from './import/import-source.ts';
import type { FileChangeRequest, PackageEditor } from './package-editor.ts';
import type { FinderView, FoundPackage, PackageFinder } from './package-finder.ts';
import type { RunPackage } from './library.ts';
import type { PackageService } from './package-service.ts';
import { runPackageOf } from './prepare.ts';
import {
  changeReport,
  digestedFiles,
  packageDetail,
  samplePackageSummary,
  storedPackageSummary,
  type ReachState,
} from './package-views.ts';
import type { Signing } from './signing.ts';
import { storeProblem } from './store/store-problems.ts';
import type { NewPackage, PackageText } from './templates/index.ts';

export interface PackageLibraryOptions {
  readonly finder: PackageFinder;
  readonly editor: PackageEditor;
  readonly importer: Importer;
  readonly exporter: Exporter;
  readonly watches: FolderWatches;
  readonly signing: Signing;
  readonly agents: AgentLibrary;
  readonly catalogue: Catalogue;
}

const NOTHING: VersionState['lookup'] = { integration: () => undefined, mcpServer: () => undefined };

/** {@link PackageService} over the store, the samples and the folders that are followed. */
export class PackageLibrary implements PackageService {
  readonly #options: PackageLibraryOptions;
  readonly #owned = new DisposableStack();
  readonly #listeners = new Set<(state: LibraryState) => void>();

  constructor(options: PackageLibraryOptions) {
    this.#options = options;
  }

  async state(): Promise<LibraryState> {
    const { finder, watches } = this.#options;
    const { store } = finder;
    const states = watches.states();
    const counts = store.dependantCounts();
    const stored = store.list();
    const packages: PackageSummary[] = stored.flatMap((entry) => {
      const shown = finder.snapshotOf(entry);
      return shown === undefined
        ? []
        : [storedPackageSummary(entry, shown, counts.get(entry.name) ?? 0, states)];
    });
    const taken = new Set(stored.map(({ name }) => name));
    for (const sample of await finder.samples.list()) {
      if (!taken.has(idOf(sample)))
        packages.push(samplePackageSummary(sample, counts.get(idOf(sample)) ?? 0));
    }
    return { packages, watches: states };
  }

  onChange(listener: (state: LibraryState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends something with this service. */
  owns(resource: Disposable): void {
    this.#owned.use(resource);
  }

  /** Tells everyone who listens of the state there is now. */
  async tellChange(): Promise<void> {
    await this.#options.agents.tellChanges();
    if (this.#listeners.size === 0) return;
    const state = await this.state();
    for (const listener of this.#listeners) listener(state);
  }

  async detail(name: string, version?: string): Promise<PackageDetail> {
    const { finder } = this.#options;
    const found = await finder.get(name, version);
    return packageDetail(finder, found, await this.#summaryOf(name, found));
  }

  async openFile(
    name: string,
    version: string | undefined,
    path: string,
  ): Promise<{ name: string; size: number; stream: Readable }> {
    const { source } = await this.#options.finder.get(name, version);
    return source.openFile(path);
  }

  async take(name: string, version?: string): Promise<RunPackage> {
    const { finder } = this.#options;
    const checked = await finder.checkFound(await finder.get(name, version));
    return runPackageOf(checked);
  }

  takeImported(token: string, id: string): RunPackage {
    return runPackageOf(this.#options.importer.checkedItem(token, id));
  }

  async compare(name: string, from: string, to: string): Promise<Comparison> {
    const { finder } = this.#options;
    const found = await Promise.all([finder.get(name, from), finder.get(name, to)]);
    // Both look into the same library, so that only what this package changes is told.
    const view = { prefersDraft: found.some(({ snapshot }) => snapshot?.version === undefined) };
    const [before, after] = await Promise.all([this.#stateOf(found[0], view), this.#stateOf(found[1], view)]);
    const changes = changeReport(before, after);
    const { step, reasons } = versionStep(before, after, changes.reach);
    return { ...changes, step, stepReasons: [...reasons] };
  }

  async save(
    name: string,
    changes: readonly FileChangeRequest[],
    options: { basedOn?: number | undefined; checkOnly: boolean },
  ): Promise<Awaited<ReturnType<PackageEditor['save']>>> {
    if (options.checkOnly) return this.#options.editor.save(name, changes, options);
    this.#refuseWatched(name);
    return this.#changing(() => this.#options.editor.save(name, changes, options));
  }

  create(type: PackageType, identity: NewPackage, texts?: PackageText): Promise<{ name: string }> {
    return this.#changing(() => this.#options.editor.create(type, identity, texts));
  }

  catalogue(): Promise<CatalogueEntry[]> {
    return this.#options.catalogue.list();
  }

  addFromCatalogue(name: string): Promise<{ name: string; version: string }> {
    const { catalogue, editor } = this.#options;
    return this.#changing(async () => editor.addVersion(name, await catalogue.read(name)));
  }

  discardDraft(name: string): Promise<void> {
    return this.#changing(() => {
      this.#refuseWatched(name);
      this.#options.finder.store.discardDraft(name);
    });
  }

  publish(name: string, version?: string): Promise<{ version: string; warnings: string[] }> {
    const { editor, watches } = this.#options;
    return this.#changing(() => editor.publish(name, version, watches.isWatched(name)));
  }

  yank(name: string, version: string, reason?: string): Promise<void> {
    return this.#changing(() => this.#options.finder.store.yank(name, version, reason));
  }

  unyank(name: string, version: string): Promise<void> {
    return this.#changing(() => this.#options.finder.store.unyank(name, version));
  }

  restore(name: string, version: string): Promise<{ draftId: number; dropped: readonly string[] }> {
    return this.#changing(() => {
      this.#refuseWatched(name);
      return this.#options.editor.restore(name, version);
    });
  }

  tag(name: string, tag: string, version: string | undefined): Promise<void> {
    return this.#changing(() => this.#options.finder.store.tag(name, tag, version));
  }

  fork(
    name: string,
    version: string | undefined,
    newName: string,
  ): Promise<{ name: string; dropped: readonly string[] }> {
    return this.#changing(() => this.#options.editor.fork(name, version, newName));
  }

  remove(name: string, options: { version?: string | undefined; force: boolean }): Promise<void> {
    return this.#changing(() => {
      if (options.version === undefined) this.#refuseWatched(name);
      this.#options.finder.store.remove(name, options);
    });
  }

  previewImport(given: GivenImport, signal: AbortSignal): Promise<ImportPreview> {
    return this.#options.importer.preview(given, signal);
  }

  mendImport(token: string, id: string, finding?: Pick<Finding, 'code' | 'pointer'>): Promise<ImportPreview> {
    return this.#options.importer.mend(token, id, finding);
  }

  commitImport(
    token: string,
    decisions: readonly { id: string; as: 'version' | 'draft' | 'skip' }[],
  ): Promise<ImportOutcome> {
    return this.#changing(() => this.#options.importer.commit(token, decisions));
  }

  cancelImport(token: string): void {
    this.#options.importer.cancel(token);
  }

  watchFolder(path: string): Promise<WatchState> {
    return this.#options.watches.add(path);
  }

  unwatchFolder(path: string): Promise<void> {
    return this.#options.watches.remove(path);
  }

  holdExport(request: ExportRequest): Promise<ExportedFile> {
    return this.#options.exporter.hold(request);
  }

  heldExport(token: string): MadeArchive {
    return this.#options.exporter.held(token);
  }

  makeExport(request: ExportRequest): Promise<MadeArchive> {
    return this.#options.exporter.make(request);
  }

  signing(): SigningState {
    return this.#options.signing.state();
  }

  setSigning(change: Parameters<Signing['update']>[0]): SigningState {
    return this.#options.signing.update(change);
  }

  createSigningKey(): Promise<SigningState> {
    return this.#options.signing.createKey();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#owned.dispose();
    this.#listeners.clear();
    this.#options.importer[Symbol.dispose]();
    await this.#options.watches[Symbol.asyncDispose]();
  }

  /** Does a change and tells of it, whether it went through or not: a refused import may have taken a part. */
  async #changing<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      await this.tellChange();
    }
  }

  async #summaryOf(name: string, { snapshot }: FoundPackage): Promise<PackageSummary> {
    const { finder, watches } = this.#options;
    const counts = finder.store.dependantCounts();
    const stored = finder.store.find(name);
    if (stored !== undefined && snapshot !== undefined) {
      return storedPackageSummary(stored, snapshot, counts.get(name) ?? 0, watches.states());
    }
    const sample = await finder.samples.find(name);
    if (sample !== undefined) return samplePackageSummary(sample, counts.get(name) ?? 0);
    throw storeProblem('package_unknown', { detail: `There is no package "${name}" in the library.` });
  }

  async #stateOf(found: FoundPackage, view: FinderView): Promise<ReachState & VersionState> {
    const { finder } = this.#options;
    const files = await digestedFiles(finder, found);
    const { manifest } = await finder.checkFound(found);
    const lookup = manifest === undefined ? NOTHING : await finder.lookupFor(manifest, view);
    return { files, manifest, lookup, reach: await finder.wholeReachOf(manifest, files, view) };
  }

  #refuseWatched(name: string): void {
    const folder = this.#options.watches.folderOf(name);
    if (folder === undefined) return;
    const detail = `${name} follows the folder ${folder}, so what is changed here would be lost with the next save there.`;
    throw storeProblem('package_watched', { detail, action: 'Edit it there, or stop following the folder.' });
  }
}
