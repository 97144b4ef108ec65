import { basename } from 'node:path';
import { Readable } from 'node:stream';
import {
  decodeText,
  fileUnknown,
  tooLargeToRead,
  type PackageFile,
  type PackageSource,
} from '../package-source.ts';
import type { Snapshot, SnapshotFile } from './package-index.ts';
import type { PackageStore } from './package-store.ts';

/** A draft or version of the store as the files of a package. */
export class StoredSource implements PackageSource {
  readonly name: string;
  readonly location: string;
  readonly #store: PackageStore;
  readonly #files: ReadonlyMap<string, SnapshotFile>;

  constructor(store: PackageStore, snapshot: Snapshot) {
    this.name = snapshot.name;
    this.location = `${snapshot.name} ${snapshot.version ?? '(draft)'}`;
    this.#store = store;
    this.#files = new Map(store.files(snapshot).map((file) => [file.path, file]));
  }

  list(): Promise<readonly PackageFile[]> {
    return Promise.resolve(
      [...this.#files.values()].map(({ path, size, digest }) => ({ path, size, stamp: digest })),
    );
  }

  async readText(path: string, maxBytes: number): Promise<string | undefined> {
    const file = this.#files.get(path);
    if (file === undefined) return undefined;
    if (file.size > maxBytes) throw tooLargeToRead(path, file.size, maxBytes);
    return decodeText(path, await this.#store.content(file));
  }

  async openFile(path: string): Promise<{ name: string; size: number; stream: Readable }> {
    const file = this.#files.get(path);
    if (file === undefined) throw fileUnknown(this.location, path);
    const content = await this.#store.content(file);
    return { name: basename(path), size: file.size, stream: Readable.from([content]) };
  }
}
