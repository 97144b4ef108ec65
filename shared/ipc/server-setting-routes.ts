import { z } from 'zod';

/** One value of a setting: a list where it takes several. */
const settingValueSchema = z.union([
  z.string().max(64 * 1024),
  z.number(),
  z.boolean(),
  z.array(z.string().max(64 * 1024)).max(100),
]);

/** Something that a local MCP server wants to be told, with what it was told; never a secret. */
export const serverSettingSchema = z.object({
  key: z.string(),
  type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
  title: z.string(),
  description: z.string(),
  required: z.boolean(),
  multiple: z.boolean(),
  isSecret: z.boolean(),
  /** A secret that is in the vault. */
  isKept: z.boolean(),
  value: settingValueSchema.optional(),
  default: settingValueSchema.optional(),
});
export type ShownServerSetting = z.infer<typeof serverSettingSchema>;

export const serverSettingsSchema = z.object({
  /** Name of the server's package. */
  server: z.string(),
  settings: z.array(serverSettingSchema),
});

const integrationId = z.string().min(1).max(300);

/** Requests about what the local MCP server of an integration was told by its author. */
export const serverSettingRoutes = {
  /** Without `server` for an integration that has no local server, or one that is not in the library. */
  'serverSettings.describe': {
    input: z.object({ integrationId }),
    output: serverSettingsSchema.partial({ server: true }),
  },
  /** A secret that is left out stays as it was; `null` takes a value away. */
  'serverSettings.save': {
    input: z.object({ integrationId, values: z.record(z.string(), settingValueSchema.nullable()) }),
    output: serverSettingsSchema.partial({ server: true }),
  },
} as const;
