import type { Dialect } from '../dialect.ts';
import { perDialect } from '../per-dialect.ts';
import {
  MCP_RUNTIME_KEY,
  mcpRuntimeSchema,
  mcpServerSchema,
  WORKSPACE_KEY,
  workspaceSchema,
} from '../schemas/mcp-server.ts';
import { readIdentity, type PackageIdentity } from './identity.ts';

const shapeFor = perDialect(mcpServerSchema);

/** Where a server sees a run's workspace when its manifest says nothing. */
const DEFAULT_MOUNT = '/workspace';

export interface McpServerManifest extends PackageIdentity {
  readonly type: 'mcp-server';
  readonly runtime: 'node' | 'bun' | 'python' | 'uv' | 'binary';
  readonly entryPoint: string;
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  /** How the server sees a run's workspace; undefined when it does not ask for it. */
  readonly workspace: { readonly mount: string; readonly access: 'ro' | 'rw' } | undefined;
}

/** Reads an MCP server's manifest that has no error. */
export function readMcpServer(value: unknown, dialect: Dialect): McpServerManifest {
  const manifest = shapeFor(dialect).parse(value);
  const { type, entry_point: entryPoint, mcp_config: configuration } = manifest.server;
  const runtime = mcpRuntimeSchema.safeParse(manifest._meta?.[MCP_RUNTIME_KEY]).data?.runtime;
  const workspace = workspaceSchema.safeParse(manifest._meta?.[WORKSPACE_KEY]).data;
  return {
    type: 'mcp-server',
    ...readIdentity(manifest, dialect),
    runtime: runtime ?? type,
    entryPoint,
    command: configuration.command,
    arguments: configuration.args ?? [],
    environment: configuration.env ?? {},
    tools: (manifest.tools ?? []).map(({ name, description = '' }) => ({ name, description })),
    workspace: workspace && { mount: workspace.mount ?? DEFAULT_MOUNT, access: workspace.access ?? 'ro' },
  };
}
