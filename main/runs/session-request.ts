import type { RunnableAgent } from '#main/library/library.ts';
import type { RunModel } from '#main/models/model-gateway.ts';
import type { RunInputFile } from '#shared/runs/run.ts';
import type { RecordedTool } from '#shared/protocol/cassette.ts';
import type { ServiceNotes } from '#shared/runs/system-prompt.ts';
import type { CassetteWriter } from './cassette/cassette-writer.ts';
import type { Replay } from './cassette/replay.ts';
import type { BoundIntegrations } from './run-integrations.ts';
import type { WorkspaceFile } from './workspace-archive.ts';

/** What a run needs of its agent once it is loaded. */
export type SessionAgent = Pick<
  RunnableAgent,
  | 'id'
  | 'version'
  | 'displayName'
  | 'manifestText'
  | 'promptText'
  | 'runtimeTools'
  | 'outputSchema'
  | 'timeoutSeconds'
>;

/** A recording that is played to a run. */
export interface SessionReplay {
  /** The recorded run. */
  readonly runId: string;
  readonly replay: Replay;
  readonly services: readonly RecordedTool[];
  /** The prompt as it was; made anew when absent. */
  readonly systemPrompt: string | undefined;
}

/** What one run is made of, read and checked before it begins. */
export interface SessionRequest {
  readonly agent: SessionAgent;
  readonly model: RunModel;
  readonly input: Record<string, unknown>;
  readonly inputFiles: readonly RunInputFile[];
  readonly workspaceFiles: readonly WorkspaceFile[];
  /** Folders of the workspace with skills. */
  readonly skills: readonly string[];
  /** Names of the services that it may call. */
  readonly serviceNames: readonly string[];
  readonly serviceNotes: readonly ServiceNotes[];
  readonly integrations: BoundIntegrations;
  /** The files of the agent's packages, which are among the workspace's. */
  readonly packageFiles: readonly WorkspaceFile[];
  /** Where what it hears is recorded; a replay has none. */
  readonly cassette: CassetteWriter | undefined;
  /** Answers in the place of the world. */
  readonly replay: SessionReplay | undefined;
  /** Where the kept outputs go. */
  readonly outputFolder: string;
  /** Where results go that were too large for the conversation. */
  readonly resourceFolder: string;
}
