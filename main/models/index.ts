import type { SecretStore } from '#main/secrets/secret-store.ts';
import type { ProviderKind } from '#shared/models/model.ts';
import type { ConfigurationStore } from './configuration.ts';
import { ProviderGateway } from './gateway.ts';
import {
  DEFAULT_MODEL_TIMEOUTS,
  HttpClient,
  type DispatcherSource,
  type ModelTimeouts,
} from './http-client.ts';
import type { ModelGateway } from './model-gateway.ts';

export type { ConfigurationStore } from './configuration.ts';
export type { ModelTimeouts } from './http-client.ts';
export { createReplayedModel, type RecordedModelAnswer } from './replayed-model.ts';
export type {
  ModelFailure,
  ModelGateway,
  RelayedRequest,
  RelayedResponse,
  RunModel,
} from './model-gateway.ts';

export interface ModelGatewayOptions {
  /** Where keys are kept, each as `model-provider/<id>`. */
  readonly secrets: SecretStore;
  /** Where everything else about the providers is kept. */
  readonly configuration: ConfigurationStore;
  /** Time limits in milliseconds: 10 s to connect, 5 min to the first byte, 2 min between bytes. */
  readonly timeouts?: Partial<ModelTimeouts>;
  /** Milliseconds between two pieces of the walkthrough's answers: 15 lets a person watch. None by default. */
  readonly walkthroughPaceMs?: number;
  /** Looks for Ollama and LM Studio on this computer, now and whenever the providers are listed. */
  readonly discoversLocalServers?: boolean;
  /** What requests go by; a direct way when absent. */
  readonly dispatcherFor?: DispatcherSource;
  /** Addresses of the providers that come with the app, where they are not the usual ones. */
  readonly addresses?: Partial<Record<ProviderKind, string>>;
}

/** Makes the app's gateway to models. It opens no connection before it is asked to. */
export function createModelGateway(options: ModelGatewayOptions): ModelGateway {
  return new ProviderGateway({
    secrets: options.secrets,
    configuration: options.configuration,
    client: new HttpClient({ ...DEFAULT_MODEL_TIMEOUTS, ...options.timeouts }, options.dispatcherFor),
    walkthroughPaceMs: options.walkthroughPaceMs ?? 0,
    discoversLocalServers: options.discoversLocalServers ?? false,
    addresses: options.addresses ?? {},
  });
}
