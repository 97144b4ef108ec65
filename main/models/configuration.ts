import { z } from 'zod';
import { modelReferenceSchema, providerKindSchema } from '#shared/models/model.ts';
import { liveModelSchema } from './live-model.ts';

/** Where the providers' configuration is kept. It holds no key. */
export interface ConfigurationStore {
  read(): unknown;
  write(value: unknown): void;
}

const providerRecordSchema = z.object({
  id: z.string().min(1),
  kind: providerKindSchema,
  displayName: z.string().optional(),
  baseUrl: z.string().optional(),
  /** Whether the secret store has a key, known also while it is locked. */
  hasKey: z.boolean(),
  /** The provider's own list, as it last answered. */
  models: z.array(liveModelSchema),
});
export type ProviderRecord = z.infer<typeof providerRecordSchema>;

const configurationSchema = z.object({
  providers: z.array(providerRecordSchema),
  defaultModel: modelReferenceSchema.optional(),
});
export type ModelConfiguration = z.infer<typeof configurationSchema>;

/** The configuration; an empty one where none was kept, or none that can be read. */
export function readConfiguration(store: ConfigurationStore): ModelConfiguration {
  return configurationSchema.safeParse(store.read()).data ?? { providers: [] };
}
