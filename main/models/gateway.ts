import type { SecretStore } from '#main/secrets/secret-store.ts';
import type { RouteInput, RouteOutput } from '#shared/ipc/routes.ts';
import type { ModelReference, ProviderKind, ProviderState } from '#shared/models/model.ts';
import { ProblemError } from '#shared/problem.ts';
import { cleanKey } from './authorization.ts';
import { assertSafeForKey, isLoopback, normaliseBaseUrl } from './base-url.ts';
import { catalogueOf } from './catalogue.ts';
import {
  readConfiguration,
  type ConfigurationStore,
  type ModelConfiguration,
  type ProviderRecord,
} from './configuration.ts';
import type { HttpClient } from './http-client.ts';
import { HttpTransport } from './http-transport.ts';
import { listModels, type ListTarget } from './list-models.ts';
import type { LiveModel } from './live-model.ts';
import { MeteredRunModel } from './metered-run-model.ts';
import { describeModel, describeModels, type KnownModel, type ModelSource } from './model-descriptions.ts';
import type { ModelGateway, RunModel } from './model-gateway.ts';
import { BUILT_IN_KINDS, PROVIDER_DEFINITIONS, secretName } from './provider-definitions.ts';
import { makeProviderId, PROVIDER_ID } from './provider-id.ts';
import { WALKTHROUGH_MODEL, WalkthroughTransport } from './walkthrough/index.ts';

export interface GatewayServices {
  readonly secrets: SecretStore;
  readonly configuration: ConfigurationStore;
  readonly client: HttpClient;
  /** Milliseconds between two pieces of the walkthrough's answers. */
  readonly walkthroughPaceMs: number;
  /** Looks for local servers whenever the providers are listed. */
  readonly discoversLocalServers: boolean;
  /** Addresses of the providers that come with the app, where they are not the usual ones. */
  readonly addresses: Partial<Record<ProviderKind, string>>;
}

/** Milliseconds a provider has to list its models when the author asks. */
const LIST_TIMEOUT_MS = 15_000;
/** Milliseconds a local server has to answer when it is looked for. */
const DISCOVERY_TIMEOUT_MS = 1_000;
/** Milliseconds for which a look at the local servers stays good. */
const DISCOVERY_VALID_MS = 15_000;

const WALKTHROUGH: ModelReference = { providerId: 'walkthrough', modelId: 'walkthrough' };
const LOCAL_KINDS = ['ollama', 'lmstudio'] as const;

/** A provider with its record and its definition made one. */
interface Provider {
  readonly id: string;
  readonly kind: ProviderKind;
  readonly displayName: string;
  readonly baseUrl: string;
  readonly hasKey: boolean;
  readonly live: readonly LiveModel[];
}

/** The configured providers. Configuration is read anew each time: another process may have changed it. */
export class ProviderGateway implements ModelGateway {
  readonly #services: GatewayServices;
  readonly #listeners = new Set<(state: RouteOutput<'models.list'>) => void>();
  readonly #lifetime = new AbortController();
  /** Models of local servers that answered, by provider. */
  readonly #discovered = new Map<string, readonly LiveModel[]>();
  /** Lists that tests brought, kept for the moment the provider is saved. */
  readonly #testedLists = new Map<string, readonly LiveModel[]>();
  readonly #stopListening: () => void;
  #discovery: Promise<void> | undefined;
  #discoveredAt = Number.NEGATIVE_INFINITY;

  constructor(services: GatewayServices) {
    this.#services = services;
    this.#stopListening = services.secrets.onState(() => this.#announce());
    if (services.discoversLocalServers) void this.#discover();
  }

  async list(): Promise<RouteOutput<'models.list'>> {
    if (this.#services.discoversLocalServers && performance.now() - this.#discoveredAt > DISCOVERY_VALID_MS) {
      void this.#discover();
    }
    return this.#state();
  }

  onChange(listener: (state: RouteOutput<'models.list'>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async save(input: RouteInput<'models.saveProvider'>): Promise<ProviderState> {
    const before = this.#existing(input);
    const kind = before?.kind ?? input.kind;
    if (kind === 'walkthrough') throw unchangeable();
    const definition = PROVIDER_DEFINITIONS[kind];
    const baseUrl = this.#addressFor(kind, input.baseUrl, before);
    const key = input.key === undefined ? undefined : cleanKey(input.key);
    const keepsKey = key === undefined && (before?.hasKey ?? false);
    if (keepsKey && before) assertSameOrigin(before.baseUrl, baseUrl);
    if (key || keepsKey) assertSafeForKey(baseUrl);

    const displayName = input.displayName?.trim() || before?.displayName || definition.displayName;
    const id = before?.id ?? this.#newId(input, displayName);
    // The key first: a record that claims a key which was not kept would be worse than one without.
    if (key) await this.#services.secrets.set(secretName(id), key);
    else if (key === '' && before?.hasKey) await this.#services.secrets.delete(secretName(id));
    const hasMoved = before !== undefined && before.baseUrl !== baseUrl;
    this.#update((configuration) => {
      const record: ProviderRecord = {
        id,
        kind,
        displayName,
        ...(definition.baseUrlEditable && { baseUrl }),
        hasKey: key ? true : keepsKey,
        models: [
          ...(this.#testedLists.get(listKey(kind, baseUrl)) ?? (hasMoved ? [] : (before?.live ?? []))),
        ],
      };
      return { ...configuration, providers: replaceById(configuration.providers, record) };
    });
    if (hasMoved) this.#discovered.delete(id);
    this.#announce();
    return this.#stateOf(this.#provider(id), await this.#keptKeys());
  }

  async remove(providerId: string): Promise<void> {
    const provider = this.#provider(providerId);
    if (provider.kind !== 'openai-compatible') throw unchangeable();
    if (provider.hasKey) await this.#services.secrets.delete(secretName(providerId));
    this.#update(({ providers, defaultModel }) => ({
      providers: providers.filter(({ id }) => id !== providerId),
      ...(defaultModel && defaultModel.providerId !== providerId && { defaultModel }),
    }));
    this.#announce();
  }

  async test(input: RouteInput<'models.test'>, signal: AbortSignal): Promise<RouteOutput<'models.test'>> {
    const before = this.#existing(input);
    const kind = before?.kind ?? input.kind;
    if (kind === 'walkthrough') return { models: [WALKTHROUGH_MODEL], latencyMs: 0 };
    const baseUrl = this.#addressFor(kind, input.baseUrl, before);
    const providerName = before?.displayName ?? PROVIDER_DEFINITIONS[kind].displayName;
    let key = input.key === undefined ? undefined : cleanKey(input.key) || undefined;
    const usesKept = input.key === undefined && (before?.hasKey ?? false);
    if (usesKept && before) {
      assertSameOrigin(before.baseUrl, baseUrl);
      key = await this.#services.secrets.get(secretName(before.id));
    }
    if (PROVIDER_DEFINITIONS[kind].keyRequirement === 'required' && key === undefined) {
      throw keyMissing(providerName);
    }
    if (key !== undefined) assertSafeForKey(baseUrl);
    const startedAt = performance.now();
    const live = await this.#listLive({ kind, providerName, baseUrl, key }, LIST_TIMEOUT_MS, signal);
    const latencyMs = performance.now() - startedAt;
    this.#testedLists.set(listKey(kind, baseUrl), live);
    if (before && before.baseUrl === baseUrl && (usesKept || input.key === undefined)) {
      this.#keepList(before, live);
    }
    const source = await this.#source({ id: before?.id ?? kind, kind, baseUrl });
    return { models: describeModels(source, live).map(({ description }) => description), latencyMs };
  }

  async setDefault(reference: ModelReference): Promise<void> {
    this.#provider(reference.providerId);
    this.#update((configuration) => ({ ...configuration, defaultModel: reference }));
    this.#announce();
  }

  parseReference(text: string): ModelReference {
    const reference = text.trim();
    if (reference === WALKTHROUGH.providerId) return WALKTHROUGH;
    const slash = reference.indexOf('/');
    if (slash <= 0 || slash === reference.length - 1) {
      throw modelUnknown(
        `"${reference}" does not name a model.`,
        'Write it as provider/model, such as anthropic/claude-sonnet-4-5, or walkthrough.',
      );
    }
    const { id } = this.#provider(reference.slice(0, slash));
    const parsed = { providerId: id, modelId: reference.slice(slash + 1) };
    if (id === WALKTHROUGH.providerId && parsed.modelId !== WALKTHROUGH.modelId) {
      throw modelUnknown('The walkthrough has one script only.', 'Write walkthrough alone.');
    }
    return parsed;
  }

  async open(
    reference: ModelReference | undefined,
    run: { runId: string; agentId: string },
  ): Promise<RunModel> {
    const { providerId, modelId } = reference ?? this.#defaultModel();
    const provider = this.#provider(providerId);
    if (provider.kind === 'walkthrough') {
      if (modelId !== WALKTHROUGH.modelId) {
        throw modelUnknown('The walkthrough has one script only.', 'Choose another model.');
      }
      return new MeteredRunModel({
        description: WALKTHROUGH_MODEL,
        prices: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, tiers: [] },
        transport: new WalkthroughTransport({
          agentId: run.agentId,
          paceMs: this.#services.walkthroughPaceMs,
        }),
        key: undefined,
      });
    }
    const key = provider.hasKey ? await this.#services.secrets.get(secretName(providerId)) : undefined;
    if (PROVIDER_DEFINITIONS[provider.kind].keyRequirement === 'required' && key === undefined) {
      throw keyMissing(provider.displayName);
    }
    const { description, prices, baseUrl } = await this.#findModel(provider, provider.kind, modelId, key);
    const transport = new HttpTransport({
      client: this.#services.client,
      kind: provider.kind,
      providerName: provider.displayName,
      baseUrl,
      key,
    });
    return new MeteredRunModel({ description, prices, transport, key });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening();
    this.#listeners.clear();
    this.#lifetime.abort(new DOMException('The app is closing.', 'AbortError'));
    await this.#discovery;
    await this.#services.client[Symbol.asyncDispose]();
  }

  /** The model by its id; a provider is asked when neither its last list nor the catalogue has it. */
  async #findModel(
    provider: Provider,
    kind: Exclude<ProviderKind, 'walkthrough'>,
    modelId: string,
    key: string | undefined,
  ): Promise<KnownModel> {
    const source = await this.#source(provider);
    const live = this.#liveModels(provider);
    const known = live.find(({ id }) => id === modelId);
    if (known) return describeModel(source, known);
    if (live.length === 0 && source.catalogue.has(modelId)) return describeModel(source, { id: modelId });

    const { displayName: providerName, baseUrl } = provider;
    const isVendor = PROVIDER_DEFINITIONS[kind].keyRequirement === 'required';
    let listed: LiveModel[];
    try {
      listed = await this.#listLive(
        { kind, providerName, baseUrl, key },
        LIST_TIMEOUT_MS,
        this.#lifetime.signal,
      );
    } catch (error) {
      const code = error instanceof ProblemError ? error.problem.code : '';
      // A server without a list may still have the model; a server that is not there has none.
      if (isVendor || code === 'model_unreachable' || code === 'model_key_refused') throw error;
      return describeModel(source, { id: modelId });
    }
    this.#keepList(provider, listed);
    const found = listed.find(({ id }) => id === modelId);
    if (found) return describeModel(source, found);
    throw modelUnknown(`${providerName} has no model "${modelId}".`, suggestModels(modelId, listed));
  }

  #listLive(target: ListTarget, timeoutMs: number, signal: AbortSignal): Promise<LiveModel[]> {
    const either = AbortSignal.any([signal, this.#lifetime.signal]);
    return listModels(this.#services.client, target, { timeoutMs }, either);
  }

  #keepList(provider: Provider, live: readonly LiveModel[]): void {
    this.#update((configuration) => {
      const record = configuration.providers.find(({ id }) => id === provider.id) ?? {
        id: provider.id,
        kind: provider.kind,
        hasKey: provider.hasKey,
      };
      const providers = replaceById(configuration.providers, { ...record, models: [...live] });
      return { ...configuration, providers };
    });
    this.#announce();
  }

  /** Looks for local servers; what is found or gone is told to the listeners. */
  #discover(): Promise<void> {
    this.#discovery ??= this.#lookForLocalServers().finally(() => {
      this.#discoveredAt = performance.now();
      this.#discovery = undefined;
    });
    return this.#discovery;
  }

  async #lookForLocalServers(): Promise<void> {
    const before = JSON.stringify([...this.#discovered]);
    await Promise.all(
      LOCAL_KINDS.map(async (kind) => {
        const { id, displayName: providerName, baseUrl } = this.#provider(kind);
        if (!isLoopback(baseUrl)) return;
        try {
          const target = { kind, providerName, baseUrl, key: undefined };
          this.#discovered.set(id, await this.#listLive(target, DISCOVERY_TIMEOUT_MS, this.#lifetime.signal));
        } catch (error) {
          const answered = error instanceof ProblemError && error.problem.code === 'model_key_refused';
          if (answered) this.#discovered.set(id, []);
          else this.#discovered.delete(id);
        }
      }),
    );
    if (JSON.stringify([...this.#discovered]) !== before) this.#announce();
  }

  #announce(): void {
    if (this.#listeners.size === 0) return;
    void this.#state().then((state) => {
      for (const listener of this.#listeners) listener(state);
    });
  }

  async #state(): Promise<RouteOutput<'models.list'>> {
    const keys = await this.#keptKeys();
    const providers = await Promise.all(this.#providers().map((provider) => this.#stateOf(provider, keys)));
    return { providers, defaultModel: this.#defaultModel() };
  }

  async #stateOf(provider: Provider, keys: ReadonlySet<string> | undefined): Promise<ProviderState> {
    const { id, kind, displayName, baseUrl } = provider;
    const { baseUrlEditable, keyRequirement } = PROVIDER_DEFINITIONS[kind];
    const hasKey = keys ? keys.has(secretName(id)) : provider.hasKey;
    const isKeyUsable = hasKey && keys !== undefined;
    const live = this.#liveModels(provider);
    const isDiscovered = this.#discovered.has(id);
    return {
      id,
      kind,
      displayName,
      baseUrl,
      baseUrlEditable,
      keyRequirement,
      hasKey,
      ready: isReady(),
      ...(isDiscovered && { discovered: true }),
      removable: kind === 'openai-compatible',
      models: await this.#modelsToShow(provider, live, hasKey),
    };

    function isReady(): boolean {
      switch (keyRequirement) {
        case 'none':
          return true;
        case 'required':
          return isKeyUsable;
        case 'optional':
          if (hasKey && !isKeyUsable) return false;
          if (kind === 'openai-compatible') return true;
          return isLoopback(baseUrl) ? isDiscovered : live.length > 0;
      }
    }
  }

  async #modelsToShow(provider: Provider, live: readonly LiveModel[], hasKey: boolean) {
    if (provider.kind === 'walkthrough') return [WALKTHROUGH_MODEL];
    // The catalogue of a provider nobody uses is not worth loading.
    if (!hasKey && live.length === 0) return [];
    return describeModels(await this.#source(provider), live).map(({ description }) => description);
  }

  async #source({ id, kind, baseUrl }: Pick<Provider, 'id' | 'kind' | 'baseUrl'>): Promise<ModelSource> {
    return { providerId: id, kind, baseUrl, catalogue: await catalogueOf(kind, baseUrl) };
  }

  #liveModels(provider: Provider): readonly LiveModel[] {
    return this.#discovered.get(provider.id) ?? provider.live;
  }

  /** Names in the secret store, or `undefined` while it is locked. */
  async #keptKeys(): Promise<ReadonlySet<string> | undefined> {
    const { secrets } = this.#services;
    if (secrets.state.state === 'absent') return new Set();
    if (secrets.state.state === 'locked') return undefined;
    try {
      return new Set(await secrets.names());
    } catch {
      // A vault that cannot be read offers no keys; its own screen says why.
      return undefined;
    }
  }

  #providers(): Provider[] {
    const { providers } = readConfiguration(this.#services.configuration);
    const records = new Map(providers.map((record) => [record.id, record]));
    const builtIn = BUILT_IN_KINDS.map((kind) => this.#merge(kind, kind, records.get(kind)));
    const custom = providers
      .filter(({ kind, baseUrl }) => kind === 'openai-compatible' && baseUrl !== undefined)
      .map((record) => this.#merge(record.id, record.kind, record));
    return [...builtIn, ...custom];
  }

  #merge(id: string, kind: ProviderKind, record: ProviderRecord | undefined): Provider {
    const definition = PROVIDER_DEFINITIONS[kind];
    const usualAddress = this.#services.addresses[kind] ?? definition.baseUrl;
    return {
      id,
      kind,
      displayName: record?.displayName ?? definition.displayName,
      // An address that cannot be edited is the definition's, whatever a record says.
      baseUrl: (definition.baseUrlEditable ? record?.baseUrl : undefined) ?? usualAddress,
      hasKey: record?.hasKey ?? false,
      live: record?.models ?? [],
    };
  }

  #provider(id: string): Provider {
    const providers = this.#providers();
    const provider = providers.find((candidate) => candidate.id === id);
    if (provider) return provider;
    const names = providers.map((candidate) => candidate.id).join(', ');
    throw modelUnknown(`There is no provider "${id}".`, `Use one of: ${names}.`);
  }

  /** The provider that a request of the settings screen is about, where there is one already. */
  #existing({ id, kind }: { id?: string | undefined; kind: ProviderKind }): Provider | undefined {
    const wanted = kind === 'openai-compatible' ? id : kind;
    return wanted === undefined ? undefined : this.#providers().find((provider) => provider.id === wanted);
  }

  #addressFor(kind: ProviderKind, given: string | undefined, before: Provider | undefined): string {
    const { baseUrlEditable, baseUrl } = PROVIDER_DEFINITIONS[kind];
    if (!baseUrlEditable) return this.#services.addresses[kind] ?? baseUrl;
    if (given !== undefined) return normaliseBaseUrl(given, kind);
    const usual = before?.baseUrl ?? this.#services.addresses[kind] ?? baseUrl;
    if (usual !== '') return usual;
    throw new ProblemError({
      code: 'model_address_missing',
      title: 'The address is missing',
      detail: 'A model server of your own needs its address.',
      action: 'Enter an address such as http://127.0.0.1:8080/v1.',
      pointer: '/baseUrl',
    });
  }

  #newId({ id, kind }: RouteInput<'models.saveProvider'>, displayName: string): string {
    if (kind !== 'openai-compatible') return kind;
    const taken = new Set(this.#providers().map((provider) => provider.id));
    return id !== undefined && PROVIDER_ID.test(id) && !taken.has(id)
      ? id
      : makeProviderId(displayName, taken);
  }

  #defaultModel(): ModelReference {
    const { defaultModel } = readConfiguration(this.#services.configuration);
    const isThere = this.#providers().some(({ id }) => id === defaultModel?.providerId);
    return defaultModel && isThere ? defaultModel : WALKTHROUGH;
  }

  #update(change: (configuration: ModelConfiguration) => ModelConfiguration): void {
    const { configuration } = this.#services;
    configuration.write(change(readConfiguration(configuration)));
  }
}

function replaceById(records: readonly ProviderRecord[], record: ProviderRecord): ProviderRecord[] {
  const isNew = records.every(({ id }) => id !== record.id);
  return isNew ? [...records, record] : records.map((other) => (other.id === record.id ? record : other));
}

function listKey(kind: ProviderKind, baseUrl: string): string {
  return `${kind} ${baseUrl}`;
}

/** A kept key goes only where it was given for: who can change an address could else have it sent anywhere. */
function assertSameOrigin(keptFor: string, baseUrl: string): void {
  const { origin } = new URL(keptFor);
  if (origin === new URL(baseUrl).origin) return;
  throw new ProblemError({
    code: 'model_key_for_other_address',
    title: 'The kept key is for another address',
    detail: `The key that is kept was given for ${origin} and is not sent anywhere else.`,
    action: 'Enter the key for the new address, or remove the kept one.',
    pointer: '/key',
  });
}

function keyMissing(providerName: string): ProblemError {
  return new ProblemError({
    code: 'model_key_missing',
    title: `${providerName} needs a key`,
    detail: `No key is kept for ${providerName}.`,
    action: 'Enter the key in Settings, Models.',
  });
}

function unchangeable(): ProblemError {
  return new ProblemError({
    code: 'provider_fixed',
    title: 'This provider is part of Slipway',
    detail: 'Providers that come with Slipway cannot be removed, and the walkthrough has no settings.',
    action: 'To take a key away, save the provider with an empty key.',
  });
}

function modelUnknown(detail: string, action: string): ProblemError {
  return new ProblemError({ code: 'model_unknown', title: 'There is no such model', detail, action });
}

/** Models whose names share most with a mistyped one. */
function suggestModels(modelId: string, listed: readonly LiveModel[]): string {
  const words = modelId.toLowerCase().split(/[^a-z0-9]+/);
  const near = listed
    .map(({ id }) => ({
      id,
      score: words.filter((word) => word !== '' && id.toLowerCase().includes(word)).length,
    }))
    .sort((a, b) => b.score - a.score)
    .slice(0, 8)
    .map(({ id }) => id);
  return near.length > 0 ? `It has, among others: ${near.join(', ')}.` : 'It lists no models at all.';
}
