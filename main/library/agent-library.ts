import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import type { Readable } from 'node:stream';
import type { AgentDetail, AgentSummary } from '#shared/ipc/routes.ts';
import { PACKAGE_NAME, splitIdentity } from '#shared/manifest/identity.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { ProblemError } from '#shared/problem.ts';
import {
  agentOf,
  detailOf,
  idOf,
  packageInvalid,
  runnable,
  storedSummary,
  summaryOf,
} from './agent-views.ts';
import type { PackageFinder } from './package-finder.ts';
import type { CheckedPackage } from './checked-package.ts';
import type { Library, RunnableAgent } from './library.ts';
import { PackageArchive } from './package-archive.ts';
import { PackageFolder } from './package-folder.ts';
import { faultsIn } from './store/resolve.ts';

/** {@link Library} over the store, the samples of the app, and any folder or archive a run names by path. */
export class AgentLibrary implements Library {
  readonly #finder: PackageFinder;
  readonly #listeners = new Set<(agents: AgentSummary[]) => void>();
  #lastList: string | undefined;

  constructor(finder: PackageFinder) {
    this.#finder = finder;
  }

  async list(): Promise<AgentSummary[]> {
    const agents = await this.#agents();
    const text = JSON.stringify(agents);
    const changed = this.#lastList !== undefined && this.#lastList !== text;
    this.#lastList = text;
    if (changed) for (const listener of this.#listeners) listener(agents);
    return agents;
  }

  onChange(listener: (agents: AgentSummary[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells the listeners of the agents there are now, when they are others than before. */
  async tellChanges(): Promise<void> {
    if (this.#listeners.size > 0) await this.list();
  }

  async get(agentId: string): Promise<AgentDetail> {
    const { checked, summary } = await this.#find(agentId);
    return detailOf(checked, summary);
  }

  async load(agentIdOrPath: string): Promise<RunnableAgent> {
    const { checked, prefersDraft } = namesPath(agentIdOrPath)
      ? { checked: await this.#readAt(agentIdOrPath), prefersDraft: true }
      : await this.#find(agentIdOrPath);
    const agent = agentOf(checked);
    if (agent === undefined) throw packageInvalid(checked);
    const tree = this.#finder.resolve(agent, { prefersDraft });
    const packages = await this.#finder.packagesIn(tree);
    return runnable(checked, agent, packages, faultsIn(tree));
  }

  async openExample(
    agentId: string,
    path: string,
  ): Promise<{ name: string; size: number; stream: Readable }> {
    const { checked } = await this.#find(agentId);
    if (checked.files.some((file) => file.path === path)) return checked.source.openFile(path);
    const detail = `The agent ${agentId} has no file "${path}".`;
    throw new ProblemError({ code: 'file_unknown', title: 'No such file', detail, file: path });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    return Promise.resolve();
  }

  /** Agents of the store, then the samples that none of them took the place of. */
  async #agents(): Promise<AgentSummary[]> {
    const stored = this.#finder.store.list();
    const own = stored.flatMap((found) => {
      const snapshot = found.type === 'agent' ? this.#finder.snapshotOf(found) : undefined;
      return snapshot === undefined ? [] : [storedSummary(snapshot)];
    });
    const taken = new Set(stored.map(({ name }) => name));
    const samples = (await this.#finder.samples.list()).filter((checked) => !taken.has(idOf(checked)));
    return [...own, ...samples.map((checked) => summaryOf(checked, 'sample'))];
  }

  async #find(
    agentId: string,
  ): Promise<{ checked: CheckedPackage; summary: AgentSummary; prefersDraft: boolean }> {
    const { name, version } = splitIdentity(agentId);
    const found = await this.#finder.find(name, version);
    if (found?.snapshot !== undefined) {
      const checked = await this.#finder.checkFound(found);
      const prefersDraft = found.snapshot.version === undefined;
      return { checked, summary: summaryOf(checked, 'library'), prefersDraft };
    }
    const checked = version === undefined ? await this.#finder.samples.find(name) : undefined;
    if (checked !== undefined) return { checked, summary: summaryOf(checked, 'sample'), prefersDraft: true };
    const ids = (await this.#agents()).map(({ id }) => id);
    throw new ProblemError({
      code: 'agent_unknown',
      title: 'No such agent',
      detail: `There is no agent "${agentId}" in the library, and no folder or archive of that name.`,
      action:
        ids.length > 0 ? `Choose one of ${ids.slice(0, 20).join(', ')}, or name a folder.` : 'Name a folder.',
    });
  }

  /** The package at a path, be it a folder or an archive. */
  async #readAt(path: string): Promise<CheckedPackage> {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() === true && basename(path) !== MANIFEST_FILE) {
      const archive = await PackageArchive.at(path);
      return this.#finder.check(archive, archive.direction, { prefersDraft: true });
    }
    try {
      return await this.#finder.check(await PackageFolder.at(path), 'author', { prefersDraft: true });
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem.code !== 'folder_unknown') throw error;
      const problem = { ...error.problem, code: 'agent_unknown', title: 'No such agent' };
      throw new ProblemError(problem, { cause: error });
    }
  }
}

/** A scoped name, with or without a version, is an id; what looks like a path, or is one, is a path. */
function namesPath(agent: string): boolean {
  if (PACKAGE_NAME.test(splitIdentity(agent).name)) return false;
  return isAbsolute(agent) || /[\\/]|^\./.test(agent) || existsSync(agent);
}
