import type { DependencyNode } from '#shared/ipc/library-routes.ts';
import { dependenciesOf } from '#shared/manifest/dependencies.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import { compareVersions, identityOf } from '#shared/manifest/identity.ts';
import { reachOf, uniqueReach, type ReachItem } from '#shared/manifest/reach.ts';
import type { Direction } from '#shared/manifest/finding-list.ts';
import type { McpServerManifest } from '#shared/manifest/model/mcp-server.ts';
import type { PackageLookup } from '#shared/manifest/rules/common.ts';
import type { SchemaChecker } from '#shared/manifest/schema-checker.ts';
import { MANIFEST_FILE, validateManifest, type PackageManifest } from '#shared/manifest/validate.ts';
import { checkPackage, type CheckedPackage } from './checked-package.ts';
import type { RunPackage } from './library.ts';
import type { PackageSource } from './package-source.ts';
import type { SampleFolder } from './sample-folder.ts';
import type { Snapshot, StoredPackage } from './store/package-index.ts';
import { LATEST_TAG, type PackageStore } from './store/package-store.ts';
import {
  choose,
  nodesIn,
  resolveDependencies,
  type Candidate,
  type CandidateSource,
} from './store/resolve.ts';
import { StoredSource } from './store/stored-source.ts';
import { storeProblem } from './store/store-problems.ts';

export const DRAFT = 'draft';
export const SAMPLE = 'sample';

interface FoundCandidate extends Candidate {
  /** Undefined for one that is only about to be imported. */
  readonly snapshot: Snapshot | undefined;
  /** Undefined when it can no longer be read. */
  model(): Promise<PackageManifest | undefined>;
  files(): readonly DigestedFile[];
}

interface DigestedFile {
  readonly path: string;
  readonly digest: string;
}

/** A package that is about to be imported: others that come with it may need it. */
export interface IncomingPackage {
  readonly manifest: PackageManifest;
  readonly files: readonly DigestedFile[];
}

/** What a look into the library is to find beside the published versions. */
export interface FinderView {
  /** Takes drafts where they fit. */
  readonly prefersDraft: boolean;
  readonly incoming?: readonly IncomingPackage[] | undefined;
}

/** A package in one of its states, wherever it is kept. */
export interface FoundPackage {
  readonly source: PackageSource;
  /** Undefined for a sample. */
  readonly snapshot: Snapshot | undefined;
}

/** Snapshots whose manifests are kept read. */
const KEPT_MODELS = 2_000;

/** Reads the packages there are: finds a state of one, checks it, and follows its dependencies. */
export class PackageFinder {
  readonly store: PackageStore;
  readonly samples: SampleFolder;
  readonly schemaChecker: SchemaChecker;
  // A snapshot never changes under its id.
  readonly #models = new Map<number, PackageManifest | undefined>();

  constructor(store: PackageStore, samples: SampleFolder, schemaChecker: SchemaChecker) {
    this.store = store;
    this.samples = samples;
    this.schemaChecker = schemaChecker;
  }

  /**
   * A state of a package: its draft, a version, or what a tag or range leads to; without one the draft,
   * else the latest version, else the sample of that name. Undefined when there is no such package.
   * @throws ProblemError `version_unknown` for a package that has no such state.
   */
  async find(name: string, wanted?: string): Promise<FoundPackage | undefined> {
    const stored = this.store.find(name);
    if (stored === undefined) {
      const sample = wanted === undefined || wanted === SAMPLE ? await this.samples.find(name) : undefined;
      return sample && { source: sample.source, snapshot: undefined };
    }
    const snapshot = this.snapshotOf(stored, wanted);
    if (snapshot !== undefined) return { source: new StoredSource(this.store, snapshot), snapshot };
    const known = [...(stored.draft ? [DRAFT] : []), ...stored.versions.map(({ version }) => version)];
    const detail = `${name} has no version or tag "${wanted ?? ''}".`;
    throw storeProblem('version_unknown', { detail, action: `There is ${known.slice(0, 10).join(', ')}.` });
  }

  /** @throws ProblemError `package_unknown`, `version_unknown`. */
  async get(name: string, wanted?: string): Promise<FoundPackage> {
    const found = await this.find(name, wanted);
    if (found !== undefined) return found;
    throw storeProblem('package_unknown', { detail: `There is no package "${name}" in the library.` });
  }

  snapshotOf(stored: StoredPackage, wanted?: string): Snapshot | undefined {
    if (wanted === undefined) {
      const { draft, versions, tags } = stored;
      return draft ?? versions.find(({ version }) => version === tags[LATEST_TAG]) ?? versions[0];
    }
    if (wanted === DRAFT) return stored.draft;
    return choose(this.#storedCandidates(stored), stored.tags, wanted, false)?.snapshot;
  }

  /** Checks files against the rules and, for an agent, against the integrations at hand. */
  async check(source: PackageSource, direction: Direction, view: FinderView): Promise<CheckedPackage> {
    const files = await source.list();
    const { schemaChecker } = this;
    const checked = await checkPackage(source, files, { direction, schemaChecker });
    const { manifest } = checked;
    if (manifest?.type !== 'agent' || Object.keys(manifest.dependencies.integrations).length === 0)
      return checked;
    const packages = await this.lookupFor(manifest, view);
    return checkPackage(source, files, { direction, schemaChecker, packages });
  }

  /** A draft is its author's; a version keeps working under the rules of its day. */
  checkFound({ source, snapshot }: FoundPackage): Promise<CheckedPackage> {
    const isDraft = snapshot !== undefined && snapshot.version === undefined;
    return this.check(source, isDraft ? 'author' : 'stored', { prefersDraft: isDraft });
  }

  resolve(manifest: PackageManifest, view: FinderView): DependencyNode[] {
    const root = { name: manifest.name, dependencies: dependenciesOf(manifest) };
    return resolveDependencies(root, this.#candidates(view), view.prefersDraft);
  }

  /** The snapshot a resolved node stands for. */
  snapshotOfNode({ name, version, isDraft }: DependencyNode): Snapshot | undefined {
    const stored = this.store.find(name);
    if (isDraft === true) return stored?.draft;
    return stored?.versions.find((snapshot) => snapshot.version === version);
  }

  /** The packages a tree leads to, each once, ready for a run. */
  async packagesIn(tree: readonly DependencyNode[]): Promise<RunPackage[]> {
    const packages = new Map<string, RunPackage>();
    for (const { node } of nodesIn(tree)) {
      if (node.state !== 'resolved' || node.version === undefined) continue;
      const identity = identityOf(node.name, node.version);
      const snapshot = packages.has(identity) ? undefined : this.snapshotOfNode(node);
      const manifest = snapshot && (await this.modelOf(snapshot));
      if (snapshot === undefined || manifest === undefined) continue;
      const source = new StoredSource(this.store, snapshot);
      packages.set(identity, { kind: node.kind, name: node.name, version: node.version, manifest, source });
    }
    return [...packages.values()];
  }

  /** The manifest of a snapshot; undefined when it can no longer be read. */
  async modelOf(snapshot: Snapshot): Promise<PackageManifest | undefined> {
    if (this.#models.has(snapshot.id)) return this.#models.get(snapshot.id);
    const text = await new StoredSource(this.store, snapshot).readText(
      MANIFEST_FILE,
      Number.MAX_SAFE_INTEGER,
    );
    const { manifest } = validateManifest(text ?? '', { direction: 'stored' });
    if (this.#models.size >= KEPT_MODELS) this.#models.clear();
    this.#models.set(snapshot.id, manifest);
    return manifest;
  }

  /** All that a checked package may reach by itself; nothing when its manifest cannot be read. */
  async reachOf(
    manifest: PackageManifest | undefined,
    files: readonly DigestedFile[],
    view: FinderView,
  ): Promise<ReachItem[]> {
    if (manifest === undefined) return [];
    const server = await this.#serverOf(manifest, view);
    return reachOf({ manifest, files, server });
  }

  /** The same, and then what it reaches through each of the packages it needs. */
  async wholeReachOf(
    manifest: PackageManifest | undefined,
    files: readonly DigestedFile[],
    view: FinderView,
  ): Promise<ReachItem[]> {
    if (manifest === undefined) return [];
    const items = await this.reachOf(manifest, files, view);
    for (const { node } of nodesIn(this.resolve(manifest, view))) {
      if (node.state !== 'resolved' || node.isRepeated === true) continue;
      const needed = this.#packageOf(node.name, view)?.candidates.find(
        ({ version, isDraft }) => version === node.version && isDraft === (node.isDraft ?? false),
      );
      if (needed === undefined) continue;
      const reach = await this.reachOf(await needed.model(), needed.files(), view);
      items.push(...reach.map((item) => ({ ...item, through: node.name })));
    }
    return uniqueReach(items);
  }

  async #serverOf(manifest: PackageManifest, view: FinderView): Promise<McpServerManifest | undefined> {
    if (manifest.type !== 'integration' || manifest.source.kind !== 'local') return undefined;
    const { name, version } = manifest.source.server;
    const model = await this.#modelFor(name, version, view);
    return model?.type === 'mcp-server' ? model : undefined;
  }

  async #modelFor(name: string, range: string, view: FinderView): Promise<PackageManifest | undefined> {
    const found = this.#packageOf(name, view);
    return found && choose(found.candidates, found.tags, range, view.prefersDraft)?.model();
  }

  /** The integrations a package needs and the servers behind them, for rules that look into them. */
  async lookupFor(manifest: PackageManifest, view: FinderView): Promise<PackageLookup> {
    const models = new Map<string, PackageManifest>();
    for (const [name, range] of Object.entries(manifest.dependencies.integrations)) {
      const model = await this.#modelFor(name, range, view);
      if (model === undefined) continue;
      models.set(name, model);
      const server = await this.#serverOf(model, view);
      if (server !== undefined) models.set(server.name, server);
    }
    return {
      integration(name) {
        const model = models.get(name);
        return model?.type === 'integration' ? model : undefined;
      },
      mcpServer(name) {
        const model = models.get(name);
        return model?.type === 'mcp-server' ? model : undefined;
      },
    };
  }

  #candidates(view: FinderView): CandidateSource {
    const found = new Map<string, ReturnType<CandidateSource['find']>>();
    return {
      find: (name) => {
        if (!found.has(name)) found.set(name, this.#packageOf(name, view));
        return found.get(name);
      },
    };
  }

  /** A package with all it could be taken as: of the library, and of what is about to be imported. */
  #packageOf(
    name: string,
    { incoming = [] }: FinderView,
  ):
    | { type: PackageType; tags: Readonly<Record<string, string>>; candidates: readonly FoundCandidate[] }
    | undefined {
    const stored = this.store.find(name);
    const kept = stored === undefined ? [] : this.#storedCandidates(stored);
    const coming = incoming
      .filter(({ manifest }) => manifest.name === name)
      .filter(({ manifest }) => stored === undefined || manifest.type === stored.type);
    const type = stored?.type ?? coming[0]?.manifest.type;
    if (type === undefined) return undefined;
    // What is here already stays as it is under its version.
    const added = coming
      .map(candidateOf)
      .filter(({ version }) => !kept.some((known) => !known.isDraft && known.version === version));
    const candidates = [...kept, ...added].sort(
      (a, b) => Number(b.isDraft) - Number(a.isDraft) || compareVersions(b.version, a.version),
    );
    return { type, tags: stored?.tags ?? {}, candidates };
  }

  #storedCandidates({ draft, versions }: StoredPackage): (FoundCandidate & { snapshot: Snapshot })[] {
    return [...(draft === undefined ? [] : [draft]), ...versions].map((snapshot) => ({
      snapshot,
      version: snapshot.summary.version,
      isDraft: snapshot.version === undefined,
      isYanked: snapshot.yanked !== undefined,
      dependencies: () => this.store.dependencies(snapshot),
      model: () => this.modelOf(snapshot),
      files: () => this.store.files(snapshot),
    }));
  }
}

function candidateOf({ manifest, files }: IncomingPackage): FoundCandidate {
  return {
    snapshot: undefined,
    version: manifest.version,
    isDraft: false,
    isYanked: false,
    dependencies: () => dependenciesOf(manifest),
    model: () => Promise.resolve(manifest),
    files: () => files,
  };
}
