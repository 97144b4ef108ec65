import { createWriteStream } from 'node:fs';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { RunService } from '#main/runs/run-service.ts';
import { ProblemError, toProblem, type Problem } from '#shared/problem.ts';
import type { RunOutputFile } from '#shared/runs/run.ts';

/** An output file, and where it was copied to or why it was not. */
export interface CopiedFile {
  readonly path: string;
  readonly size: number;
  readonly mediaType: string;
  readonly savedTo?: string;
  readonly problem?: Problem;
}

/**
 * Makes sure the folder is there and can be written to, before anything is run for it.
 * @returns its real path. @throws ProblemError `output_folder_unusable`.
 */
export async function prepareFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
    return await realpath(folder);
  } catch (error) {
    throw new ProblemError(
      {
        code: 'output_folder_unusable',
        title: 'Folder not usable',
        detail: `The outputs cannot be put into ${folder} (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`,
        action: 'Give another folder with --out.',
      },
      { cause: error },
    );
  }
}

/**
 * Copies a run's kept files into a folder, keeping their paths. A file that is there already stays as it
 * is unless `force`; nothing is written outside of the folder, also not through a link inside it.
 */
export async function copyOutputs(
  runs: Pick<RunService, 'openOutput'>,
  runId: string,
  files: readonly RunOutputFile[],
  folder: string,
  force: boolean,
): Promise<CopiedFile[]> {
  const copied: CopiedFile[] = [];
  for (const { path, size, mediaType, kept } of files) {
    const file = { path, size, mediaType };
    if (!kept) copied.push({ ...file, problem: notKept(path) });
    else {
      try {
        copied.push({ ...file, savedTo: await copyOne(runs, runId, path, folder, force) });
      } catch (error) {
        copied.push({ ...file, problem: describe(error, path) });
      }
    }
  }
  return copied;
}

async function copyOne(
  runs: Pick<RunService, 'openOutput'>,
  runId: string,
  path: string,
  folder: string,
  force: boolean,
): Promise<string> {
  const target = resolve(folder, path);
  if (!target.startsWith(folder + sep)) throw outside(path);
  const parent = await makeFolderInside(folder, dirname(target), path);
  const output = await runs.openOutput(runId, path);
  const real = join(parent, target.slice(dirname(target).length + 1));
  // `wx` follows no link and replaces nothing; with force, what is in the way is removed, not followed.
  if (force) await rm(real, { force: true });
  await pipeline(output.stream(), createWriteStream(real, { flags: 'wx' }));
  return real;
}

/** Makes the folders one by one, so that a link on the way is seen before anything is made behind it. */
async function makeFolderInside(root: string, folder: string, path: string): Promise<string> {
  let current = root;
  for (const name of folder.slice(root.length).split(sep).filter(Boolean)) {
    current = join(current, name);
    await mkdir(current, { recursive: true });
    if ((await realpath(current)) !== current) throw outside(path);
  }
  return current;
}

function outside(path: string): ProblemError {
  return new ProblemError({
    code: 'output_outside',
    title: 'Not copied',
    detail: `"${path}" would be written outside of the folder.`,
    file: path,
  });
}

function notKept(path: string): Problem {
  return {
    code: 'output_not_kept',
    title: 'Not kept',
    detail: `"${path}" was not kept with the run; its record says why.`,
    file: path,
  };
}

function describe(error: unknown, path: string): Problem {
  if (error instanceof ProblemError) return toProblem(error);
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EEXIST'
    ? {
        code: 'output_exists',
        title: 'Not overwritten',
        detail: `"${path}" is in the folder already.`,
        file: path,
        action: 'Give another folder, or --force to replace files.',
      }
    : {
        code: 'output_not_written',
        title: 'Not copied',
        detail: `"${path}" could not be written (${code ?? 'unknown reason'}).`,
        file: path,
      };
}
