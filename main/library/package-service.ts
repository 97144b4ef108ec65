import type { Readable } from 'node:stream';
import type {
  Comparison,
  ExportedFile,
  ImportOutcome,
  ImportPreview,
  LibraryState,
  PackageDetail,
  SigningState,
  WatchState,
} from '#shared/ipc/library-routes.ts';
import type { Finding } from '#shared/manifest/finding.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import type { CatalogueEntry } from './catalogue/index.ts';
import type { MadeArchive, ExportRequest } from './export/exporter.ts';
import type { GivenImport } from './import/import-source.ts';
import type { FileChangeRequest } from './package-editor.ts';
import type { RunPackage } from './library.ts';
import type { NewPackage, PackageText } from './templates/index.ts';

/** Packages of every type: read, edited, versioned, brought in and given out. */
export interface PackageService extends AsyncDisposable {
  state(): Promise<LibraryState>;
  /** Tells the state after every change, of another process too. */
  onChange(listener: (state: LibraryState) => void): () => void;
  /** @throws ProblemError `package_unknown`, `version_unknown`. */
  detail(name: string, version?: string): Promise<PackageDetail>;
  /** Opens a file. @throws ProblemError `package_unknown`, `version_unknown`, `file_unknown`. */
  openFile(
    name: string,
    version: string | undefined,
    path: string,
  ): Promise<{ name: string; size: number; stream: Readable }>;
  /**
   * A package as a run takes it, of one state.
   * @throws ProblemError `package_unknown`, `version_unknown`, `package_invalid`
   */
  take(name: string, version?: string): Promise<RunPackage>;
  /** What differs between two states: versions, tags, `draft`. */
  compare(name: string, from: string, to: string): Promise<Comparison>;
  /**
   * Changes files of the draft.
   * @throws ProblemError `package_invalid`, `package_rename_refused`, `draft_conflict`, `package_watched` …
   */
  save(
    name: string,
    changes: readonly FileChangeRequest[],
    options: { basedOn?: number | undefined; checkOnly: boolean },
  ): Promise<{ draftId: number; saved: boolean; findings: readonly Finding[] }>;
  /**
   * Makes a draft: of the given texts by path, else a working example of its type.
   * @throws ProblemError `package_name_invalid`, `package_name_taken`
   */
  create(type: PackageType, identity: NewPackage, texts?: PackageText): Promise<{ name: string }>;
  /** @throws ProblemError `catalogue_damaged`. */
  catalogue(): Promise<CatalogueEntry[]>;
  /** @throws ProblemError `catalogue_unknown`, `version_exists`, `package_type_mismatch`. */
  addFromCatalogue(name: string): Promise<{ name: string; version: string }>;
  discardDraft(name: string): Promise<void>;
  /** @throws ProblemError `package_invalid`, `version_exists`, `version_not_higher`, `no_changes` … */
  publish(name: string, version?: string): Promise<{ version: string; warnings: string[] }>;
  yank(name: string, version: string, reason?: string): Promise<void>;
  unyank(name: string, version: string): Promise<void>;
  restore(name: string, version: string): Promise<{ draftId: number; dropped: readonly string[] }>;
  tag(name: string, tag: string, version: string | undefined): Promise<void>;
  fork(
    name: string,
    version: string | undefined,
    newName: string,
  ): Promise<{ name: string; dropped: readonly string[] }>;
  /** @throws ProblemError `package_used` with its reasons, unless `force`. */
  remove(name: string, options: { version?: string | undefined; force: boolean }): Promise<void>;
  previewImport(given: GivenImport, signal: AbortSignal): Promise<ImportPreview>;
  /** Mends one mistake of an item, or all that can be. @throws ProblemError `import_unknown`, `fix_unknown`. */
  mendImport(token: string, id: string, finding?: Pick<Finding, 'code' | 'pointer'>): Promise<ImportPreview>;
  commitImport(
    token: string,
    decisions: readonly { id: string; as: 'version' | 'draft' | 'skip' }[],
  ): Promise<ImportOutcome>;
  /** An item of an import that waits, as a run would take it. @throws ProblemError `import_unknown`, `package_invalid`. */
  takeImported(token: string, id: string): RunPackage;
  cancelImport(token: string): void;
  watchFolder(path: string): Promise<WatchState>;
  unwatchFolder(path: string): Promise<void>;
  /** Makes an archive and holds it until it is fetched. */
  holdExport(request: ExportRequest): Promise<ExportedFile>;
  /** @throws ProblemError `export_unknown`. */
  heldExport(token: string): MadeArchive;
  /** Makes an archive for the caller alone. */
  makeExport(request: ExportRequest): Promise<MadeArchive>;
  signing(): SigningState;
  setSigning(change: {
    policy?: SigningState['policy'] | undefined;
    trusted?: SigningState['trusted'] | undefined;
  }): SigningState;
  createSigningKey(): Promise<SigningState>;
}
