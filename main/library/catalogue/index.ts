import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { AuthMethod, IntegrationManifest } from '#shared/manifest/model/integration.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { ProblemError } from '#shared/problem.ts';

/** A service of the catalogue, as a list of integrations to choose from shows it. */
export interface CatalogueEntry {
  /** Name of the package, such as `@slipway/gmail`. */
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Ways to connect, in the order in which they are offered. */
  readonly auths: readonly { readonly key: string; readonly type: AuthMethod['type'] }[];
  /** `none` is called through `api_call`; `remote` is an MCP server that the vendor hosts. */
  readonly source: IntegrationManifest['source']['kind'];
  /** Iconify name of the vendor's mark: a hint only, no icon is in the app. */
  readonly icon?: string;
}

interface Service {
  readonly entry: CatalogueEntry;
  readonly folder: string;
}

/** The app's own integrations: one folder each, read once and never written. */
export class Catalogue {
  readonly #folder: string;
  #services: Promise<ReadonlyMap<string, Service>> | undefined;

  /** @param folder Holds a folder for each service, with its `manifest.json`. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * All services, by the name people see.
   * @throws ProblemError `catalogue_damaged` when a manifest cannot be used.
   */
  async list(): Promise<CatalogueEntry[]> {
    const services = await this.#load();
    return [...services.values()]
      .map(({ entry }) => entry)
      .sort((a, b) => a.displayName.localeCompare(b.displayName, 'en'));
  }

  /**
   * The files of a service's package by their path, ready to be kept as a draft.
   * @throws ProblemError `catalogue_unknown` when there is no such service.
   */
  async read(id: string): Promise<ReadonlyMap<string, string>> {
    const service = (await this.#load()).get(id);
    if (service === undefined) {
      const detail = `The catalogue has no integration "${id}".`;
      throw new ProblemError({ code: 'catalogue_unknown', title: 'No such integration', detail });
    }
    const names = (await readdir(service.folder)).sort();
    const texts = names.map(
      async (name) => [name, await readFile(join(service.folder, name), 'utf8')] as const,
    );
    return new Map(await Promise.all(texts));
  }

  #load(): Promise<ReadonlyMap<string, Service>> {
    this.#services ??= readServices(this.#folder).catch((error: unknown) => {
      this.#services = undefined;
      throw error;
    });
    return this.#services;
  }
}

async function readServices(folder: string): Promise<ReadonlyMap<string, Service>> {
  const found = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw damaged(`The folder ${folder} cannot be read.`, error);
  });
  const folders = found.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  const services = await Promise.all(folders.map(readService));
  return new Map(services.map((service) => [service.entry.id, service]));
}

/**
 * What a list shows of a manifest. The whole of each is checked by the tests, and again when it becomes a
 * draft: checking all of them at once would hold up the window.
 */
const manifestSchema = z.object({
  type: z.literal('integration'),
  name: z.string(),
  display_name: z.string(),
  description: z.string(),
  keywords: z.array(z.string()),
  icon: z.string().optional(),
  source: z.object({ kind: z.enum(['none', 'remote', 'local']) }),
  auths: z.record(z.string(), z.object({ type: z.enum(['oauth2', 'api_key', 'basic', 'mtls', 'custom']) })),
});

async function readService(folder: string): Promise<Service> {
  const file = join(folder, MANIFEST_FILE);
  try {
    const manifest = manifestSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    return { entry: entryOf(manifest), folder };
  } catch (error) {
    throw damaged(`${file} is missing or cannot be used.`, error);
  }
}

function entryOf(manifest: z.infer<typeof manifestSchema>): CatalogueEntry {
  const { icon } = manifest;
  return {
    id: manifest.name,
    displayName: manifest.display_name,
    description: manifest.description,
    tags: manifest.keywords,
    auths: Object.entries(manifest.auths).map(([key, { type }]) => ({ key, type })),
    source: manifest.source.kind,
    ...(icon !== undefined && { icon }),
  };
}

function damaged(detail: string, cause?: unknown): ProblemError {
  const problem = {
    code: 'catalogue_damaged',
    title: 'The catalogue is damaged',
    detail,
    action: 'Install Slipway again.',
  };
  return new ProblemError(problem, { cause });
}
