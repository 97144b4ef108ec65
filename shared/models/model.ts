import { z } from 'zod';

/** Wire protocols a run's model may speak; the names are Pi's own. */
export const modelApiSchema = z.enum([
  'openai-completions',
  'openai-responses',
  'anthropic-messages',
  'google-generative-ai',
]);
export type ModelApi = z.infer<typeof modelApiSchema>;

/** Names one model of one configured provider. Written `provider/model` on the command line. */
export const modelReferenceSchema = z.object({ providerId: z.string().min(1), modelId: z.string().min(1) });
export type ModelReference = z.infer<typeof modelReferenceSchema>;

/** US dollars for a million tokens. */
export const modelPriceSchema = z.object({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cacheRead: z.number().nonnegative(),
  cacheWrite: z.number().nonnegative(),
});
export type ModelPrice = z.infer<typeof modelPriceSchema>;

/**
 * How Pi's client must speak to a model that departs from its API's usual form. Pi's own field names
 * (`compat`, `thinkingLevelMap` of its model configuration), handed to it unread.
 */
export const modelClientOptionsSchema = z.object({
  compat: z.record(z.string(), z.unknown()).optional(),
  thinkingLevelMap: z.record(z.string(), z.string().nullable()).optional(),
});
export type ModelClientOptions = z.infer<typeof modelClientOptionsSchema>;

/** What the app knows of one model. Token counts are limits of the model. */
export const modelDescriptionSchema = z.object({
  providerId: z.string(),
  modelId: z.string(),
  displayName: z.string(),
  api: modelApiSchema,
  contextWindow: z.number().int().positive(),
  maxTokens: z.number().int().positive(),
  reasoning: z.boolean(),
  images: z.boolean(),
  clientOptions: modelClientOptionsSchema.optional(),
  /** Absent when no price is known; the cost is then shown as unknown, never as zero. */
  price: modelPriceSchema.optional(),
  /** True for the built-in walkthrough, which is a script and not a language model. */
  scripted: z.boolean().optional(),
});
export type ModelDescription = z.infer<typeof modelDescriptionSchema>;

export const providerKindSchema = z.enum([
  'walkthrough',
  'anthropic',
  'openai',
  'google',
  'openrouter',
  'ollama',
  'lmstudio',
  'openai-compatible',
]);
export type ProviderKind = z.infer<typeof providerKindSchema>;

/** A provider as the settings screen shows it. Holds no key, only whether one is kept. */
export const providerStateSchema = z.object({
  id: z.string(),
  kind: providerKindSchema,
  displayName: z.string(),
  baseUrl: z.string(),
  baseUrlEditable: z.boolean(),
  /** `optional` for servers such as Ollama that usually take none. */
  keyRequirement: z.enum(['none', 'optional', 'required']),
  hasKey: z.boolean(),
  /** Ready when a run could use it now. */
  ready: z.boolean(),
  /** Found answering on its usual local port. */
  discovered: z.boolean().optional(),
  removable: z.boolean(),
  models: z.array(modelDescriptionSchema),
});
export type ProviderState = z.infer<typeof providerStateSchema>;

export const pricingStatusSchema = z.enum(['priced', 'partial', 'unpriced']);

/** Tokens and money of a run, or of one turn. The four token counts are disjoint. */
export const usageSchema = z.object({
  modelRequests: z.number().int().nonnegative(),
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  cacheReadTokens: z.number().int().nonnegative(),
  cacheWriteTokens: z.number().int().nonnegative(),
  /** US dollars; a floor when `pricing` is `partial`, meaningless when `unpriced`. */
  cost: z.number().nonnegative(),
  pricing: pricingStatusSchema,
});
export type Usage = z.infer<typeof usageSchema>;

/** Usage before anything was asked of a model. */
export const NO_USAGE: Usage = {
  modelRequests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cost: 0,
  pricing: 'priced',
};
