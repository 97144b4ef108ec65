import type { Readable } from 'node:stream';
import type { RunEvent } from '#shared/events/run-event.ts';
import type { ChosenConnections } from '#shared/ipc/connection-routes.ts';
import type { ModelReference } from '#shared/models/model.ts';
import type { CallExportFormat, CallFilter, RecordedCall } from '#shared/runs/recorded-call.ts';
import type { RunDifference } from '#shared/runs/differences.ts';
import type { KeptFolder, ReplayMode, RunDetail, RunPosition, RunSummary } from '#shared/runs/run.ts';

/** A file to give a run: its bytes are read once, when the workspace is filled. */
export interface InputFile {
  readonly field: string | undefined;
  readonly originalName: string;
  readonly size: number;
  open(): Promise<Readable>;
}

export interface StartRequest {
  readonly agent: string;
  readonly input: Record<string, unknown>;
  readonly files: readonly InputFile[];
  readonly model: ModelReference | undefined;
  /** `none` leaves the agent without the tools of its integrations; else they use the author's accounts. */
  readonly integrations?: 'local' | 'none' | undefined;
  /** By integration; one that is left out takes what its agent remembers, or the only connection there is. */
  readonly connections?: ChosenConnections | undefined;
  /** What `app` chooses, the agent remembers; a terminal's choice is for its run alone. */
  readonly trigger: RunSummary['trigger'];
  /** Takes the place of the manifest's time limit for this run; held to the ceiling. */
  readonly timeoutSeconds?: number | undefined;
}

/** Another run of what a run was given, in which the world answers as it did then. */
export interface ReplayRequest {
  readonly runId: string;
  /** Whether the model answers as it did, or is asked anew. */
  readonly mode: ReplayMode;
  /** The agent to ask a live model for; the recorded run's, as it is now, when absent. */
  readonly agent?: string | undefined;
  /** The live model; the recorded run's when absent. */
  readonly model?: ModelReference | undefined;
  readonly trigger: RunSummary['trigger'];
}

/** A file that is kept with a run. */
export interface KeptFile {
  readonly size: number;
  readonly mediaType: string;
  /** Bytes from `start` to `end`, both inclusive; all of them without. */
  stream(start?: number, end?: number): Readable;
}

/** An audit as a file to save. */
export interface ExportedCalls {
  readonly fileName: string;
  readonly mediaType: string;
  readonly text: string;
}

/** Starts, follows, stops and keeps runs. */
export interface RunService {
  /**
   * Checks everything that can be checked before a container is made, then queues the run.
   * @throws ProblemError `agent_unknown`, `package_invalid`, `input_invalid`, `input_files_too_large`, `model_unknown`, `missing_integration_connection` …
   */
  start(request: StartRequest): Promise<RunSummary>;
  /**
   * Queues a replay. It has no way out and no credential: a call that was not recorded ends it.
   * @throws ProblemError `run_unknown`, `run_active`, `recording_missing`, `recording_damaged`, `input_file_gone` …
   */
  replay(request: ReplayRequest): Promise<RunSummary>;
  /** Where a replay came out otherwise than the run it replays. @throws ProblemError `run_unknown`, `no_replay`. */
  differences(runId: string): RunDifference[];
  /** Resolves when the run has ended; within 3 s of the call. Safe to repeat. @throws ProblemError `run_unknown`, `run_elsewhere`. */
  stop(runId: string): Promise<void>;
  /** Resolves when the run has ended; at once when it is not active. */
  ended(runId: string): Promise<void>;
  /** Gets an idle pair ready for the next run, where the engine and the image are there anyway. */
  warmUp(signal: AbortSignal): Promise<void>;
  /** Removes the idle pair. */
  coolDown(): Promise<void>;
  list(filter: { agentId?: string | undefined; limit: number; before?: RunPosition | undefined }): {
    runs: RunSummary[];
    hasMore: boolean;
  };
  /** @throws ProblemError `run_unknown`. */
  get(runId: string): RunDetail;
  /** Removes a run that has ended, with its files. @throws ProblemError `run_unknown`, `run_active`. */
  remove(runId: string): Promise<void>;
  /** Events after a sequence number, oldest first. */
  events(runId: string, after: number, limit: number): RunEvent[];
  /** A run's requests to services after a sequence number, oldest first. @throws ProblemError `run_unknown`. */
  calls(
    runId: string,
    filter: CallFilter,
    page: { readonly after: number; readonly limit: number },
  ): { calls: RecordedCall[]; total: number };
  /** All of those that fit, as a file. @throws ProblemError `run_unknown`. */
  exportCalls(runId: string, filter: CallFilter, format: CallExportFormat): ExportedCalls;
  /** Told after new events are on disk. */
  onEvents(runId: string, listener: () => void): () => void;
  /** Told when a run's summary changed or the run was removed. */
  onSummary(
    listener: (change: { kind: 'changed'; run: RunSummary } | { kind: 'removed'; runId: string }) => void,
  ): () => void;
  /** Opens a kept file, of the outputs unless it says otherwise. @throws ProblemError `run_unknown`, `file_unknown`. */
  openOutput(runId: string, path: string, folder?: KeptFolder): Promise<KeptFile>;
  /** Folder with the kept outputs of a run. */
  outputFolder(runId: string): string;
  [Symbol.asyncDispose](): Promise<void>;
}
