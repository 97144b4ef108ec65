import { randomBytes } from 'node:crypto';
import type { ImportItem, ImportOutcome, ImportPreview } from '#shared/ipc/library-routes.ts';
import type { Finding } from '#shared/manifest/finding.ts';
import { isHigherVersion } from '#shared/manifest/identity.ts';
import { editJson } from '#shared/manifest/json-edit.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { withoutRetired } from '#shared/manifest/retired.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { ProblemError, toProblem, type Problem } from '#shared/problem.ts';
import { checkFileLimits } from '../file-limits.ts';
import type { CheckedPackage } from '../checked-package.ts';
import { MemoryPackage } from '../memory-package.ts';
import type { PackageFinder } from '../package-finder.ts';
import { decodeText } from '../package-source.ts';
import { changeReport, digestedFiles, digestsOf } from '../package-views.ts';
import { preparePackage, publishForbidden } from '../prepare.ts';
import type { Signing } from '../signing.ts';
import type { StoredPackage } from '../store/package-index.ts';
import { integrityOfDigests, type PreparedPackage } from '../store/package-store.ts';
import { StoredSource } from '../store/stored-source.ts';
import { GITHUB_ARCHIVES } from './github.ts';
import { readImport, type FoundImport, type GivenImport } from './import-source.ts';
import { withSkillManifest } from './skill-manifest.ts';

export interface ImporterOptions {
  readonly finder: PackageFinder;
  readonly signing: Pick<Signing, 'judge'>;
  /** Where public archives of repositories are, in the place of GitHub's own. */
  readonly githubArchives?: string | undefined;
}

interface PendingItem {
  readonly item: ImportItem;
  readonly prepared: PreparedPackage | undefined;
  /** The same as it may be edited again: without what was withdrawn. */
  readonly draft: PreparedPackage | undefined;
}

interface PendingImport {
  readonly items: ReadonlyMap<string, PendingItem>;
  readonly timer: NodeJS.Timeout;
}

/** Milliseconds a person has to agree; what was read is in memory meanwhile. */
const PENDING_MS = 15 * 60 * 1000;
const MAX_PENDING = 4;

type Choice = ImportItem['choices'][number];

/** Reads packages from elsewhere, tells what taking them would change, and takes what was agreed to. */
export class Importer implements Disposable {
  readonly #options: ImporterOptions;
  readonly #pending = new Map<string, PendingImport>();

  constructor(options: ImporterOptions) {
    this.#options = options;
  }

  /** @throws ProblemError when nothing at all can be read: `github_…`, `download_…`, `folder_unknown` … */
  async preview(given: GivenImport, signal: AbortSignal): Promise<ImportPreview> {
    const { signing, githubArchives = GITHUB_ARCHIVES } = this.#options;
    const { found, problems, warnings } = await readImport(given, { githubArchives, signing }, signal);
    const items = new Map<string, PendingItem>();
    const refused: Problem[] = [];
    for (const [index, entry] of found.entries()) {
      signal.throwIfAborted();
      try {
        const id = String(index);
        items.set(id, await this.#examine(id, entry));
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        refused.push({ ...error.problem, detail: `${entry.from}: ${error.problem.detail}` });
      }
    }
    const token = this.#hold(items);
    return {
      token,
      items: [...items.values()].map(({ item }) => item),
      problems: [...problems, ...refused],
      warnings: [...warnings],
    };
  }

  /**
   * Takes what was agreed to; an item without a decision is left.
   * @throws ProblemError `import_unknown` when the preview is too old
   */
  async commit(token: string, decisions: readonly { id: string; as: Choice }[]): Promise<ImportOutcome> {
    const pending = this.#pending.get(token);
    if (pending === undefined) {
      throw new ProblemError({
        code: 'import_unknown',
        title: 'The import is no longer known',
        detail: 'What was read is kept for a quarter of an hour, and that is over.',
        action: 'Import it again.',
      });
    }
    const { store } = this.#options.finder;
    const imported: ImportOutcome['imported'] = [];
    const problems: Problem[] = [];
    for (const { id, as } of decisions) {
      const { item, prepared, draft } = pending.items.get(id) ?? {};
      if (item === undefined || prepared === undefined || as === 'skip') continue;
      try {
        if (!item.choices.includes(as)) throw choiceRefused(item, as);
        if (as === 'version') await store.addVersion(prepared);
        else await store.saveDraft(draft ?? prepared);
        imported.push({ name: item.name, version: item.version, as });
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        problems.push(toProblem(error));
      }
    }
    this.cancel(token);
    return { imported, problems };
  }

  cancel(token: string): void {
    clearTimeout(this.#pending.get(token)?.timer);
    this.#pending.delete(token);
  }

  [Symbol.dispose](): void {
    for (const token of this.#pending.keys()) this.cancel(token);
  }

  #hold(items: ReadonlyMap<string, PendingItem>): string {
    for (const oldest of this.#pending.keys()) {
      if (this.#pending.size < MAX_PENDING) break;
      this.cancel(oldest);
    }
    const token = randomBytes(18).toString('base64url');
    const timer = setTimeout(() => this.cancel(token), PENDING_MS);
    timer.unref();
    this.#pending.set(token, { items, timer });
    return token;
  }

  async #examine(id: string, found: FoundImport): Promise<PendingItem> {
    const { finder } = this.#options;
    const { store } = finder;
    let files = found.files;
    checkFileLimits(files);
    if (!found.hasManifest) files = withSkillManifest(files, found.scope, (name) => store.find(name));
    const { checked, files: current, isConverted } = await this.#checkOrConvert(found, files);
    const { manifest, findings, document } = checked;
    const digests = digestsOf(current);
    const raw = isRecord(document?.value) ? document.value : {};
    const name = manifest?.name ?? (typeof raw['name'] === 'string' ? raw['name'] : found.from);
    const isStored = found.direction === 'stored' && manifest !== undefined;
    const retired = isStored ? withoutRetired(checked.manifestText) : { text: '', dropped: [] };
    const stored = manifest === undefined ? undefined : store.find(name);
    const prepared = manifest === undefined ? undefined : preparePackage(checked, current, found.origin);
    const state = stateOf(prepared, stored, integrityOfDigests(digests));
    const installed = stored && finder.snapshotOf(stored);
    const before =
      installed === undefined
        ? { reach: [], files: [] }
        : {
            reach: await finder.reachOf(await finder.modelOf(installed), store.files(installed), true),
            files: await digestedFiles(finder, {
              snapshot: installed,
              source: new StoredSource(store, installed),
            }),
          };
    const after = { reach: await finder.reachOf(manifest, digests, true), files: digests };
    const item: ImportItem = {
      id,
      from: found.from,
      name,
      version: manifest?.version ?? (typeof raw['version'] === 'string' ? raw['version'] : ''),
      ...(manifest === undefined ? {} : { type: manifest.type }),
      displayName: manifest?.displayName ?? name,
      description: manifest?.description ?? '',
      fileCount: digests.length,
      size: digests.reduce((sum, { size }) => sum + size, 0),
      isRoot: found.isRoot,
      state,
      ...(installed === undefined ? {} : { installedVersion: installed.summary.version }),
      ...(found.origin.signedBy === undefined ? {} : { signedBy: found.origin.signedBy }),
      isConverted,
      findings: [...findings],
      dropped: [...retired.dropped],
      changes: changeReport(before, after),
      choices: choicesFor(state, findings, { isConverted, isOwn: found.origin.kind === 'folder' }),
      replacesDraft: stored?.draft !== undefined,
    };
    if (retired.dropped.length === 0 || prepared === undefined) return { item, prepared, draft: prepared };
    const cleaned = new Map(current).set(MANIFEST_FILE, Buffer.from(retired.text));
    return { item, prepared, draft: { ...prepared, files: cleaned } };
  }

  /** A package of AFPS 1.x is converted where that leaves no error; its person is told, and reviews a draft. */
  async #checkOrConvert(
    found: FoundImport,
    files: ReadonlyMap<string, Buffer>,
  ): Promise<{ checked: CheckedPackage; files: ReadonlyMap<string, Buffer>; isConverted: boolean }> {
    const check = (content: ReadonlyMap<string, Buffer>): Promise<CheckedPackage> =>
      this.#options.finder.check(new MemoryPackage(found.from, found.from, content), found.direction, true);
    const checked = await check(files);
    const legacy = checked.findings.find(({ code, fix }) => code === 'dialect_legacy' && fix !== undefined);
    const manifest = files.get(MANIFEST_FILE);
    if (legacy?.fix === undefined || manifest === undefined) return { checked, files, isConverted: false };
    const compact = editJson(decodeText(MANIFEST_FILE, manifest), legacy.fix.edits);
    const text = `${JSON.stringify(JSON.parse(compact), null, 2)}\n`;
    const converted = new Map(files).set(MANIFEST_FILE, Buffer.from(text));
    const after = await check(converted);
    if (after.manifest === undefined) return { checked, files, isConverted: false };
    const notice: Finding = { ...legacy, severity: 'warning', blocks: 'nothing', fix: undefined };
    return {
      checked: { ...after, findings: [notice, ...after.findings] },
      files: converted,
      isConverted: true,
    };
  }
}

function stateOf(
  prepared: PreparedPackage | undefined,
  stored: StoredPackage | undefined,
  integrity: string,
): ImportItem['state'] {
  if (prepared === undefined) return 'invalid';
  if (stored === undefined) return 'new';
  if (stored.type !== prepared.type) return 'type_mismatch';
  const { version } = prepared.summary;
  const same = stored.versions.find((snapshot) => snapshot.version === version);
  if (same !== undefined) return same.integrity === integrity ? 'unchanged' : 'version_differs';
  if (stored.draft?.integrity === integrity && stored.versions.length === 0) return 'unchanged';
  const highest = stored.versions[0]?.version ?? stored.draft?.summary.version ?? version;
  return isHigherVersion(highest, version) ? 'older' : 'upgrade';
}

/** What may be done with an item; the first is what most people want. */
function choicesFor(
  state: ImportItem['state'],
  findings: readonly Finding[],
  { isConverted, isOwn }: { readonly isConverted: boolean; readonly isOwn: boolean },
): Choice[] {
  const canBeVersion = publishForbidden(findings).length === 0;
  switch (state) {
    case 'invalid':
    case 'type_mismatch':
      return ['skip'];
    case 'unchanged':
      return ['skip', ...(canBeVersion ? (['version'] as const) : []), 'draft'];
    case 'version_differs':
      return ['draft', 'skip'];
    case 'older':
      // What AFPS 1.x had is seldom better than what came after it.
      if (isConverted) return ['skip', 'draft', ...(canBeVersion ? (['version'] as const) : [])];
      break;
    case 'new':
    case 'upgrade':
      break;
  }
  if (!canBeVersion) return ['draft', 'skip'];
  return isConverted || isOwn ? ['draft', 'version', 'skip'] : ['version', 'draft', 'skip'];
}

function choiceRefused(item: ImportItem, as: Choice): ProblemError {
  return new ProblemError({
    code: 'import_choice_refused',
    title: 'The package cannot be taken so',
    detail: `${item.name} ${item.version} cannot be taken as a ${as}, only as ${item.choices.join(' or ')}.`,
  });
}
