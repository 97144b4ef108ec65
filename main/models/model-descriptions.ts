import type { ModelApi, ModelClientOptions, ModelDescription, ProviderKind } from '#shared/models/model.ts';
import type { Catalogue, CatalogueModel, PriceList } from './catalogue.ts';
import type { LiveModel } from './live-model.ts';
import { PROVIDER_DEFINITIONS } from './provider-definitions.ts';

/** A model with what is needed to call and bill it. */
export interface KnownModel {
  readonly description: ModelDescription;
  readonly prices: PriceList | undefined;
  /** Address of its API, without the path of the call. */
  readonly baseUrl: string;
}

export interface ModelSource {
  readonly providerId: string;
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly catalogue: Catalogue;
}

/** Tokens of a model of which nothing is known: small enough for most that exist. */
const UNKNOWN_LIMITS = { contextWindow: 32_768, maxTokens: 8_192 };
const UNKNOWN_VENDOR_LIMITS = { contextWindow: 128_000, maxTokens: 16_384 };

/** Part of the context window an answer may take, so that there is always room for a question. */
const MAX_ANSWER_SHARE = 0.8;

/** Servers that only resemble OpenAI's refuse its newer fields, and take these in their place. */
const CAREFUL_COMPAT = {
  supportsStore: false,
  supportsDeveloperRole: false,
  supportsReasoningEffort: false,
  maxTokensField: 'max_tokens',
};

const FREE: PriceList = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, tiers: [] };

/** The models of a provider: those it named itself, or the catalogue's while it was never asked. */
export function describeModels(source: ModelSource, live: readonly LiveModel[]): KnownModel[] {
  const models =
    live.length > 0
      ? live.map((model) => describeModel(source, model))
      : [...source.catalogue.values()].map(({ id }) => describeModel(source, { id }));
  return models.sort((a, b) => a.description.displayName.localeCompare(b.description.displayName, 'en'));
}

/** One model from what the provider said and what the catalogue knows; the provider is the newer source. */
export function describeModel(source: ModelSource, live: LiveModel): KnownModel {
  const { kind, providerId } = source;
  const known = source.catalogue.get(live.id);
  const definition = PROVIDER_DEFINITIONS[kind];
  const limits = definition.keyRequirement === 'required' ? UNKNOWN_VENDOR_LIMITS : UNKNOWN_LIMITS;
  const contextWindow = live.contextWindow ?? known?.contextWindow ?? limits.contextWindow;
  const maxTokens = live.maxTokens ?? known?.maxTokens ?? limits.maxTokens;
  const prices = pricesOf(source, live, known);
  const api = known?.api ?? definition.api;
  const clientOptions = clientOptionsOf(kind, api, known);
  return {
    baseUrl: known && known.api !== definition.api ? known.baseUrl : source.baseUrl,
    prices,
    description: {
      providerId,
      modelId: live.id,
      displayName: known?.name ?? live.name ?? live.id,
      api,
      contextWindow,
      maxTokens: Math.max(1, Math.min(maxTokens, Math.floor(contextWindow * MAX_ANSWER_SHARE))),
      reasoning: known?.reasoning ?? live.reasoning ?? false,
      images: live.images ?? known?.images ?? false,
      ...(clientOptions && { clientOptions }),
      ...(prices && {
        price: {
          input: prices.input,
          output: prices.output,
          cacheRead: prices.cacheRead,
          cacheWrite: prices.cacheWrite,
        },
      }),
    },
  };
}

function pricesOf(
  { kind }: ModelSource,
  live: LiveModel,
  known: CatalogueModel | undefined,
): PriceList | undefined {
  // Ollama's cloud models run at its makers', under a plan that no price is known of.
  if (PROVIDER_DEFINITIONS[kind].isLocal) return /[:-]cloud$/.test(live.id) ? undefined : FREE;
  if (live.price) return { ...live.price, tiers: known?.price?.tiers ?? [] };
  return known?.price;
}

function clientOptionsOf(
  kind: ProviderKind,
  api: ModelApi,
  known: CatalogueModel | undefined,
): ModelClientOptions | undefined {
  const { compat, thinkingLevelMap } = known?.clientOptions ?? {};
  const own = ownCompat(kind, api);
  if (!own) return known?.clientOptions;
  return { compat: { ...own, ...compat }, ...(thinkingLevelMap && { thinkingLevelMap }) };
}

function ownCompat(kind: ProviderKind, api: ModelApi): Record<string, unknown> | undefined {
  if (api !== 'openai-completions') return undefined;
  if (kind === 'openrouter') return { thinkingFormat: 'openrouter' };
  return kind === 'walkthrough' ? undefined : CAREFUL_COMPAT;
}
