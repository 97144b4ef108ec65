import { z } from 'zod';
import type { IntegrationSource } from '#main/connections/index.ts';
import type { RunPackage } from '#main/library/library.ts';
import type { ServerTrial } from '#shared/ipc/server-routes.ts';
import { PACKAGE_NAME } from '#shared/manifest/identity.ts';
import { readIntegration, type IntegrationManifest } from '#shared/manifest/model/integration.ts';
import type { McpServerManifest } from '#shared/manifest/model/mcp-server.ts';
import { trialManifest, type TriedServer } from '#shared/mcp/trial-manifest.ts';
import { ProblemError } from '#shared/problem.ts';
import { parseTarget } from '#shared/tools/target-url.ts';

/** Trials at a time. */
const MAX_TRIALS = 20;
/** Bundles are held in memory. */
const MAX_BUNDLES = 4;

const addressSchema = z.object({
  name: z.string(),
  displayName: z.string(),
  url: z.string(),
  transport: z.enum(['streamable-http', 'sse']),
  header: z.string(),
  prefix: z.string(),
});
type TriedAddress = z.infer<typeof addressSchema>;

/** A bundle as it was dropped, and what was read of it. */
export interface TriedBundle {
  readonly fileName: string;
  readonly bytes: Buffer;
  readonly package: RunPackage & { readonly manifest: McpServerManifest };
  readonly authorizedUris: readonly string[];
}

interface Trial {
  readonly tried: TriedServer;
  readonly manifest: IntegrationManifest;
  readonly bundle: TriedBundle | undefined;
}

export interface ServerTrialsOptions {
  readonly integrations: IntegrationSource;
  /** Whether the library has a package of that name. */
  readonly isTaken: (name: string) => Promise<boolean>;
  /** Where addresses are kept, so that accounts connected for them are never without what they are for. */
  readonly stored: { read(): unknown; write(value: unknown): void };
}

/**
 * Servers that are tried before they are in the library. Whoever connects accounts finds each as an integration
 * of the name that it will have, so that what was connected stays when it is saved.
 */
export class ServerTrials implements IntegrationSource {
  readonly #options: ServerTrialsOptions;
  readonly #trials = new Map<string, Trial>();

  constructor(options: ServerTrialsOptions) {
    this.#options = options;
    const kept = z.array(z.unknown()).safeParse(options.stored.read()).data ?? [];
    for (const value of kept) {
      const address = addressSchema.safeParse(value).data;
      if (address) this.#put(triedAddress(address), undefined);
    }
  }

  list(): ServerTrial[] {
    return [...this.#trials.values()].map(({ tried, bundle }) => shownTrial(tried, bundle));
  }

  has(integrationId: string): boolean {
    return this.#trials.has(integrationId);
  }

  /** What is tried and, for a bundle, its bytes. @throws ProblemError `trial_unknown`. */
  find(integrationId: string): { readonly tried: TriedServer; readonly bundle: TriedBundle | undefined } {
    const trial = this.#trials.get(integrationId);
    if (trial) return trial;
    throw new ProblemError({
      code: 'trial_unknown',
      title: 'This server is not tried any more',
      detail: 'It was saved or forgotten, or Slipway was started again since its bundle was dropped.',
      action: 'Try it again.',
    });
  }

  /** The package of a bundle that is tried. */
  bundlePackage(name: string): RunPackage | undefined {
    return [...this.#trials.values()].find(({ bundle }) => bundle?.package.name === name)?.bundle?.package;
  }

  /** The library has the last word: what was saved there is no trial any more. */
  async get(id: string): Promise<IntegrationManifest | undefined> {
    return (await this.#options.integrations.get(id)) ?? this.#trials.get(id)?.manifest;
  }

  async server(name: string): Promise<McpServerManifest | undefined> {
    const tried = this.bundlePackage(name)?.manifest;
    if (tried?.type === 'mcp-server') return tried;
    return this.#options.integrations.server?.(name);
  }

  /** @throws ProblemError `package_name_invalid`, `package_name_taken`, `server_address_invalid`, `too_many_trials`. */
  async addAddress(address: Omit<TriedAddress, 'displayName'>): Promise<ServerTrial> {
    const target = parseTarget(address.url);
    if ('fault' in target) throw addressInvalid(target.fault);
    // Asked before the rest, which then stands between no two trials.
    const isTaken = await this.#isTaken(address.name);
    this.#requireRoom(address.name, isTaken);
    const tried = triedAddress({ ...address, url: target.href, displayName: new URL(target.href).host });
    this.#put(tried, undefined);
    this.#keep();
    return shownTrial(tried, undefined);
  }

  /** @throws ProblemError `package_name_taken`, `too_many_trials`. */
  async addBundle(bundle: TriedBundle): Promise<ServerTrial> {
    const { name: server, version, manifest } = bundle.package;
    const name = `${server.slice(0, 200)}-tools`;
    const isTaken = await this.#isTaken(name);
    this.#requireRoom(name, isTaken);
    const bundles = [...this.#trials.values()].filter((trial) => trial.bundle !== undefined);
    if (bundles.length >= MAX_BUNDLES) throw tooMany(MAX_BUNDLES);
    const tried: TriedServer = {
      name,
      displayName: manifest.displayName,
      source: { kind: 'local', server: { name: server, version }, authorizedUris: bundle.authorizedUris },
    };
    this.#put(tried, bundle);
    return shownTrial(tried, bundle);
  }

  remove(integrationId: string): void {
    this.#trials.delete(integrationId);
    this.#keep();
  }

  async #isTaken(name: string): Promise<boolean> {
    return PACKAGE_NAME.test(name) && this.#options.isTaken(name);
  }

  #requireRoom(name: string, isTaken: boolean): void {
    if (!PACKAGE_NAME.test(name)) {
      throw new ProblemError({
        code: 'package_name_invalid',
        title: 'This cannot be a name',
        detail: `"${name}" is not of the form @scope/name, of lower-case letters, digits and inner hyphens.`,
        pointer: '/integrationId',
      });
    }
    if (this.#trials.has(name) || isTaken) {
      throw new ProblemError({
        code: 'package_name_taken',
        title: 'The name is taken',
        detail: `There is a package "${name}" already.`,
        action: 'Choose another name, or open the one there is.',
        pointer: '/integrationId',
      });
    }
    if (this.#trials.size >= MAX_TRIALS) throw tooMany(MAX_TRIALS);
  }

  #put(tried: TriedServer, bundle: TriedBundle | undefined): void {
    const methods = tried.source.kind === 'remote' ? (['oauth', 'key'] as const) : (['open'] as const);
    const manifest = readIntegration(trialManifest(tried, methods), '0.x');
    this.#trials.set(tried.name, { tried, manifest, bundle });
  }

  #keep(): void {
    const addresses = [...this.#trials.values()].flatMap(({ tried: { name, displayName, source } }) => {
      if (source.kind !== 'remote') return [];
      const { url, transport, header, prefix } = source;
      return [{ name, displayName, url, transport, header, prefix }];
    });
    this.#options.stored.write(addresses);
  }
}

function triedAddress({ name, displayName, ...source }: TriedAddress): TriedServer {
  return { name, displayName, source: { kind: 'remote', ...source } };
}

function shownTrial(
  { name: integrationId, displayName, source }: TriedServer,
  bundle: TriedBundle | undefined,
): ServerTrial {
  if (source.kind === 'remote') {
    const { url, transport } = source;
    return { integrationId, displayName, source: { kind: 'remote', url, transport } };
  }
  const { name: server, version } = source.server;
  const authorizedUris = [...(bundle?.authorizedUris ?? source.authorizedUris)];
  return { integrationId, displayName, source: { kind: 'bundle', server, version, authorizedUris } };
}

function addressInvalid(fault: string): ProblemError {
  return new ProblemError({
    code: 'server_address_invalid',
    title: 'This is no address of a server',
    detail: fault,
    action: 'Paste the address as whoever runs the server gives it, such as "https://mcp.example.com/mcp".',
    pointer: '/url',
  });
}

function tooMany(most: number): ProblemError {
  return new ProblemError({
    code: 'too_many_trials',
    title: 'Too many servers are tried',
    detail: `At most ${most} are kept at a time.`,
    action: 'Save or forget one of them first.',
  });
}
