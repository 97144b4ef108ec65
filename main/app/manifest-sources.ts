import { text } from 'node:stream/consumers';
import type { IntegrationSource } from '#main/connections/index.ts';
import type { PackageService } from '#main/library/index.ts';
import type { Library } from '#main/library/library.ts';
import { readDialect } from '#shared/manifest/dialect.ts';
import { readAgent, type AgentManifest } from '#shared/manifest/model/agent.ts';
import { readIntegration, type IntegrationManifest } from '#shared/manifest/model/integration.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { readMcpServer, type McpServerManifest } from '#shared/manifest/model/mcp-server.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { ProblemError } from '#shared/problem.ts';

/** Integrations of the author's library, read again after every change of it. */
export class LibraryIntegrations implements IntegrationSource, Disposable {
  readonly #packages: PackageService;
  readonly #known = new Map<string, Promise<IntegrationManifest | undefined>>();
  readonly #stop: () => void;

  constructor(packages: PackageService) {
    this.#packages = packages;
    this.#stop = packages.onChange(() => this.#known.clear());
  }

  get(id: string): Promise<IntegrationManifest | undefined> {
    const known = this.#known.get(id) ?? this.#read(id);
    this.#known.set(id, known);
    return known;
  }

  async server(name: string): Promise<McpServerManifest | undefined> {
    try {
      const { stream } = await this.#packages.openFile(name, undefined, MANIFEST_FILE);
      return readManifest(await text(stream), 'mcp-server', readMcpServer);
    } catch {
      // As with an integration: what is not there is no server.
      return undefined;
    }
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  async #read(id: string): Promise<IntegrationManifest | undefined> {
    try {
      const { stream } = await this.#packages.openFile(id, undefined, MANIFEST_FILE);
      return readManifest(await text(stream), 'integration', readIntegration);
    } catch {
      // One that is not there, or cannot be read, is no integration to connect to.
      return undefined;
    }
  }
}

/** The manifest of an agent of the library. @throws ProblemError `agent_unknown`, `package_invalid`. */
export async function agentManifestOf(library: Library, agentId: string): Promise<AgentManifest> {
  const { manifestText } = await library.get(agentId);
  const manifest = readManifest(manifestText, 'agent', readAgent);
  if (manifest) return manifest;
  throw new ProblemError({
    code: 'package_invalid',
    title: 'The agent has errors',
    detail: 'The manifest of the agent cannot be read, so nobody can say what it needs.',
    action: 'Correct the errors that the editor shows.',
    file: MANIFEST_FILE,
  });
}

function readManifest<T>(
  manifestText: string,
  type: string,
  read: (value: unknown, dialect: '0.x' | '2.x') => T,
): T | undefined {
  try {
    const value: unknown = JSON.parse(manifestText);
    if (!isRecord(value) || value['type'] !== type) return undefined;
    const dialect = readDialect(value['schema_version']);
    return dialect.kind === 'read' ? read(value, dialect.dialect) : undefined;
  } catch {
    return undefined;
  }
}
