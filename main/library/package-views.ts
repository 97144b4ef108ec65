import type { ChangeReport, PackageDetail, PackageSummary, WatchState } from '#shared/ipc/library-routes.ts';
import { fileChanges, isWidening, reachChanges } from '#shared/manifest/changes.ts';
import type { ReachItem } from '#shared/manifest/reach.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { digested } from './archive/package-record.ts';
import { idOf } from './agent-views.ts';
import type { PackageFinder } from './package-finder.ts';
import { DRAFT, SAMPLE, type FoundPackage } from './package-finder.ts';
import type { CheckedPackage } from './checked-package.ts';
import { nextVersionsOf, readAll } from './package-editor.ts';
import { publishForbidden, usesForbidden } from './prepare.ts';
import { integrityOfFiles, LATEST_TAG } from './store/package-store.ts';
import type { Snapshot, StoredPackage } from './store/package-index.ts';

/** Files a person reads first, by what holds them. */
const CONTENT_FILES = ['prompt.md', 'SKILL.md', 'INTEGRATION.md'];
const MAX_CONTENT_BYTES = 1024 * 1024;

export type DigestedFile = PackageDetail['files'][number];

/** One line of the library for a package of the store. */
export function storedPackageSummary(
  stored: StoredPackage,
  shown: Snapshot,
  usedByCount: number,
  watches: readonly WatchState[],
): PackageSummary {
  const { draft, versions, tags } = stored;
  const { displayName, description, icon, keywords, errorCount, publishErrorCount, warningCount } =
    shown.summary;
  const latest = tags[LATEST_TAG];
  const watchedFolder = watches.find(({ name }) => name === stored.name)?.path;
  return {
    name: stored.name,
    type: stored.type,
    displayName,
    description,
    ...(icon === undefined ? {} : { icon }),
    keywords,
    state: stateOf(stored),
    ...(draft === undefined ? {} : { draftVersion: draft.summary.version }),
    ...(latest === undefined ? {} : { latestVersion: latest }),
    versionCount: versions.length,
    yankedCount: versions.filter(({ yanked }) => yanked !== undefined).length,
    tags: { ...tags },
    errorCount,
    publishErrorCount,
    warningCount,
    usedByCount,
    ...(stored.forkedFrom === undefined ? {} : { forkedFrom: stored.forkedFrom }),
    ...(watchedFolder === undefined ? {} : { watchedFolder }),
    updatedAt: shown.savedAt,
  };
}

function stateOf({ draft, versions }: StoredPackage): PackageSummary['state'] {
  if (versions.length === 0) return 'draft';
  return draft === undefined || versions.some(({ integrity }) => integrity === draft.integrity)
    ? 'published'
    : 'modified';
}

/** The same for a sample. */
export function samplePackageSummary(checked: CheckedPackage, usedByCount: number): PackageSummary {
  const { manifest, findings } = checked;
  const raw = isRecord(checked.document?.value) ? checked.document.value : {};
  const icon = raw['icon'];
  return {
    name: idOf(checked),
    type: manifest?.type ?? 'agent',
    displayName: manifest?.displayName ?? idOf(checked),
    description: manifest?.description ?? '',
    ...(typeof icon === 'string' ? { icon } : {}),
    keywords: [...(manifest?.keywords ?? [])],
    state: 'sample',
    ...(manifest === undefined ? {} : { latestVersion: manifest.version }),
    versionCount: 1,
    yankedCount: 0,
    tags: {},
    errorCount: usesForbidden(findings).length,
    publishErrorCount: publishForbidden(findings).length,
    warningCount: findings.filter(({ severity }) => severity === 'warning').length,
    usedByCount,
    updatedAt: 0,
  };
}

/** Everything the page of a package shows. */
export async function packageDetail(
  finder: PackageFinder,
  found: FoundPackage,
  summary: PackageSummary,
): Promise<PackageDetail> {
  const { snapshot, source } = found;
  const { store } = finder;
  const checked = await finder.checkFound(found);
  const files = await digestedFiles(finder, found);
  const stored = store.find(summary.name);
  const isDraft = snapshot !== undefined && snapshot.version === undefined;
  const path = CONTENT_FILES.find((candidate) => files.some((file) => file.path === candidate));
  const text =
    path === undefined ? undefined : await source.readText(path, MAX_CONTENT_BYTES).catch(() => undefined);
  const { manifest } = checked;
  return {
    summary,
    shown: snapshot === undefined ? SAMPLE : (snapshot.version ?? DRAFT),
    draftId: stored?.draft?.id ?? 0,
    integrity: snapshot?.integrity ?? integrityOfFiles(await readAll(source)),
    manifestText: checked.manifestText,
    ...(path === undefined || text === undefined ? {} : { content: { path, text } }),
    files,
    findings: [...checked.findings],
    versions:
      stored === undefined ? [] : stored.versions.map((version) => versionSummary(finder, stored, version)),
    dependencies:
      manifest === undefined
        ? []
        : finder.resolve(manifest, { prefersDraft: snapshot === undefined || isDraft }),
    usedBy: store.dependants(summary.name).map(({ name, version, kind, range }) => ({
      name,
      ...(version === undefined ? {} : { version }),
      kind,
      range,
    })),
    reach: (await finder.reachOf(manifest, files, { prefersDraft: isDraft })).map(
      ({ kind, subject, reason }) => ({
        kind,
        subject,
        reason,
      }),
    ),
    nextVersions: nextVersionsOf(stored?.draft?.summary.version, stored?.versions[0]?.version),
  };
}

function versionSummary(
  { store }: PackageFinder,
  { tags }: StoredPackage,
  snapshot: Snapshot,
): PackageDetail['versions'][number] {
  const files = store.files(snapshot);
  const { version = '', savedAt, integrity, origin, yanked } = snapshot;
  return {
    version,
    publishedAt: savedAt,
    integrity,
    fileCount: files.length,
    size: files.reduce((sum, { size }) => sum + size, 0),
    tags: Object.entries(tags).flatMap(([tag, target]) => (target === version ? [tag] : [])),
    ...(yanked === undefined
      ? {}
      : { yanked: { at: yanked.at, ...(yanked.reason === undefined ? {} : { reason: yanked.reason }) } }),
    origin,
  };
}

/** The files of a package with the digests of their contents. */
export async function digestedFiles(
  { store }: PackageFinder,
  { snapshot, source }: FoundPackage,
): Promise<DigestedFile[]> {
  if (snapshot !== undefined) return store.files(snapshot);
  return digestsOf(await readAll(source));
}

export function digestsOf(files: ReadonlyMap<string, Buffer>): DigestedFile[] {
  return digested(files).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A state of a package, as far as a person must agree to a change of it. */
export interface ReachState {
  readonly reach: readonly ReachItem[];
  readonly files: readonly DigestedFile[];
}

/** What changes from one state of a package to another. */
export function changeReport(before: ReachState, after: ReachState): ChangeReport {
  const reach = reachChanges(before.reach, after.reach);
  return { reach, files: fileChanges(before.files, after.files), widens: reach.some(isWidening) };
}
