import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createReplayedModel } from '#main/models/index.ts';
import { ProblemError } from '#shared/problem.ts';
import { DOCUMENTS_FOLDER } from '#shared/protocol/layout.ts';
import { DEFAULT_SIDECAR_LIMITS } from '#shared/tools/sidecar-limits.ts';
import { isFinalStatus, type RunDetail, type RunInputFile } from '#shared/runs/run.ts';
import { openKeptDocument } from '../kept-document.ts';
import type { PreparationServices, PreparedRun, RunPlace } from '../prepare-run.ts';
import type { ReplayRequest } from '../run-service.ts';
import type { SessionAgent } from '../session-request.ts';
import type { WorkspaceFile } from '../workspace-archive.ts';
import { readCassette, type Cassette } from './read-cassette.ts';
import { Replay } from './replay.ts';

/** A run that is to be run again, and where it is kept. */
export interface RecordedRun {
  readonly detail: RunDetail;
  readonly cassetteFile: string;
  readonly documentFolder: string;
}

/**
 * Prepares a run that asks nobody: its services answer as they did for another run, and its model too unless
 * it is to be asked anew. Then the agent is the one there is now, with the input that the other one had.
 * @throws ProblemError `run_active`, `recording_missing`, `recording_damaged`, `input_file_gone`, and for a
 * live model what loading the agent and opening the model throws
 */
export async function prepareReplay(
  request: ReplayRequest,
  recorded: RecordedRun,
  { library, models }: Pick<PreparationServices, 'library' | 'models'>,
  { runId, documentFolder }: RunPlace,
): Promise<PreparedRun> {
  const { detail } = recorded;
  if (!isFinalStatus(detail.summary.status)) throw stillRunning();
  const cassette = await readCassette(recorded.cassetteFile);
  const { head } = cassette;
  const replay = new Replay(cassette);
  const isLive = request.mode === 'live';
  const { agentId } = detail.summary;
  const loaded = isLive ? await library.load(request.agent ?? agentId) : undefined;
  const model = isLive
    ? await models.open(request.model ?? detail.summary.model, { runId, agentId })
    : createReplayedModel(head.model, () => replay.nextModelAnswer());
  const packageFiles = cassette.files.map(recordedFile);
  return {
    agent: loaded ?? agentAsItWas(detail, cassette),
    model,
    input: detail.input,
    inputFiles: detail.inputFiles,
    workspaceFiles: [
      ...detail.inputFiles.map((file) => keptDocument(file, recorded.documentFolder, documentFolder)),
      ...packageFiles,
    ],
    packageFiles,
    skills: head.skills,
    serviceNames: head.serviceNames,
    serviceNotes: head.serviceNotes,
    integrations: {
      plan: [],
      servers: [],
      limits: DEFAULT_SIDECAR_LIMITS,
      internalHosts: [],
      warnings: [],
    },
    replay: {
      runId: detail.summary.id,
      replay,
      services: head.services,
      systemPrompt: isLive ? undefined : head.systemPrompt,
    },
    warnings: loaded?.warnings ?? [],
  };
}

function agentAsItWas(
  { summary, manifestText, promptText, outputSchema }: RunDetail,
  { head }: Cassette,
): SessionAgent {
  return {
    id: summary.agentId,
    version: summary.agentVersion,
    displayName: summary.agentName,
    manifestText,
    promptText,
    outputSchema,
    runtimeTools: head.runtimeTools,
    timeoutSeconds: head.timeoutSeconds,
  };
}

/** The copy that the recorded run kept, of which this one keeps another. */
function keptDocument(
  { name, originalName, size, kept }: RunInputFile,
  from: string,
  to: string,
): WorkspaceFile {
  if (kept === false) throw documentGone(originalName);
  const file = { open: () => Promise.resolve(createReadStream(join(from, name))) };
  return {
    path: `${DOCUMENTS_FOLDER}/${name}`,
    size,
    shownName: originalName,
    open: (signal) => openKeptDocument(file, join(to, name), signal),
  };
}

function recordedFile({ path, isExecutable, data }: Cassette['files'][number]): WorkspaceFile {
  const bytes = Buffer.from(data, 'base64');
  return {
    path,
    size: bytes.length,
    shownName: path,
    isExecutable,
    open: () => Promise.resolve(Readable.from([bytes])),
  };
}

function stillRunning(): ProblemError {
  return new ProblemError({
    code: 'run_active',
    title: 'The run has not ended',
    detail: 'A run can be replayed once it has ended.',
    action: 'Wait for its end, or stop it.',
  });
}

function documentGone(name: string): ProblemError {
  return new ProblemError({
    code: 'input_file_gone',
    title: 'An input file of the run is no longer kept',
    detail: `"${name}" is not with the run any more, so it cannot be given to a replay.`,
    file: name,
  });
}
