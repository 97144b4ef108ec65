import type { RunnableAgent } from '#main/library/library.ts';
import type { RunModel } from '#main/models/model-gateway.ts';
import type { RunInputFile } from '#shared/runs/run.ts';
import type { ServiceNotes } from '#shared/runs/system-prompt.ts';
import type { BoundIntegrations } from './run-integrations.ts';
import type { WorkspaceFile } from './workspace-archive.ts';

/** What one run is made of, read and checked before it begins. */
export interface SessionRequest {
  readonly agent: RunnableAgent;
  readonly model: RunModel;
  readonly input: Record<string, unknown>;
  readonly inputFiles: readonly RunInputFile[];
  readonly workspaceFiles: readonly WorkspaceFile[];
  /** Folders of the workspace with skills. */
  readonly skills: readonly string[];
  readonly serviceNotes: readonly ServiceNotes[];
  readonly integrations: BoundIntegrations;
  /** Where the kept outputs go. */
  readonly outputFolder: string;
  /** Where results go that were too large for the conversation. */
  readonly resourceFolder: string;
}
