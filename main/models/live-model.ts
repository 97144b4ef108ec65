import { z } from 'zod';
import { modelPriceSchema } from '#shared/models/model.ts';

/** What a provider itself says of a model; kept with its configuration until it is asked again. */
export const liveModelSchema = z.object({
  id: z.string().min(1),
  name: z.string().optional(),
  contextWindow: z.number().int().positive().optional(),
  maxTokens: z.number().int().positive().optional(),
  reasoning: z.boolean().optional(),
  images: z.boolean().optional(),
  price: modelPriceSchema.optional(),
});
export type LiveModel = z.infer<typeof liveModelSchema>;
