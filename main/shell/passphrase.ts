import { readFile } from 'node:fs/promises';
import { ProblemError } from '#shared/problem.ts';

/**
 * Reads the vault's passphrase from a file, without the line end that editors add.
 * @throws ProblemError `passphrase_file_unreadable`.
 */
export async function readPassphrase(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw new ProblemError(
      {
        code: 'passphrase_file_unreadable',
        title: 'Passphrase not read',
        detail: `The file ${path} with the passphrase cannot be read.`,
        file: path,
      },
      { cause: error },
    );
  }
}
