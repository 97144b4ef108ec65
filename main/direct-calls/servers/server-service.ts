import type { Readable } from 'node:stream';
import type {
  ProtocolEntry,
  ServerList,
  ServerRequest,
  ServerState,
  ServerTrial,
} from '#shared/ipc/server-routes.ts';

/** The protocol log of one session, followed while a page shows it. */
export interface FollowedLog {
  /** Entries after a sequence number, the oldest first. */
  after(sequence: number, limit: number): readonly ProtocolEntry[];
  onEntry(listener: () => void): () => void;
  /** Keeps the session open; without any page for a while it is closed. */
  watch(): Disposable;
}

/** A file as a person dropped it. */
export interface DroppedFile {
  readonly originalName: string;
  readonly size: number;
  open(): Promise<Readable>;
}

/** All pages of one of a server's lists. */
export interface ServerItems {
  /** Cleaned of what a person would not see. */
  readonly items: Record<string, unknown>[];
  readonly pages: number;
  /** Tools that no agent would be offered. */
  readonly refused: { name: string; reason: string }[];
}

/** MCP servers that a person looks at and calls by hand, in the library or not yet. */
export interface ServerService {
  state(): ServerState;
  onState(listener: (state: ServerState) => void): () => void;
  /**
   * Begins a connection and gives its id; one of the same server is closed first.
   * @throws ProblemError `integration_unknown`, `connection_unknown`, `sidecar_settings_invalid`
   */
  open(subject: string, connectionId: string | undefined): Promise<string>;
  /** @throws ProblemError `server_session_unknown` */
  close(sessionId: string): Promise<void>;
  /** @throws ProblemError `server_session_unknown`, `server_not_connected`, `mcp_…` */
  list(sessionId: string, list: ServerList, signal: AbortSignal): Promise<ServerItems>;
  /** @throws ProblemError `server_session_unknown`, `server_not_connected`, `mcp_…` */
  request(
    sessionId: string,
    request: ServerRequest,
    signal: AbortSignal,
  ): Promise<{ result: Record<string, unknown>; durationMs: number }>;
  /** @throws ProblemError `server_session_unknown` */
  log(sessionId: string): FollowedLog;
  /** The log as JSON lines. @throws ProblemError `server_session_unknown` */
  exportLog(sessionId: string): { fileName: string; text: string };
  /** @throws ProblemError `package_name_invalid`, `package_name_taken`, `server_address_invalid`, `too_many_trials` */
  tryAddress(address: {
    readonly integrationId: string;
    readonly url: string;
    readonly transport: 'streamable-http' | 'sse';
    readonly header: string;
    readonly prefix: string;
  }): Promise<ServerTrial>;
  /** @throws ProblemError `bundle_not_one_server`, `package_invalid`, `archive_…`, `too_many_trials` */
  tryBundle(file: DroppedFile, authorizedUris: readonly string[], signal: AbortSignal): Promise<ServerTrial>;
  /** Ends a trial, with the accounts that were connected for it. @throws ProblemError `trial_unknown`, `vault_locked`. */
  forget(integrationId: string): Promise<void>;
  /**
   * Keeps a trial in the library; accounts that were connected for it stay connected.
   * @throws ProblemError `trial_unknown`, `server_not_connected`, `package_name_taken`
   */
  save(
    integrationId: string,
    identity: { readonly displayName: string; readonly description?: string | undefined },
    signal: AbortSignal,
  ): Promise<{ name: string }>;
}
