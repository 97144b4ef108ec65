import { z } from 'zod';
import {
  modelApiSchema,
  type ModelApi,
  type ModelClientOptions,
  type ModelPrice,
  type ProviderKind,
} from '#shared/models/model.ts';

/** Prices that hold for requests with more input than a number of tokens. */
export interface PriceTier extends ModelPrice {
  readonly inputTokensAbove: number;
}

/** A model's prices for a million tokens, with the dearer ones of long requests. */
export interface PriceList extends ModelPrice {
  readonly tiers: readonly PriceTier[];
}

/** A model as the catalogue that ships with Pi knows it. */
export interface CatalogueModel {
  readonly id: string;
  readonly name: string;
  readonly api: ModelApi;
  readonly baseUrl: string;
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly reasoning: boolean;
  readonly images: boolean;
  readonly price: PriceList | undefined;
  readonly clientOptions: ModelClientOptions | undefined;
}

export type Catalogue = ReadonlyMap<string, CatalogueModel>;

const rates = { input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() };

const entrySchema = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  api: modelApiSchema,
  baseUrl: z.string(),
  reasoning: z.boolean(),
  input: z.array(z.string()),
  cost: z.object({
    ...rates,
    tiers: z.array(z.object({ inputTokensAbove: z.number(), ...rates })).optional(),
  }),
  contextWindow: z.number().int().positive(),
  maxTokens: z.number().int().positive(),
  compat: z.record(z.string(), z.unknown()).optional(),
  thinkingLevelMap: z.record(z.string(), z.string().nullable()).optional(),
});

/**
 * Quirks handed on to Pi's client. Left out is what would ask for another model than the run's, for the
 * provider's own tools, or for headers that do not pass the relay.
 */
const KEPT_COMPAT = new Set([
  'cacheControlFormat',
  'forceAdaptiveThinking',
  'maxTokensField',
  'requiresAssistantAfterToolResult',
  'requiresNonNullAssistantContent',
  'requiresReasoningContentOnAssistantMessages',
  'requiresThinkingAsText',
  'requiresToolResultName',
  'requiresToolsWithToolHistory',
  'supportsDeveloperRole',
  'supportsFinishReason',
  'supportsReasoningEffort',
  'supportsStore',
  'supportsStrictMode',
  'supportsStrictTools',
  'supportsTemperature',
  'supportsUsageInStreaming',
  'thinkingFormat',
]);

/** Loads one provider's part of Pi's catalogue: tens of kilobytes of JSON, so only when it is needed. */
const loaders: Readonly<Record<string, () => Promise<Readonly<Record<string, unknown>>>>> = {
  anthropic: async () => (await import('@earendil-works/pi-ai/providers/anthropic.models')).ANTHROPIC_MODELS,
  openai: async () => (await import('@earendil-works/pi-ai/providers/openai.models')).OPENAI_MODELS,
  google: async () => (await import('@earendil-works/pi-ai/providers/google.models')).GOOGLE_MODELS,
  openrouter: async () =>
    (await import('@earendil-works/pi-ai/providers/openrouter.models')).OPENROUTER_MODELS,
  groq: async () => (await import('@earendil-works/pi-ai/providers/groq.models')).GROQ_MODELS,
  deepseek: async () => (await import('@earendil-works/pi-ai/providers/deepseek.models')).DEEPSEEK_MODELS,
  cerebras: async () => (await import('@earendil-works/pi-ai/providers/cerebras.models')).CEREBRAS_MODELS,
  together: async () => (await import('@earendil-works/pi-ai/providers/together.models')).TOGETHER_MODELS,
  xai: async () => (await import('@earendil-works/pi-ai/providers/xai.models')).XAI_MODELS,
  moonshotai: async () =>
    (await import('@earendil-works/pi-ai/providers/moonshotai.models')).MOONSHOTAI_MODELS,
};

/** Servers that speak the OpenAI protocol and stand in the catalogue, by host. */
const CATALOGUE_OF_HOST: Readonly<Record<string, string>> = {
  'api.groq.com': 'groq',
  'api.deepseek.com': 'deepseek',
  'api.cerebras.ai': 'cerebras',
  'api.together.ai': 'together',
  'api.together.xyz': 'together',
  'api.x.ai': 'xai',
  'api.moonshot.ai': 'moonshotai',
};

const cache = new Map<string, Promise<Catalogue>>();
const EMPTY: Catalogue = new Map();

/** What the catalogue knows of a provider's models; nothing for local and unknown servers. */
export async function catalogueOf(kind: ProviderKind, baseUrl: string): Promise<Catalogue> {
  const name = kind === 'openai-compatible' ? CATALOGUE_OF_HOST[hostOf(baseUrl)] : kind;
  const load = name === undefined ? undefined : loaders[name];
  if (name === undefined || !load) return EMPTY;
  let catalogue = cache.get(name);
  if (!catalogue) {
    catalogue = load().then(readCatalogue);
    cache.set(name, catalogue);
  }
  return catalogue;
}

function readCatalogue(entries: Readonly<Record<string, unknown>>): Catalogue {
  const catalogue = new Map<string, CatalogueModel>();
  for (const entry of Object.values(entries)) {
    // A model with an API this build does not relay is no model of ours.
    const parsed = entrySchema.safeParse(entry);
    if (parsed.success) catalogue.set(parsed.data.id, toModel(parsed.data));
  }
  return catalogue;
}

function toModel(entry: z.infer<typeof entrySchema>): CatalogueModel {
  const { id, name, api, baseUrl, reasoning, contextWindow, maxTokens } = entry;
  return {
    id,
    name,
    api,
    baseUrl,
    reasoning,
    contextWindow,
    maxTokens,
    images: entry.input.includes('image'),
    price: priceOf(entry),
    clientOptions: clientOptionsOf(entry),
  };
}

function priceOf({ id, cost }: z.infer<typeof entrySchema>): PriceList | undefined {
  const all = [cost, ...(cost.tiers ?? [])];
  if (all.some((price) => Math.min(price.input, price.output, price.cacheRead, price.cacheWrite) < 0)) {
    return undefined;
  }
  // Routers stand in the catalogue with zeros, although what they choose is billed.
  const isZero = all.every((price) => price.input === 0 && price.output === 0);
  if (isZero && !id.endsWith(':free') && id !== 'openrouter/free') return undefined;
  const { input, output, cacheRead, cacheWrite, tiers = [] } = cost;
  return { input, output, cacheRead, cacheWrite, tiers };
}

function clientOptionsOf({
  compat = {},
  thinkingLevelMap,
}: z.infer<typeof entrySchema>): ModelClientOptions | undefined {
  const kept = Object.fromEntries(Object.entries(compat).filter(([name]) => KEPT_COMPAT.has(name)));
  const hasCompat = Object.keys(kept).length > 0;
  if (!hasCompat && !thinkingLevelMap) return undefined;
  return { ...(hasCompat && { compat: kept }), ...(thinkingLevelMap && { thinkingLevelMap }) };
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
}
