import type { FileHandles } from '#main/app/shell-services.ts';
import type { Library } from '#main/library/library.ts';
import type { InputFile } from '#main/runs/run-service.ts';
import type { RunFile } from '#shared/ipc/routes.ts';
import { ProblemError } from '#shared/problem.ts';
import { exampleInputFile } from './example-start.ts';

/**
 * Turns the files of a start request into openable ones. The agent must be one of the library: a renderer
 * may not name a folder of the disk.
 * @throws ProblemError `agent_unknown`, `file_handle_unknown`, `file_unknown`.
 */
export async function resolveRunFiles(
  library: Library,
  handles: FileHandles,
  agentId: string,
  files: readonly RunFile[],
): Promise<InputFile[]> {
  const { examples } = await library.get(agentId);
  return files.map(({ field, source }) => {
    if (source.kind === 'registered') return { ...handles.resolve(source.handle), field };
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
}
