import { join } from 'node:path';
import type { CheckedInput } from '#main/library/index.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { ProblemError } from '#shared/problem.ts';
import { DOCUMENTS_FOLDER } from '#shared/protocol/layout.ts';
import { MAX_INPUT_BYTES, type RunInputFile } from '#shared/runs/run.ts';
import { documentNames } from './document-names.ts';
import { openKeptDocument } from './kept-document.ts';
import type { InputFile } from './run-service.ts';
import type { WorkspaceFile } from './workspace-archive.ts';

/** @throws ProblemError `input_files_too_large` */
export function checkSizes(files: readonly InputFile[]): void {
  const total = files.reduce((sum, file) => sum + file.size, 0);
  if (total <= MAX_INPUT_BYTES) return;
  const largest = files.reduce((a, b) => (b.size > a.size ? b : a));
  const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1_048_576)} MB`;
  throw new ProblemError({
    code: 'input_files_too_large',
    title: 'The input files are too large',
    detail: `They have ${mebibytes(total)} together; a run takes ${mebibytes(MAX_INPUT_BYTES)}. The largest is "${largest.originalName}" with ${mebibytes(largest.size)}.`,
    file: largest.originalName,
    action: 'Cut the file to the part the agent needs.',
  });
}

/**
 * The files of a run by the names they have in its workspace.
 * @param keptFolder where a copy of each is kept with the run
 */
export function nameFiles(
  files: CheckedInput<InputFile>['files'],
  keptFolder: string,
): {
  workspaceFiles: WorkspaceFile[];
  inputFiles: RunInputFile[];
} {
  const names = documentNames(files.map(({ file }) => file.originalName));
  const named = files.map((entry, index) => ({ ...entry, name: names[index] ?? `file-${index}` }));
  return {
    workspaceFiles: named.map(({ name, file }) => ({
      path: `${DOCUMENTS_FOLDER}/${name}`,
      size: file.size,
      shownName: file.originalName,
      open: (signal) => openKeptDocument(file, join(keptFolder, name), signal),
    })),
    inputFiles: named.map(({ name, file, field }) => ({
      name,
      originalName: file.originalName,
      size: file.size,
      ...(field !== undefined && { field }),
    })),
  };
}

/** Puts each file's place in the workspace where its input field has it: one path, or a list of them. */
export function withDocumentPaths(
  values: Record<string, unknown>,
  files: readonly RunInputFile[],
  schema: Record<string, unknown> | undefined,
): Record<string, unknown> {
  const input = { ...values };
  const properties = schema?.['properties'];
  for (const field of new Set(files.flatMap((file) => file.field ?? []))) {
    const paths = files
      .filter((file) => file.field === field)
      .map((file) => `${DOCUMENTS_FOLDER}/${file.name}`);
    const property = isRecord(properties) ? properties[field] : undefined;
    input[field] = isRecord(property) && property['type'] === 'array' ? paths : paths[0];
  }
  return input;
}
