import { basename } from 'node:path';
import { Readable } from 'node:stream';
import {
  decodeText,
  fileUnknown,
  tooLargeToRead,
  type PackageFile,
  type PackageSource,
} from './package-source.ts';

/** A package whose files are in memory: out of an archive, a download, or about to be saved. */
export class MemoryPackage implements PackageSource {
  readonly name: string;
  readonly location: string;
  readonly contents: ReadonlyMap<string, Buffer>;

  constructor(location: string, name: string, contents: ReadonlyMap<string, Buffer>) {
    this.location = location;
    this.name = name;
    this.contents = contents;
  }

  list(): Promise<readonly PackageFile[]> {
    const files = [...this.contents].map(([path, { length }]) => ({ path, size: length, stamp: '' }));
    return Promise.resolve(files.sort((a, b) => (a.path < b.path ? -1 : 1)));
  }

  readText(path: string, maxBytes: number): Promise<string | undefined> {
    const bytes = this.contents.get(path);
    if (bytes === undefined) return Promise.resolve(undefined);
    if (bytes.length > maxBytes) return Promise.reject(tooLargeToRead(path, bytes.length, maxBytes));
    return Promise.try(() => decodeText(path, bytes));
  }

  openFile(path: string): Promise<{ name: string; size: number; stream: Readable }> {
    const bytes = this.contents.get(path);
    if (bytes === undefined) return Promise.reject(fileUnknown(this.location, path));
    return Promise.resolve({ name: basename(path), size: bytes.length, stream: Readable.from([bytes]) });
  }
}
