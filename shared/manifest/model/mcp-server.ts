import type { z } from 'zod';
import type { Dialect } from '../dialect.ts';
import { perDialect } from '../per-dialect.ts';
import {
  MCP_RUNTIME_KEY,
  mcpRuntimeSchema,
  mcpServerSchema,
  platformOverrideSchema,
  WORKSPACE_KEY,
  workspaceSchema,
} from '../schemas/mcp-server.ts';
import { present, readIdentity, type PackageIdentity } from './identity.ts';

const shapeFor = perDialect(mcpServerSchema);

type Parsed = z.infer<ReturnType<typeof mcpServerSchema>>;

/** Where a server sees a run's workspace when its manifest says nothing. */
const DEFAULT_MOUNT = '/workspace';

/** Where servers run, whatever computer the app is on. */
const PLATFORM = 'linux';

/** Something a server wants to be told by the person who uses it. */
export interface ServerSetting {
  readonly type: 'string' | 'number' | 'boolean' | 'directory' | 'file';
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
  /** Takes a list of values. */
  readonly multiple: boolean;
  /** Kept in the vault, and shown to nobody. */
  readonly sensitive: boolean;
  readonly default?: unknown;
  /** Of a number, or of a text's length. */
  readonly min?: number;
  readonly max?: number;
}

export interface McpServerManifest extends PackageIdentity {
  readonly type: 'mcp-server';
  readonly runtime: 'node' | 'bun' | 'python' | 'uv' | 'binary';
  readonly entryPoint: string;
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** By key, as `${user_config.<key>}` names them. */
  readonly settings: Readonly<Record<string, ServerSetting>>;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  /** How the server sees a run's workspace; undefined when it does not ask for it. */
  readonly workspace: { readonly mount: string; readonly access: 'ro' | 'rw' } | undefined;
}

/** Reads an MCP server's manifest that has no error. */
export function readMcpServer(value: unknown, dialect: Dialect): McpServerManifest {
  const manifest = shapeFor(dialect).parse(value);
  const { type, entry_point: entryPoint, mcp_config: common } = manifest.server;
  const override = platformOverrideSchema.safeParse(common.platform_overrides?.[PLATFORM]).data;
  const configuration = { ...common, ...present({ ...override }), env: { ...common.env, ...override?.env } };
  const runtime = mcpRuntimeSchema.safeParse(manifest._meta?.[MCP_RUNTIME_KEY]).data?.runtime;
  const workspace = workspaceSchema.safeParse(manifest._meta?.[WORKSPACE_KEY]).data;
  return {
    type: 'mcp-server',
    ...readIdentity(manifest, dialect),
    runtime: runtime ?? type,
    entryPoint,
    command: configuration.command,
    arguments: configuration.args ?? [],
    environment: configuration.env,
    settings: settingsOf(manifest),
    tools: (manifest.tools ?? []).map(({ name, description = '' }) => ({ name, description })),
    workspace: workspace && { mount: workspace.mount ?? DEFAULT_MOUNT, access: workspace.access ?? 'ro' },
  };
}

function settingsOf({ user_config: settings = {} }: Parsed): McpServerManifest['settings'] {
  return Object.fromEntries(
    Object.entries(settings).map(
      ([key, { type, title, description, required, multiple, sensitive, ...rest }]) => [
        key,
        {
          type,
          title: title ?? key,
          description: description ?? '',
          required: required ?? false,
          multiple: multiple ?? false,
          sensitive: sensitive ?? false,
          ...present({ default: rest.default, min: rest.min, max: rest.max }),
        },
      ],
    ),
  );
}
