import type { Finding, Fix } from '#shared/manifest/finding.ts';
import { editJson } from '#shared/manifest/json-edit.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import type { CheckedPackage } from '../checked-package.ts';
import { checkFileLimits } from '../file-limits.ts';
import { MemoryPackage } from '../memory-package.ts';
import type { FinderView, IncomingPackage, PackageFinder } from '../package-finder.ts';
import { decodeText } from '../package-source.ts';
import { digestsOf, type DigestedFile } from '../package-views.ts';
import { integrityOfDigests } from '../store/package-store.ts';
import type { FoundImport } from './import-source.ts';
import { withSkillManifest } from './skill-manifest.ts';

/** A package that was found, as it would be taken, with what the rules say of it. */
export interface CheckedImport {
  readonly id: string;
  readonly found: FoundImport;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly digests: readonly DigestedFile[];
  readonly checked: CheckedPackage;
  /** What became of a package of AFPS 1.x: it was converted. */
  readonly conversion: Finding | undefined;
  /** Titles of the fixes its person had applied. */
  readonly mended: readonly string[];
  /** Where else the very same was found. */
  readonly alsoFrom: readonly string[];
}

/** Rounds of mending after which something is wrong with the fixes themselves. */
const MAX_FIXES = 200;

/**
 * Checks what was found, converting a package of AFPS 1.x where that leaves no error.
 * @throws ProblemError `package_too_large`, `file_path_unsafe` …
 */
export async function checkImport(
  finder: PackageFinder,
  id: string,
  found: FoundImport,
  view: FinderView,
): Promise<CheckedImport> {
  checkFileLimits(found.files);
  const files = found.hasManifest
    ? found.files
    : withSkillManifest(found.files, found.scope, (name) => finder.store.find(name));
  const checked = await check(finder, found, files, view);
  const digests = digestsOf(files);
  const plain = { id, found, files, digests, checked, conversion: undefined, mended: [], alsoFrom: [] };
  const legacy = checked.findings.find(({ code, fix }) => code === 'dialect_legacy' && fix !== undefined);
  if (legacy?.fix === undefined) return plain;
  const converted = withFix(files, legacy.fix, (text) => `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
  const after = converted && (await check(finder, found, converted, view));
  if (converted === undefined || after?.manifest === undefined) return plain;
  // Its person is told, and reviews a draft.
  const conversion: Finding = { ...legacy, severity: 'warning', blocks: 'nothing', fix: undefined };
  return { ...plain, files: converted, digests: digestsOf(converted), checked: after, conversion };
}

/** The same package, checked again among what comes with it. */
export async function recheckImport(
  finder: PackageFinder,
  given: CheckedImport,
  view: FinderView,
): Promise<CheckedImport> {
  return { ...given, checked: await check(finder, given.found, given.files, view) };
}

/** Applies the fix of one finding, or of each that has one, and checks the outcome. */
export async function mendImport(
  finder: PackageFinder,
  given: CheckedImport,
  wanted: Pick<Finding, 'code' | 'pointer'> | undefined,
  view: FinderView,
): Promise<CheckedImport> {
  const tried = new Set<string>();
  let current = given;
  while (tried.size < MAX_FIXES) {
    const finding = current.checked.findings.find(
      (candidate) =>
        isMendable(candidate) &&
        !tried.has(keyOf(candidate)) &&
        (wanted === undefined || keyOf(wanted) === keyOf(candidate)),
    );
    const files = finding?.fix && withFix(current.files, finding.fix);
    if (finding?.fix === undefined || files === undefined) break;
    tried.add(keyOf(finding));
    const mended = [...current.mended, finding.fix.title];
    const checked = await check(finder, current.found, files, view);
    current = { ...current, files, digests: digestsOf(files), checked, mended };
  }
  return current;
}

/** Of packages that are the very same only one: one that is signed, else one that was published. */
export function mergeEqual(given: readonly CheckedImport[]): CheckedImport[] {
  const kept = new Map<string, CheckedImport>();
  const rank = ({ found }: CheckedImport): number =>
    (found.origin.signedBy === undefined ? 0 : 2) + (found.direction === 'stored' ? 1 : 0);
  for (const item of given) {
    const integrity = integrityOfDigests(item.digests);
    const same = kept.get(integrity);
    if (same === undefined) {
      kept.set(integrity, item);
      continue;
    }
    const better = rank(item) > rank(same) ? item : same;
    const isRoot = item.found.isRoot || same.found.isRoot;
    const sources = [same.found.from, ...same.alsoFrom, item.found.from];
    const alsoFrom = sources.filter((from) => from !== better.found.from);
    kept.set(integrity, { ...better, found: { ...better.found, isRoot }, alsoFrom });
  }
  return [...kept.values()];
}

/** Whether a finding can be mended before its package is taken. */
function isMendable({ file, fix }: Finding): boolean {
  return fix !== undefined && file === MANIFEST_FILE;
}

/** What others that are imported with it may use. */
export function incomingOf({ checked, digests }: CheckedImport): IncomingPackage[] {
  return checked.manifest === undefined ? [] : [{ manifest: checked.manifest, files: digests }];
}

function keyOf({ code, pointer }: Pick<Finding, 'code' | 'pointer'>): string {
  return `${code} ${pointer}`;
}

function check(
  finder: PackageFinder,
  { from, direction }: FoundImport,
  files: ReadonlyMap<string, Buffer>,
  view: FinderView,
): Promise<CheckedPackage> {
  return finder.check(new MemoryPackage(from, from, files), direction, view);
}

function withFix(
  files: ReadonlyMap<string, Buffer>,
  { edits }: Fix,
  format = (text: string) => text,
): ReadonlyMap<string, Buffer> | undefined {
  const manifest = files.get(MANIFEST_FILE);
  if (manifest === undefined) return undefined;
  const text = format(editJson(decodeText(MANIFEST_FILE, manifest), edits));
  return new Map(files).set(MANIFEST_FILE, Buffer.from(text));
}
