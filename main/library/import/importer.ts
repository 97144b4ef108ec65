import { randomBytes } from 'node:crypto';
import { areRivals, withoutRivals } from '#shared/ipc/import-rivals.ts';
import type { ImportItem, ImportOutcome, ImportPreview } from '#shared/ipc/library-routes.ts';
import { isPackageType } from '#shared/manifest/dialect.ts';
import type { Finding } from '#shared/manifest/finding.ts';
import { isHigherVersion } from '#shared/manifest/identity.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { withoutRetired } from '#shared/manifest/retired.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { ProblemError, toProblem, type Problem } from '#shared/problem.ts';
import type { CheckedPackage } from '../checked-package.ts';
import type { FinderView, PackageFinder } from '../package-finder.ts';
import { changeReport } from '../package-views.ts';
import { preparePackage, publishForbidden } from '../prepare.ts';
import type { Signing } from '../signing.ts';
import type { StoredPackage } from '../store/package-index.ts';
import { integrityOfDigests, type PreparedPackage } from '../store/package-store.ts';
import {
  checkImport,
  incomingOf,
  mendImport,
  mergeEqual,
  recheckImport,
  type CheckedImport,
} from './check-import.ts';
import { GITHUB_ARCHIVES } from './github.ts';
import { readImport, type GivenImport } from './import-source.ts';

export interface ImporterOptions {
  readonly finder: PackageFinder;
  readonly signing: Pick<Signing, 'judge'>;
  /** Whether a package's draft follows a folder, so that another draft would not last. */
  isWatched(name: string): boolean;
  /** Where public archives of repositories are, in the place of GitHub's own. */
  readonly githubArchives?: string | undefined;
}

interface PendingItem {
  readonly item: ImportItem;
  readonly given: CheckedImport;
  readonly prepared: PreparedPackage | undefined;
  /** The same as it may be edited again: without what was withdrawn. */
  readonly draft: PreparedPackage | undefined;
  /** The draft that its person was told would be replaced; 0 for none. */
  readonly draftId: number;
}

interface PendingImport {
  readonly items: ReadonlyMap<string, PendingItem>;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

interface HeldImport extends PendingImport {
  readonly timer: NodeJS.Timeout;
}

/** Milliseconds a person has to agree; what was read is in memory meanwhile. */
const PENDING_MS = 15 * 60 * 1000;
const MAX_PENDING = 4;

type Choice = ImportItem['choices'][number];

/** Reads packages from elsewhere, tells what taking them would change, and takes what was agreed to. */
export class Importer implements Disposable {
  readonly #options: ImporterOptions;
  readonly #pending = new Map<string, HeldImport>();

  constructor(options: ImporterOptions) {
    this.#options = options;
  }

  /** @throws ProblemError when nothing at all can be read: `github_…`, `download_…`, `folder_unknown` … */
  async preview(given: GivenImport, signal: AbortSignal): Promise<ImportPreview> {
    const { signing, githubArchives = GITHUB_ARCHIVES } = this.#options;
    const { found, problems, warnings } = await readImport(given, { githubArchives, signing }, signal);
    const checked: CheckedImport[] = [];
    const refused: Problem[] = [];
    for (const [index, entry] of found.entries()) {
      signal.throwIfAborted();
      try {
        checked.push(await checkImport(this.#options.finder, String(index), entry, { prefersDraft: true }));
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        refused.push({ ...error.problem, detail: `${entry.from}: ${error.problem.detail}` });
      }
    }
    const items = await this.#examineAll(mergeEqual(checked));
    const pending = { items, problems: [...problems, ...refused], warnings };
    signal.throwIfAborted();
    return previewOf(this.#hold(pending), pending);
  }

  /**
   * Applies the fix of one finding of an item, or all there are, and tells what the import is then. What is
   * mended is no longer what was published, so that it comes as a draft unless its person says otherwise.
   * @throws ProblemError `import_unknown`, `fix_unknown`
   */
  async mend(
    token: string,
    id: string,
    finding: Pick<Finding, 'code' | 'pointer'> | undefined,
  ): Promise<ImportPreview> {
    const pending = this.#held(token);
    const given = [...pending.items.values()].map((item) => item.given);
    const wanted = given.find((item) => item.id === id);
    const mended = wanted && (await mendImport(this.#options.finder, wanted, finding, viewOf(given)));
    if (mended === undefined || mended === wanted) {
      throw new ProblemError({
        code: 'fix_unknown',
        title: 'There is nothing to mend',
        detail: 'The package has no such mistake any more, or nobody but its author can mend it.',
      });
    }
    const items = await this.#examineAll(given.map((item) => (item === wanted ? mended : item)));
    const { timer } = this.#held(token);
    this.#pending.set(token, { ...pending, items, timer });
    return previewOf(token, { ...pending, items });
  }

  /**
   * Takes what was agreed to; an item without a decision is left.
   * @throws ProblemError `import_unknown` when the preview is too old
   */
  async commit(token: string, decisions: readonly { id: string; as: Choice }[]): Promise<ImportOutcome> {
    const pending = this.#held(token);
    const { store } = this.#options.finder;
    const imported: ImportOutcome['imported'] = [];
    const problems: Problem[] = [];
    const taken: (ImportItem & { as: Choice })[] = [];
    for (const { id, as } of decisions) {
      const { item, prepared, draft, draftId } = pending.items.get(id) ?? {};
      if (item === undefined || prepared === undefined || as === 'skip') continue;
      try {
        if (!item.choices.includes(as)) throw choiceRefused(item, as);
        const rival = taken.find((other) => areRivals({ ...item, as }, other));
        if (rival !== undefined) throw rivalRefused(item, as, rival);
        taken.push({ ...item, as });
        if (as === 'version') await store.addVersion(prepared);
        else await store.saveDraft(draft ?? prepared, draftId);
        imported.push({ name: item.name, version: item.version, as });
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        problems.push(toProblem(error));
      }
    }
    this.cancel(token);
    return { imported, problems };
  }

  /** What was read of an item. @throws ProblemError `import_unknown`. */
  checkedItem(token: string, id: string): CheckedPackage {
    const item = this.#held(token).items.get(id);
    if (item === undefined) throw importUnknown();
    return item.given.checked;
  }

  cancel(token: string): void {
    clearTimeout(this.#pending.get(token)?.timer);
    this.#pending.delete(token);
  }

  [Symbol.dispose](): void {
    for (const token of this.#pending.keys()) this.cancel(token);
  }

  #held(token: string): HeldImport {
    const pending = this.#pending.get(token);
    if (pending !== undefined) return pending;
    throw importUnknown();
  }

  #hold(pending: PendingImport): string {
    for (const oldest of this.#pending.keys()) {
      if (this.#pending.size < MAX_PENDING) break;
      this.cancel(oldest);
    }
    const token = randomBytes(18).toString('base64url');
    const timer = setTimeout(() => this.cancel(token), PENDING_MS);
    timer.unref();
    this.#pending.set(token, { ...pending, timer });
    return token;
  }

  /** Tells of each package what taking it would mean, with the others at hand that come with it. */
  async #examineAll(given: readonly CheckedImport[]): Promise<Map<string, PendingItem>> {
    const view = viewOf(given);
    const items = new Map<string, PendingItem>();
    for (const item of given) {
      const isAgent = item.checked.manifest?.type === 'agent';
      const again = isAgent && given.length > 1;
      const checked = again ? await recheckImport(this.#options.finder, item, view) : item;
      items.set(item.id, await this.#examine(checked, view));
    }
    return withRivals(items);
  }

  async #examine(given: CheckedImport, view: FinderView): Promise<PendingItem> {
    const { finder } = this.#options;
    const { store } = finder;
    const { id, found, checked, digests, files } = given;
    const { manifest, document } = checked;
    const findings = given.conversion ? [given.conversion, ...checked.findings] : checked.findings;
    const isConverted = given.conversion !== undefined;
    const isMended = given.mended.length > 0;
    const raw = isRecord(document?.value) ? document.value : {};
    const name = manifest?.name ?? (typeof raw['name'] === 'string' ? raw['name'] : found.from);
    const isStored = found.direction === 'stored' && manifest !== undefined;
    const retired = isStored ? withoutRetired(checked.manifestText) : { text: '', dropped: [] };
    const stored = manifest === undefined ? undefined : store.find(name);
    // A signature is of what was signed, not of what became of it here.
    const { signedBy, ...unsigned } = found.origin;
    const isAsSigned = signedBy !== undefined && !isConverted && !isMended;
    const origin = isAsSigned ? found.origin : unsigned;
    const prepared = manifest === undefined ? undefined : preparePackage(checked, files, origin);
    const state = stateOf(prepared, stored, integrityOfDigests(digests));
    const installed = stored && finder.snapshotOf(stored);
    const before =
      installed === undefined
        ? { reach: [], files: [] }
        : {
            reach: await finder.wholeReachOf(await finder.modelOf(installed), store.files(installed), {
              prefersDraft: true,
            }),
            files: store.files(installed),
          };
    const after = { reach: await finder.wholeReachOf(manifest, digests, view), files: digests };
    const item: ImportItem = {
      id,
      from: found.from,
      alsoFrom: [...given.alsoFrom],
      rivals: [],
      name,
      version: manifest?.version ?? (typeof raw['version'] === 'string' ? raw['version'] : ''),
      ...(isPackageType(raw['type']) ? { type: raw['type'] } : {}),
      displayName: manifest?.displayName ?? name,
      description: manifest?.description ?? '',
      fileCount: digests.length,
      size: digests.reduce((sum, { size }) => sum + size, 0),
      isRoot: found.isRoot,
      state,
      ...(installed === undefined ? {} : { installedVersion: installed.summary.version }),
      ...(isAsSigned ? { signedBy } : {}),
      isConverted,
      mended: [...given.mended],
      findings: [...findings],
      dropped: [...retired.dropped],
      changes: changeReport(before, after),
      choices: choicesFor(state, findings, {
        isConverted,
        isOwn: found.origin.kind === 'folder' || isMended,
      }).filter((choice) => choice !== 'draft' || !this.#options.isWatched(name)),
      replacesDraft: stored?.draft !== undefined,
    };
    const pending = { item, given, prepared, draftId: stored?.draft?.id ?? 0 };
    if (retired.dropped.length === 0 || prepared === undefined) return { ...pending, draft: prepared };
    const cleaned = new Map(files).set(MANIFEST_FILE, Buffer.from(retired.text));
    return { ...pending, draft: { ...prepared, files: cleaned } };
  }
}

function importUnknown(): ProblemError {
  return new ProblemError({
    code: 'import_unknown',
    title: 'The import is no longer known',
    detail: 'What was read is kept for a quarter of an hour, and that is over.',
    action: 'Import it again.',
  });
}

function viewOf(given: readonly CheckedImport[]): FinderView {
  return { prefersDraft: true, incoming: given.flatMap(incomingOf) };
}

/** Tells each item of others that cannot be taken with it, and proposes no more than one of those. */
function withRivals(items: ReadonlyMap<string, PendingItem>): Map<string, PendingItem> {
  const takeable = [...items.values()].flatMap(({ item }) =>
    item.choices.some((choice) => choice !== 'skip') ? [item] : [],
  );
  // Of several drafts the highest version is what its person wants.
  const proposed = withoutRivals(
    takeable.toSorted(byVersionDown).map((item) => ({ item, as: item.choices[0] ?? 'skip' })),
  );
  return new Map(
    [...items].map(([id, pending]) => {
      const { item } = pending;
      const first = proposed.get(id);
      if (first === undefined) return [id, pending];
      const rivals = takeable.filter(
        (other) => other !== item && areRivals({ ...item, as: 'version' }, { ...other, as: 'version' }),
      );
      const choices = [first, ...item.choices.filter((choice) => choice !== first)];
      return [id, { ...pending, item: { ...item, choices, rivals: rivals.map(({ from }) => from) } }];
    }),
  );
}

function byVersionDown(a: ImportItem, b: ImportItem): number {
  if (isHigherVersion(a.version, b.version)) return -1;
  return isHigherVersion(b.version, a.version) ? 1 : 0;
}

function previewOf(token: string, { items, problems, warnings }: PendingImport): ImportPreview {
  return {
    token,
    items: [...items.values()].map(({ item }) => item),
    problems: [...problems],
    warnings: [...warnings],
  };
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

function rivalRefused({ name, version, from }: ImportItem, as: Choice, rival: ImportItem): ProblemError {
  return new ProblemError({
    code: 'import_rival',
    title: 'Only one of two packages was taken',
    detail: `${name} ${version} of ${from} was not taken as a ${as}: that of ${rival.from} was.`,
    action: 'Import it by itself, under another version or name.',
  });
}

function choiceRefused(item: ImportItem, as: Choice): ProblemError {
  return new ProblemError({
    code: 'import_choice_refused',
    title: 'The package cannot be taken so',
    detail: `${item.name} ${item.version} cannot be taken as a ${as}, only as ${item.choices.join(' or ')}.`,
  });
}
