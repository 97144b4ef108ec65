import { basename } from 'node:path';
import type { FileHandles } from '#main/app/shell-services.ts';
import type { Library } from '#main/library/library.ts';
import type { InputFile, RunService } from '#main/runs/run-service.ts';
import type { RunFile } from '#shared/ipc/routes.ts';
import { ProblemError } from '#shared/problem.ts';
import type { KeptFolder } from '#shared/runs/run.ts';
import { exampleInputFile } from './example-start.ts';

/**
 * Turns the files of a start request into openable ones. The agent must be one of the library: a renderer
 * may not name a folder of the disk.
 * @throws ProblemError `agent_unknown`, `file_handle_unknown`, `file_unknown`, `run_unknown`.
 */
export async function resolveRunFiles(
  library: Library,
  runs: Pick<RunService, 'get' | 'openOutput'>,
  handles: FileHandles,
  agentId: string,
  files: readonly RunFile[],
): Promise<InputFile[]> {
  const { examples } = await library.get(agentId);
  const resolved = files.map(async ({ field, source }): Promise<InputFile> => {
    if (source.kind === 'registered') return { ...handles.resolve(source.handle), field };
    if (source.kind === 'run') return { ...(await fileOfRun(runs, source)), field };
    const example = examples.find(({ path }) => path === source.path);
    if (!example) {
      throw new ProblemError({
        code: 'file_unknown',
        title: 'No such example file',
        detail: `The agent ${agentId} has no example file "${source.path}".`,
        file: source.path,
      });
    }
    return { ...exampleInputFile(library, agentId, example), field };
  });
  return Promise.all(resolved);
}

async function fileOfRun(
  runs: Pick<RunService, 'get' | 'openOutput'>,
  { runId, folder, path }: { runId: string; folder: KeptFolder; path: string },
): Promise<Omit<InputFile, 'field'>> {
  const given = runs.get(runId).inputFiles.find(({ name }) => name === path);
  const kept = await runs.openOutput(runId, path, folder);
  return {
    originalName: folder === 'documents' && given ? given.originalName : basename(path),
    size: kept.size,
    open: () => Promise.resolve(kept.stream()),
  };
}
