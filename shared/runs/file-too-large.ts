import type { Problem } from '../problem.ts';
import { MAX_INPUT_BYTES } from './run.ts';

/** The problem for a file that no run can take; `undefined` for one that fits. */
export function fileTooLarge(name: string, size: number): Problem | undefined {
  if (size <= MAX_INPUT_BYTES) return undefined;
  return {
    code: 'file_too_large',
    title: 'File too large',
    detail: `"${name}" has ${megabytes(size)}; a run takes at most ${megabytes(MAX_INPUT_BYTES)} of files.`,
    file: name,
    action: 'Choose a smaller file, or split this one.',
  };
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / (1024 * 1024)).toLocaleString('en')} MB`;
}
