import type { ConnectionService, ToolReviewService } from '#main/connections/index.ts';
import type { CredentialProxies, PlaygroundService, ServerService } from '#main/direct-calls/index.ts';
import type { EngineDirectory } from '#main/engines/engine.ts';
import type { PackageService } from '#main/library/index.ts';
import type { Library } from '#main/library/library.ts';
import type { MemoryService } from '#main/memory/index.ts';
import type { ModelGateway } from '#main/models/model-gateway.ts';
import type { AuthorNetwork } from '#main/network/index.ts';
import type { Offers } from '#main/offering/index.ts';
import type { RunService } from '#main/runs/run-service.ts';
import type { SessionSecretStore } from '#main/secrets/secret-store.ts';
import type { TypedTextService } from '#main/typed-texts/index.ts';
import type { Settings } from '#shared/settings/settings.ts';

/** The author's choices, kept on disk. */
export interface SettingsStore {
  get(): Settings;
  update(change: Partial<Settings>): Settings;
  onChange(listener: (settings: Settings) => void): () => void;
}

/** All services of the app, made once by a shell and ended with it. */
export interface Application extends AsyncDisposable {
  readonly engines: EngineDirectory;
  readonly library: Library;
  readonly packages: PackageService;
  readonly connections: ConnectionService;
  readonly toolReviews: ToolReviewService;
  readonly network: AuthorNetwork;
  readonly playground: PlaygroundService;
  readonly servers: ServerService;
  readonly credentialProxies: CredentialProxies;
  /** Agents and tools for MCP clients outside of the app. */
  readonly offers: Offers;
  readonly models: ModelGateway;
  readonly runs: RunService;
  /** What agents remember from run to run. */
  readonly memory: MemoryService;
  readonly secrets: SessionSecretStore;
  readonly settings: SettingsStore;
  readonly typedTexts: TypedTextService;
  readonly dataDirectory: string;
  readonly version: string;
}
