import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import type { Direction } from '#shared/manifest/finding-list.ts';
import { cleanVersion, splitIdentity } from '#shared/manifest/identity.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { isBundleManifest, packageManifestOf } from '#shared/mcp-bundle/bundle-manifest.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';
import { archiveProblem } from '../archive/archive-problem.ts';
import { isBundle, readBundle } from '../archive/bundle.ts';
import { ARCHIVE_LIMITS } from '../archive/limits.ts';
import { RECORD_FILE, recordOf } from '../archive/package-record.ts';
import { readArchive } from '../archive/read-archive.ts';
import { SIGNATURE_FILE } from '../archive/signature.ts';
import { bufferUpTo } from '../bounded-buffer.ts';
import { checkFileLimits } from '../file-limits.ts';
import { PackageFolder } from '../package-folder.ts';
import { readBytes } from '../package-source.ts';
import type { Signing } from '../signing.ts';
import type { SnapshotOrigin } from '../store/package-index.ts';
import { filesIn, findPackages } from './find-packages.ts';
import { parseGitHubAddress } from './github-address.ts';
import { fetchGitHubFolder } from './github.ts';

/** A file that was given, wherever it is. */
export interface GivenImportFile {
  /** Path in the folder it was dropped with, or its name. */
  readonly path: string;
  readonly size: number;
  open(): Promise<Readable>;
}

export type GivenImport =
  | { readonly kind: 'files'; readonly files: readonly GivenImportFile[] }
  | { readonly kind: 'github'; readonly url: string }
  | { readonly kind: 'folder'; readonly path: string };

/** The files of one package as they came, before they are checked. */
export interface FoundImport {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly from: string;
  readonly origin: SnapshotOrigin;
  readonly direction: Direction;
  readonly isRoot: boolean;
  readonly hasManifest: boolean;
  /** Owner to name a skill without a manifest after. */
  readonly scope: string | undefined;
}

export interface ReadImport {
  readonly found: readonly FoundImport[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/** Reads everything an import names; what cannot be read is told beside what can. */
export async function readImport(
  given: GivenImport,
  options: { readonly githubArchives: string; readonly signing: Pick<Signing, 'judge'> },
  signal: AbortSignal,
): Promise<ReadImport> {
  switch (given.kind) {
    case 'files':
      return readFiles(given.files, options.signing, signal);
    case 'github': {
      const address = parseGitHubAddress(given.url);
      const { files, ref } = await fetchGitHubFolder(address, options.githubArchives, signal);
      const from = `${address.owner}/${address.repository}${ref === 'HEAD' ? '' : ` at ${ref}`}`;
      const origin = { kind: 'github', from: given.url.trim() } as const;
      return treeOrNothing(from, judged(packagesIn(files, from, origin, address.owner), options.signing));
    }
    case 'folder': {
      const folder = await PackageFolder.at(given.path);
      const files = await readPackagesOf(folder, signal);
      const origin = { kind: 'folder', from: folder.location } as const;
      const found = packagesIn(files, folder.location, origin, undefined);
      return treeOrNothing(folder.location, judged(found, options.signing));
    }
  }
}

async function readFiles(
  given: readonly GivenImportFile[],
  signing: Pick<Signing, 'judge'>,
  signal: AbortSignal,
): Promise<ReadImport> {
  const found: FoundImport[] = [];
  const problems: Problem[] = [];
  const warnings: string[] = [];
  const loose = new Map<string, Buffer>();
  for (const file of given) {
    signal.throwIfAborted();
    try {
      const bytes = await readGiven(file, signal);
      if (!isArchive(file.path, bytes)) {
        loose.set(file.path.replace(/^\.?\//, ''), bytes);
        continue;
      }
      const archive = await readArchiveImport(basename(file.path), bytes, signing);
      found.push(...archive.found);
      problems.push(...archive.problems);
      warnings.push(...archive.warnings);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ProblemError)) throw error;
      problems.push({ ...error.problem, detail: `${file.path}: ${error.problem.detail}` });
    }
  }
  if (loose.size > 0) {
    checkFileLimits(loose);
    const packages = packagesIn(loose, 'the files given', { kind: 'file' }, undefined);
    if (packages.length === 0) problems.push(nothingFound([...loose.keys()].slice(0, 3).join(', ')));
    // An archive that was unpacked on the way needs its signature no less.
    const unpacked = judged(packages, signing);
    found.push(...unpacked.found);
    problems.push(...unpacked.problems);
    warnings.push(...unpacked.warnings);
  }
  return { found, problems, warnings };
}

async function readGiven(file: GivenImportFile, signal: AbortSignal): Promise<Buffer> {
  const { archiveBytes } = ARCHIVE_LIMITS;
  const tooLarge = (size: string): Error =>
    archiveProblem('archive_too_large', `It has ${size} bytes; ${archiveBytes} is the most that is read.`);
  if (file.size > archiveBytes) throw tooLarge(String(file.size));
  const stream = await file.open();
  const stop = (): void => void stream.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await bufferUpTo(stream, archiveBytes, () => tooLarge(`more than ${archiveBytes}`));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A ZIP by its first bytes, or by a name that promises one, so that a broken archive is called that. */
function isArchive(path: string, bytes: Buffer): boolean {
  const isNamedSo = /\.(?:afps|afps-bundle|mcpb|dxt|zip|skill)$/i.test(path);
  return isNamedSo || (!path.includes('/') && bytes.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004');
}

async function readArchiveImport(
  name: string,
  bytes: Buffer,
  signing: Pick<Signing, 'judge'>,
): Promise<ReadImport> {
  const { files } = await readArchive(bytes);
  if (!isBundle(files)) {
    return treeOrNothing(
      name,
      judged(packagesIn(files, name, { kind: 'file', from: name }, undefined), signing),
    );
  }
  const bundle = readBundle(files);
  const { warning, signedBy } = signing.judge(bundle);
  const origin = { kind: 'bundle', from: name, ...(signedBy === undefined ? {} : { signedBy }) } as const;
  const found = [...bundle.packages].map(([identity, content]): FoundImport => ({
    files: withoutSignature(content),
    from: `${name}: ${identity}`,
    origin,
    // A bundle was published under the rules of its day.
    direction: 'stored',
    isRoot: identity === bundle.root,
    hasManifest: true,
    scope: undefined,
  }));
  const mismatch = [...bundle.packages].find(([identity, content]) => !isNamed(content, identity));
  const problems = mismatch === undefined ? [] : [misnamed(mismatch[0])];
  return {
    found: problems.length > 0 ? [] : found,
    problems,
    warnings: warning === undefined ? [] : [`${name}: ${warning}`],
  };
}

/** A package by itself is signed as a bundle of one. */
function judged(found: readonly FoundImport[], signing: Pick<Signing, 'judge'>): ReadImport {
  const kept: FoundImport[] = [];
  const problems: Problem[] = [];
  const warnings: string[] = [];
  for (const given of found) {
    const item = { ...given, files: withoutRecord(given.files) };
    const root = identityIn(item.files) ?? item.from;
    try {
      const { warning, signedBy } = signing.judge({ root, packages: new Map([[root, item.files]]) });
      if (warning !== undefined) warnings.push(`${root}: ${warning}`);
      const origin = { ...item.origin, ...(signedBy === undefined ? {} : { signedBy }) };
      kept.push({ ...item, origin, files: withoutSignature(item.files) });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      problems.push(error.problem);
    }
  }
  return { found: kept, problems, warnings };
}

function packagesIn(
  files: ReadonlyMap<string, Buffer>,
  from: string,
  origin: SnapshotOrigin,
  scope: string | undefined,
): FoundImport[] {
  return findPackages(files.keys()).map(({ folder, hasManifest }) => ({
    files: asPackage(filesIn(files, folder)),
    from: folder === '' ? from : `${from}: ${folder}`,
    origin: { ...origin, ...(origin.from === undefined && folder !== '' ? { from: folder } : {}) },
    direction: 'author',
    isRoot: true,
    hasManifest,
    scope,
  }));
}

/** An MCP bundle made elsewhere gets the manifest of a package; anything else stays as it is. */
function asPackage(files: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Buffer> {
  let manifest: unknown;
  try {
    manifest = JSON.parse(files.get(MANIFEST_FILE)?.toString('utf8') ?? '');
  } catch {
    // Its check says where it is no JSON.
    return files;
  }
  if (!isBundleManifest(manifest)) return files;
  const text = `${JSON.stringify(packageManifestOf(manifest), null, 2)}\n`;
  return new Map(files).set(MANIFEST_FILE, Buffer.from(text));
}

/** Reads only what belongs to a package: a folder may hold much else. */
async function readPackagesOf(folder: PackageFolder, signal: AbortSignal): Promise<Map<string, Buffer>> {
  const listed = new Map((await folder.list()).map((file) => [file.path, { length: file.size }]));
  const files = new Map<string, Buffer>();
  for (const place of findPackages(listed.keys())) {
    checkFileLimits(filesIn(listed, place.folder));
    for (const path of filesIn(listed, place.folder).keys()) {
      signal.throwIfAborted();
      const whole = place.folder === '' ? path : `${place.folder}/${path}`;
      files.set(whole, await readBytes(folder, whole));
    }
  }
  return files;
}

function treeOrNothing(from: string, read: ReadImport): ReadImport {
  if (read.found.length > 0 || read.problems.length > 0) return read;
  return { ...read, problems: [nothingFound(from)] };
}

function nothingFound(from: string): Problem {
  return {
    code: 'import_nothing_found',
    title: 'There is no package',
    detail: `There is no manifest.json and no SKILL.md in ${from}, so there is nothing to import.`,
    action: 'Choose an .afps file, or a folder that holds a package.',
  };
}

function withoutSignature(files: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Buffer> {
  const rest = new Map(files);
  rest.delete(SIGNATURE_FILE);
  return rest;
}

/** The list of its files that a package had in a bundle is none of them; any other RECORD is. */
function withoutRecord(files: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Buffer> {
  const record = files.get(RECORD_FILE)?.toString('utf8');
  if (record === undefined) return files;
  if (![files, withoutSignature(files)].some((listed) => recordOf(listed) === record)) return files;
  const rest = new Map(files);
  rest.delete(RECORD_FILE);
  return rest;
}

/** `@scope/name@version` as a manifest says it, loosely. */
function identityIn(files: ReadonlyMap<string, Buffer>): string | undefined {
  try {
    const manifest = JSON.parse(files.get('manifest.json')?.toString('utf8') ?? '') as Record<
      string,
      unknown
    >;
    return `${String(manifest['name'])}@${String(manifest['version'])}`;
  } catch {
    return undefined;
  }
}

function isNamed(files: ReadonlyMap<string, Buffer>, identity: string): boolean {
  const given = identityIn(files);
  // What cannot be read at all is told by its check.
  if (given === undefined) return true;
  const { name, version = '' } = splitIdentity(given);
  const expected = splitIdentity(identity);
  return name === expected.name && [undefined, expected.version].includes(cleanVersion(version));
}

function misnamed(identity: string): Problem {
  return {
    code: 'bundle_json_invalid',
    title: 'The bundle cannot be read',
    detail: `The manifest in the place of ${identity} is that of another package or version.`,
    action: 'Fetch or make the bundle again.',
  };
}
