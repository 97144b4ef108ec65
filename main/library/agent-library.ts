import { existsSync } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { AgentDetail, AgentSummary } from '#shared/ipc/routes.ts';
import type { Direction } from '#shared/manifest/finding-list.ts';
import { PACKAGE_NAME } from '#shared/manifest/identity.ts';
import type { SchemaChecker } from '#shared/manifest/schema-checker.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { ProblemError } from '#shared/problem.ts';
import { agentOf, detailOf, idOf, packageInvalid, runnable, summaryOf } from './agent-views.ts';
import { checkPackage, type CheckedPackage } from './checked-package.ts';
import type { Library, RunnableAgent } from './library.ts';
import { PackageArchive } from './package-archive.ts';
import { PackageFolder } from './package-folder.ts';

export interface AgentLibraryOptions {
  /** Folder that holds the sample agents as `@scope/name` folders. */
  readonly samplesFolder: string;
  readonly schemaChecker: SchemaChecker;
}

/** {@link Library} over folders: the samples of the app, and any folder or archive a run names by path. */
export class AgentLibrary implements Library {
  readonly #options: AgentLibraryOptions;
  readonly #listeners = new Set<(agents: AgentSummary[]) => void>();
  readonly #packages = new Map<string, { fingerprint: string; checked: CheckedPackage }>();
  #lastList: string | undefined;

  constructor(options: AgentLibraryOptions) {
    this.#options = options;
  }

  async list(): Promise<AgentSummary[]> {
    const packages = await this.#samples();
    const agents = packages.map((checked) => summaryOf(checked, 'sample'));
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

  async get(agentId: string): Promise<AgentDetail> {
    const checked = await this.#sample(agentId);
    return detailOf(checked, summaryOf(checked, 'sample'));
  }

  async load(agentIdOrFolder: string): Promise<RunnableAgent> {
    const checked = namesPath(agentIdOrFolder)
      ? await this.#readAt(agentIdOrFolder)
      : await this.#sample(agentIdOrFolder);
    const agent = agentOf(checked);
    if (agent === undefined) throw packageInvalid(checked);
    return runnable(checked, agent);
  }

  async openExample(
    agentId: string,
    path: string,
  ): Promise<{ name: string; size: number; stream: Readable }> {
    const { source, files } = await this.#sample(agentId);
    if (files.some((file) => file.path === path)) return source.openFile(path);
    const detail = `The agent ${agentId} has no file "${path}".`;
    throw new ProblemError({ code: 'file_unknown', title: 'No such file', detail, file: path });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    this.#packages.clear();
    return Promise.resolve();
  }

  async #sample(agentId: string): Promise<CheckedPackage> {
    const packages = await this.#samples();
    const found = packages.find((checked) => idOf(checked) === agentId);
    if (found !== undefined) return found;
    const ids = packages.map(idOf);
    throw new ProblemError({
      code: 'agent_unknown',
      title: 'No such agent',
      detail: `There is no agent "${agentId}" in the library, and no folder or archive of that name.`,
      action: ids.length > 0 ? `Choose one of ${ids.join(', ')}, or name a folder.` : 'Name a folder.',
    });
  }

  async #samples(): Promise<CheckedPackage[]> {
    const packages: CheckedPackage[] = [];
    const scopes = await foldersIn(this.#options.samplesFolder);
    for (const path of (await Promise.all(scopes.map(foldersIn))).flat()) {
      if (!existsSync(join(path, MANIFEST_FILE))) continue;
      packages.push(await this.#read(await PackageFolder.at(path), 'stored'));
    }
    return packages;
  }

  /** The package at a path, be it a folder or an archive. */
  async #readAt(path: string): Promise<CheckedPackage> {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() === true && basename(path) !== MANIFEST_FILE) {
      const archive = await PackageArchive.at(path);
      const { schemaChecker } = this.#options;
      return checkPackage(archive, await archive.list(), { direction: archive.direction, schemaChecker });
    }
    try {
      return await this.#read(await PackageFolder.at(path), 'author');
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem.code !== 'folder_unknown') throw error;
      const problem = { ...error.problem, code: 'agent_unknown', title: 'No such agent' };
      throw new ProblemError(problem, { cause: error });
    }
  }

  /** A package is checked again only when a file of it changed. */
  async #read(folder: PackageFolder, direction: Direction): Promise<CheckedPackage> {
    const files = await folder.list();
    const fingerprint = files.map(({ path, size, stamp }) => `${path}\0${size}\0${stamp}`).join('\n');
    const key = `${direction} ${folder.location}`;
    const kept = this.#packages.get(key);
    if (kept?.fingerprint === fingerprint) return kept.checked;
    const { schemaChecker } = this.#options;
    const checked = await checkPackage(folder, files, { direction, schemaChecker });
    this.#packages.set(key, { fingerprint, checked });
    return checked;
  }
}

/** A scoped name is an id; what looks like a path, or is one, is a folder or an archive. */
function namesPath(agent: string): boolean {
  if (PACKAGE_NAME.test(agent)) return false;
  return isAbsolute(agent) || /[\\/]|^\./.test(agent) || existsSync(agent);
}

async function foldersIn(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const entry of await opendir(folder)) {
    if (entry.isDirectory()) paths.push(join(folder, entry.name));
  }
  return paths.sort();
}
