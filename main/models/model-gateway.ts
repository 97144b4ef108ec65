import type { ModelDescription, ModelReference, ProviderState, Usage } from '#shared/models/model.ts';
import type { RouteInput, RouteOutput } from '#shared/ipc/routes.ts';

/** A request of the sandbox to the run's model, as the sidecar relayed it. */
export interface RelayedRequest {
  readonly method: string;
  /** Path and query after the endpoint's base, such as `/chat/completions`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The provider's answer, as the sidecar passes it on. */
export interface RelayedResponse {
  readonly status: number;
  /** Only content-type, retry-after and rate-limit headers. */
  readonly headers: Record<string, string>;
  /** Pull-driven, so that a slow reader slows the provider's connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** What a provider answered in the place of a turn. */
export interface ModelFailure {
  readonly status: number;
  readonly detail: string;
  /** It does not take the key; not every provider says so with 401. */
  readonly isKeyRefused?: boolean;
}

/** One run's use of one model: adds the key, calls the one provider, meters what it answers. */
export interface RunModel {
  readonly description: ModelDescription;
  /**
   * Sends a request. A provider's own error statuses come back as a response, in the provider's form.
   * @throws ProblemError `model_unreachable`, `model_timeout`, `model_answered_nonsense`,
   *   `model_request_refused` for a path or a model that is not this run's.
   */
  send(request: RelayedRequest, signal: AbortSignal): Promise<RelayedResponse>;
  /** What the run has used so far; the listener is told after each response. */
  readonly usage: Usage;
  onUsage(listener: (usage: Usage) => void): () => void;
  /** The last error a provider answered with, for the run's verdict; no secret in it. */
  readonly lastFailure: ModelFailure | undefined;
}

/** The configured providers and their keys. Keys go in and never come out. */
export interface ModelGateway {
  list(): Promise<RouteOutput<'models.list'>>;
  onChange(
    listener: (state: { providers: ProviderState[]; defaultModel: ModelReference }) => void,
  ): () => void;
  save(input: RouteInput<'models.saveProvider'>): Promise<ProviderState>;
  remove(providerId: string): Promise<void>;
  test(input: RouteInput<'models.test'>, signal: AbortSignal): Promise<RouteOutput<'models.test'>>;
  setDefault(reference: ModelReference): Promise<void>;
  /**
   * Reads `provider/model`, or `walkthrough` alone.
   * @throws ProblemError `model_unknown`.
   */
  parseReference(text: string): ModelReference;
  /** @throws ProblemError `model_unknown`, `model_key_missing`, `vault_locked`. */
  open(reference: ModelReference | undefined, run: { runId: string; agentId: string }): Promise<RunModel>;
  [Symbol.asyncDispose](): Promise<void>;
}
