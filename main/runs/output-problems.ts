import { OUTPUTS_FOLDER } from '#shared/protocol/layout.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';
import { MAX_OUTPUT_BYTES, MAX_OUTPUT_FILE_BYTES, MAX_OUTPUT_FILES } from '#shared/runs/run.ts';
import { shownPath } from './output-names.ts';

/** A file that this computer did not take, for example for want of disk. */
export class NotWritten extends Error {
  readonly path: string;
  readonly code: string;

  constructor(path: string, cause: NodeJS.ErrnoException) {
    super(cause.message, { cause });
    this.path = path;
    this.code = cause.code ?? 'unknown reason';
  }
}

/** Whether a file operation of this computer failed, and not the archive or the wait for it. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}

function skipped(code: string, file: string, detail: string): Problem {
  return { code, title: 'A file was not kept', detail, file };
}

export function fileTooLarge(path: string, size: number): Problem {
  return skipped(
    'file_too_large',
    path,
    `"${path}" has ${megabytes(size)}; one file may have ${megabytes(MAX_OUTPUT_FILE_BYTES)}.`,
  );
}

export function nameClash(path: string, other: string): Problem {
  return {
    ...skipped(
      'name_clash',
      path,
      `"${path}" and "${other}" are one name on this computer, which tells no capitals apart.`,
    ),
    action: 'Let the agent give the two files names that differ in more than capitals.',
  };
}

export function publishedThere(source: string, published: string): Problem {
  return {
    ...skipped(
      'name_clash',
      source,
      `"${source}" would take the place of "${published}", which the agent published of another file.`,
    ),
    action: 'Let the agent give the two files different names.',
  };
}

export function tooManyFiles(path: string): Problem {
  return skipped(
    'too_many_files',
    path,
    `A run may deliver ${MAX_OUTPUT_FILES} files; "${path}" came after them.`,
  );
}

export function untoldFiles(count: number): Problem {
  return skipped('too_many_files', OUTPUTS_FOLDER, `${count} more files were not kept.`);
}

export function quotaExceeded(path: string, total: number): Problem {
  return skipped(
    'quota_exceeded',
    path,
    `With "${path}" the run's files would have ${megabytes(total)}; ${megabytes(MAX_OUTPUT_BYTES)} are kept.`,
  );
}

export function pathRefused(source: string, name: string | undefined): ProblemError {
  return new ProblemError({
    code: 'path_refused',
    title: 'The file was not published',
    detail:
      name === undefined
        ? `"${shownPath(source)}" is not the path of a file inside the workspace.`
        : `"${shownPath(source)}" cannot be published as "${shownPath(name)}".`,
    action: 'Give a path relative to the workspace without "..", and a plain name without folders.',
  });
}

export function fileAbsent(source: string): ProblemError {
  return new ProblemError({
    code: 'file_absent',
    title: 'The file was not published',
    detail: `There is no file "${shownPath(source)}" in the workspace.`,
    action: 'Write the file first.',
  });
}

export function notAFile(source: string): ProblemError {
  return new ProblemError({
    code: 'not_a_file',
    title: 'The file was not published',
    detail: `"${shownPath(source)}" is no plain file: a folder, a link, a pipe or a device.`,
    action: 'Publish one file; put a folder into an archive first.',
  });
}

export function notWritten({ path, code }: NotWritten): Problem {
  const reason = code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : code;
  return {
    ...skipped(
      'file_not_written',
      path,
      `"${path}" could not be written to this computer (${reason}). Files after it were not kept either.`,
    ),
    action: 'Make room in the data folder and run the agent again.',
  };
}

export function cutShort(): Problem {
  return skipped(
    'outputs_cut_short',
    OUTPUTS_FOLDER,
    'The last look at the outputs was cut short, so files that were written last may be missing.',
  );
}

export function linkRefused(path: string): Problem {
  return skipped(
    'link_refused',
    path,
    `"${path}" is a link. Links are not delivered; copy the file instead.`,
  );
}

export function nameRefused(path: string): Problem {
  const shown = shownPath(path);
  return {
    ...skipped(
      'name_refused',
      shown,
      `"${shown}" has a name that not every computer takes: too long, or with a backslash, a line break or a character that is not seen.`,
    ),
    action: 'Let the agent give the file a plain, shorter name.',
  };
}

export function outputsReplaced(): Problem {
  return skipped(
    'outputs_replaced',
    OUTPUTS_FOLDER,
    `The agent put something else in the place of the folder "${OUTPUTS_FOLDER}", so no file was found in it.`,
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(bytes < 10_485_760 ? 1 : 0)} MB`;
}
