import { validateRunInput } from '#main/library/index.ts';
import type { Library } from '#main/library/library.ts';
import type { ModelGateway, RunModel } from '#main/models/model-gateway.ts';
import type { Problem } from '#shared/problem.ts';
import { MAX_TIMEOUT_SECONDS } from '#shared/runs/run.ts';
import { checkSizes, nameFiles, withDocumentPaths } from './input-files.ts';
import { packageFilesOf } from './package-files.ts';
import { bindIntegrations, calledServices, type IntegrationServices } from './run-integrations.ts';
import type { StartRequest } from './run-service.ts';
import type { SessionRequest } from './session-request.ts';

/** Where a run to come is, and is kept. */
export interface RunPlace {
  readonly runId: string;
  readonly documentFolder: string;
}

export interface PreparationServices {
  readonly library: Library;
  readonly models: ModelGateway;
  readonly integrations: IntegrationServices;
}

/** A run that can begin, but for where its results go. */
export interface PreparedRun extends Omit<SessionRequest, 'cassette' | 'outputFolder' | 'resourceFolder'> {
  readonly model: RunModel;
  /** What its author is told of at once. */
  readonly warnings: readonly Problem[];
}

/**
 * Checks everything that can be checked before a container is made.
 * @throws ProblemError `agent_unknown`, `package_invalid`, `input_invalid`, `input_files_too_large`,
 * `model_unknown`, `missing_integration_connection` …
 */
export async function prepareRun(
  request: StartRequest,
  { library, models, integrations: services }: PreparationServices,
  { runId, documentFolder }: RunPlace,
): Promise<PreparedRun> {
  const loaded = await library.load(request.agent);
  const timeoutSeconds = Math.min(request.timeoutSeconds ?? loaded.timeoutSeconds, MAX_TIMEOUT_SECONDS);
  const agent = { ...loaded, timeoutSeconds };
  checkSizes(request.files);
  const checked = validateRunInput(agent, request.input, request.files);
  const integrations = await bindIntegrations(
    agent,
    request.integrations === 'none' ? 'none' : request.connections,
    services,
  );
  const {
    files: packageFiles,
    skills,
    notes,
    warnings,
  } = await packageFilesOf(agent.packages, integrations.plan);
  const model = await models.open(request.model, { runId, agentId: agent.id });
  const { workspaceFiles, inputFiles } = nameFiles(checked.files, documentFolder);
  return {
    agent,
    model,
    input: withDocumentPaths(checked.input, inputFiles, agent.inputSchema),
    inputFiles,
    workspaceFiles: [...workspaceFiles, ...packageFiles],
    packageFiles,
    skills,
    serviceNames: calledServices(integrations),
    serviceNotes: notes,
    integrations,
    replay: undefined,
    warnings: [...agent.warnings, ...integrations.warnings, ...warnings],
  };
}
