import type { Readable } from 'node:stream';
import type {
  PlaygroundFile,
  PlaygroundResult,
  PlaygroundState,
  PlaygroundTool,
} from '#shared/ipc/playground-routes.ts';

/** What a call by hand is made of. */
export interface PlaygroundRequest {
  readonly integrationId: string;
  readonly connectionId: string;
  /** Name of the tool, as a model would call it. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Calls an integration's tools by hand, as a run would. */
export interface PlaygroundService {
  state(): PlaygroundState;
  onState(listener: (state: PlaygroundState) => void): () => void;
  /** @throws ProblemError `integration_unknown`, `connection_unknown`, `sidecar_settings_invalid`. */
  describe(
    integrationId: string,
    connectionId: string,
  ): Promise<{ tools: PlaygroundTool[]; files: PlaygroundFile[] }>;
  /**
   * Begins a call and gives its id.
   * @throws ProblemError `tool_unknown`, `call_running` while another of the same connection is under way.
   */
  start(request: PlaygroundRequest): Promise<string>;
  /** Ends a call that is under way. @throws ProblemError `call_unknown`. */
  cancel(callId: string): void;
  /** @throws ProblemError `call_unknown`. */
  result(callId: string): PlaygroundResult;
  clear(integrationId: string): Promise<void>;
  /** Keeps a file under its name, or one beside it that is free. @throws ProblemError `file_too_large`. */
  addFile(
    integrationId: string,
    file: { readonly originalName: string; readonly size: number; open(): Promise<Readable> },
  ): Promise<PlaygroundFile>;
  /** @throws ProblemError `file_unknown`. */
  openFile(
    integrationId: string,
    path: string,
  ): Promise<{ readonly size: number; stream(start: number, end: number): Readable }>;
}
