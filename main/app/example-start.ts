import type { Library } from '#main/library/library.ts';
import type { InputFile } from '#main/runs/run-service.ts';
import type { ExampleFile } from '#shared/ipc/routes.ts';
import { ProblemError } from '#shared/problem.ts';

/** Values and files that an agent's package brings for a first run. */
export interface ExampleStart {
  readonly input: Record<string, unknown>;
  readonly files: readonly InputFile[];
}

/**
 * The examples of an agent of the library; undefined when it brings none, or is no agent of the library.
 * @throws ProblemError for anything but an unknown agent.
 */
export async function findExampleStart(library: Library, agentId: string): Promise<ExampleStart | undefined> {
  const agent = await library.get(agentId).catch((error: unknown) => {
    if (error instanceof ProblemError && error.problem.code === 'agent_unknown') return undefined;
    throw error;
  });
  if (!agent || (agent.examples.length === 0 && Object.keys(agent.exampleInput).length === 0))
    return undefined;
  const files = agent.examples.map((example) => exampleInputFile(library, agentId, example));
  return { input: agent.exampleInput, files };
}

/** An example of a package as a file for a run. */
export function exampleInputFile(
  library: Library,
  agentId: string,
  { field, name, size, path }: ExampleFile,
): InputFile {
  return {
    field,
    originalName: name,
    size,
    open: async () => (await library.openExample(agentId, path)).stream,
  };
}
