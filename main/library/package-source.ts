import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ProblemError } from '#shared/problem.ts';

export interface PackageFile {
  /** Relative to the package, with forward slashes. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Changes when the file may have changed. */
  readonly stamp: string;
}

/** The files of one package, wherever they are kept. */
export interface PackageSource {
  /** Name to use for a package that gives none that can be read. */
  readonly name: string;
  /** Where the package is, as a message says it. */
  readonly location: string;
  /** Files by path. @throws ProblemError `package_too_large` over the limits. */
  list(): Promise<readonly PackageFile[]>;
  /**
   * Text of a file, or undefined when there is none.
   * @throws ProblemError `file_unreadable` when it leaves the package, is too large or is not UTF-8 text.
   */
  readText(path: string, maxBytes: number): Promise<string | undefined>;
  /** Opens a file to read it. @throws ProblemError `file_unknown`, `file_unreadable`. */
  openFile(path: string): Promise<{ name: string; size: number; stream: Readable }>;
}

/** All of a file. @throws ProblemError `file_unknown`, `file_unreadable`. */
export async function readBytes(source: Pick<PackageSource, 'openFile'>, path: string): Promise<Buffer> {
  const { stream } = await source.openFile(path);
  try {
    return await buffer(stream);
  } catch (error) {
    throw unreadable(path, 'The system stopped in the middle of it.', error);
  }
}

/** Text of a file's bytes. @throws ProblemError `file_unreadable`. */
export function decodeText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw unreadable(path, 'It is not UTF-8 text. Save it as UTF-8.', error);
  }
}

export function tooLargeToRead(path: string, size: number, maxBytes: number): ProblemError {
  return unreadable(path, `It has ${size} bytes; ${maxBytes} is the most that is read.`);
}

export function unreadable(path: string, reason: string, cause?: unknown): ProblemError {
  const problem = {
    code: 'file_unreadable',
    title: 'A file of the package cannot be read',
    detail: `"${path}" cannot be read. ${reason}`,
    file: path,
  };
  return new ProblemError(problem, { cause });
}

export function fileUnknown(location: string, path: string): ProblemError {
  const detail = `The package in ${location} has no file "${path}".`;
  return new ProblemError({ code: 'file_unknown', title: 'No such file', detail, file: path });
}
