import type { WatchState } from '#shared/ipc/library-routes.ts';
import { ProblemError } from '#shared/problem.ts';
import { MemoryPackage } from '../memory-package.ts';
import { readAll } from '../package-editor.ts';
import { PackageFolder } from '../package-folder.ts';
import type { PackageFinder } from '../package-finder.ts';
import { preparePackage } from '../prepare.ts';
import type { PackageIndex } from '../store/package-index.ts';
import { integrityOfFiles } from '../store/package-store.ts';
import { storeProblem } from '../store/store-problems.ts';
import { FolderWatch } from './folder-watch.ts';

export interface FolderWatchesOptions {
  readonly finder: PackageFinder;
  readonly index: PackageIndex;
  onChange(): void;
}

/** The folders in which authors edit packages with other editors; remembered from start to start. */
export class FolderWatches implements AsyncDisposable {
  readonly #options: FolderWatchesOptions;
  readonly #watches = new Map<string, FolderWatch>();

  constructor(options: FolderWatchesOptions) {
    this.#options = options;
  }

  states(): WatchState[] {
    return [...this.#watches.values()].map(({ state }) => state);
  }

  isWatched(name: string): boolean {
    return this.folderOf(name) !== undefined;
  }

  folderOf(name: string): string | undefined {
    return this.states().find((state) => state.name === name)?.path;
  }

  /** Follows again what was followed before. Faults are told by the states. */
  resume(): void {
    for (const { path, name } of this.#options.index.watchedFolders()) {
      const watch = this.#make(path, name);
      this.#watches.set(path, watch);
      void watch.start();
    }
  }

  /** @throws ProblemError `folder_unknown`, `package_invalid`, `draft_conflict`, `package_type_mismatch` … */
  async add(path: string): Promise<WatchState> {
    const { location } = await PackageFolder.at(path);
    const known = this.#watches.get(location);
    if (known !== undefined) return known.state;
    const watch = this.#make(location, undefined);
    await watch.start();
    const { state } = watch;
    if (state.state !== 'following') {
      await watch[Symbol.asyncDispose]();
      throw new ProblemError(
        state.problem ?? {
          code: 'folder_unknown',
          title: 'No such folder',
          detail: `${location} cannot be read.`,
        },
      );
    }
    const other = this.#watches.get(location);
    if (other !== undefined) {
      // It was asked for twice at once.
      await watch[Symbol.asyncDispose]();
      return other.state;
    }
    this.#options.index.setWatchedFolder(location, state.name);
    this.#watches.set(location, watch);
    this.#options.onChange();
    return state;
  }

  async remove(path: string): Promise<void> {
    const watch = this.#watches.get(path);
    this.#watches.delete(path);
    this.#options.index.setWatchedFolder(path, undefined);
    await watch?.[Symbol.asyncDispose]();
    this.#options.onChange();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#watches.values()].map((watch) => watch[Symbol.asyncDispose]()));
    this.#watches.clear();
  }

  #make(path: string, name: string | undefined): FolderWatch {
    return new FolderWatch(
      {
        path,
        take: (folder, expectedName) => this.#take(folder, expectedName),
        onState: () => this.#options.onChange(),
      },
      name,
    );
  }

  async #take(folder: PackageFolder, expectedName: string | undefined): Promise<string> {
    const { finder } = this.#options;
    const files = await readAll(folder);
    const source = new MemoryPackage(folder.location, folder.name, files);
    const checked = await finder.check(source, 'author', { prefersDraft: true });
    const prepared = preparePackage(checked, files, { kind: 'folder', from: folder.location });
    if (expectedName !== undefined && prepared.name !== expectedName) {
      throw storeProblem('package_rename_refused', {
        detail: `The manifest in ${folder.location} names "${prepared.name}" now, but it was "${expectedName}".`,
        action: 'Write the old name again, or stop following the folder and follow it anew.',
        pointer: '/name',
        file: 'manifest.json',
      });
    }
    const { draft, versions } = finder.store.find(prepared.name) ?? { versions: [] };
    const integrity = integrityOfFiles(files);
    if (draft?.integrity === integrity) return prepared.name;
    if (draft === undefined && versions[0]?.integrity === integrity) return prepared.name;
    if (expectedName === undefined) this.#keepOthersDraft(prepared.name, folder.location, draft?.origin.from);
    await finder.store.saveDraft(prepared);
    return prepared.name;
  }

  /** A folder that is new here does not take the place of a draft that was made elsewhere. */
  #keepOthersDraft(name: string, path: string, from: string | undefined): void {
    const { finder } = this.#options;
    if (finder.store.find(name)?.draft === undefined || from === path) return;
    const other = this.folderOf(name);
    throw storeProblem('draft_conflict', {
      detail: `${name} has a draft here${other === undefined ? '' : ` that follows ${other}`}, which the folder ${path} would replace.`,
      action: 'Publish or discard that draft first.',
    });
  }
}
