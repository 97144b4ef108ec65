import { z } from 'zod';
import { cleanVersion, PACKAGE_NAME } from '#shared/manifest/identity.ts';
import { JsonDocument } from '#shared/manifest/json-document.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { ProblemError } from '#shared/problem.ts';
import { canonicalJson } from '#shared/text/canonical-json.ts';
import { integrityOf } from './integrity.ts';
import { isRecordable, RECORD_FILE, recordIntegrity, recordOf } from './package-record.ts';
import { BUNDLE_WRITING, writeArchive } from './write-archive.ts';

/** A root package and those it depends on, as one file. */
export interface Bundle {
  /** Identity of the package the bundle is about: `@scope/name@version`. */
  readonly root: string;
  /** Files of each package by its identity, without their list. */
  readonly packages: ReadonlyMap<string, ReadonlyMap<string, Buffer>>;
  readonly integrity: string;
  readonly metadata?: unknown;
}

export const BUNDLE_FILE = 'bundle.json';
const FORMAT_VERSION = '1.0';
const MAX_PACKAGES = 512;
const MAX_IDENTITY_BYTES = 4096;

type BundleFault =
  | 'bundle_json_missing'
  | 'bundle_json_invalid'
  | 'bundle_version_unsupported'
  | 'bundle_record_missing'
  | 'bundle_record_malformed'
  | 'bundle_record_mismatch'
  | 'bundle_integrity_mismatch'
  | 'bundle_limits_exceeded'
  | 'bundle_manifest_missing'
  | 'bundle_files_unlisted';

const bundleSchema = z.object({
  bundleFormatVersion: z.string(),
  root: z.string(),
  packages: z.record(z.string(), z.object({ path: z.string(), integrity: z.string() })),
  integrity: z.string(),
  metadata: z.unknown().optional(),
});

/** Whether an archive's files are a bundle; its name says nothing. */
export function isBundle(files: ReadonlyMap<string, unknown>): boolean {
  return files.has(BUNDLE_FILE);
}

/**
 * Reads a bundle and proves that nothing in it was changed, added or left out.
 * @throws ProblemError with a code of `BundleFault`
 */
export function readBundle(files: ReadonlyMap<string, Buffer>): Bundle {
  const description = readDescription(files.get(BUNDLE_FILE));
  const identities = Object.keys(description.packages);
  if (identities.length > MAX_PACKAGES) {
    throw fault(
      'bundle_limits_exceeded',
      `It has ${identities.length} packages; ${MAX_PACKAGES} is the most.`,
    );
  }
  const packages = new Map<string, ReadonlyMap<string, Buffer>>();
  for (const identity of identities) {
    const { path, integrity } = description.packages[identity] ?? { path: '', integrity: '' };
    if (path !== folderOf(identity)) {
      throw fault('bundle_json_invalid', `"${identity}" must be in ${folderOf(identity)}, not in "${path}".`);
    }
    packages.set(identity, readPackage(identity, filesIn(files, path), integrity));
  }
  const folders = identities.map((identity) => folderOf(identity));
  for (const path of files.keys()) {
    if (path === BUNDLE_FILE || folders.some((folder) => path.startsWith(folder))) continue;
    throw fault('bundle_files_unlisted', `"${path}" belongs to no package of the bundle.`, path);
  }
  if (bundleIntegrity(description.packages) !== description.integrity) {
    throw fault('bundle_integrity_mismatch', 'The list of packages does not match its own checksum.');
  }
  if (!packages.has(description.root)) {
    throw fault('bundle_json_invalid', `The root "${description.root}" is not among the packages.`);
  }
  const { root, integrity, metadata } = description;
  return { root, packages, integrity, ...(metadata === undefined ? {} : { metadata }) };
}

/**
 * Writes a bundle; equal packages give equal bytes. The integrity is that of what was written.
 * @throws ProblemError `bundle_path_unlisted`, `archive_path_…` for files that a bundle cannot hold
 */
export async function writeBundle(
  bundle: Omit<Bundle, 'integrity'>,
): Promise<{ bytes: Buffer; integrity: string }> {
  const files = new Map<string, Buffer>();
  for (const [identity, content] of bundle.packages) {
    const folder = folderOf(identity);
    refuseOwnRecord(identity, content);
    for (const [path, bytes] of content) {
      if (!isRecordable(path)) {
        throw unlistable(identity, path, 'has a comma or a line end, which a bundle cannot hold');
      }
      files.set(folder + path, bytes);
    }
    files.set(folder + RECORD_FILE, Buffer.from(recordOf(content)));
  }
  const packages = describe(bundle.packages);
  const integrity = bundleIntegrity(packages);
  const { root, metadata } = bundle;
  const description = { bundleFormatVersion: FORMAT_VERSION, root, packages, integrity, metadata };
  files.set(BUNDLE_FILE, Buffer.from(canonicalJson(description)));
  return { bytes: await writeArchive(files, BUNDLE_WRITING), integrity };
}

/**
 * Refuses a package that has a file in the place of its list: no bundle can hold that, and no signature
 * covers it.
 * @throws ProblemError `bundle_path_unlisted`
 */
export function refuseOwnRecord(identity: string, files: ReadonlyMap<string, unknown>): void {
  if (!files.has(RECORD_FILE)) return;
  throw unlistable(identity, RECORD_FILE, 'has the name under which a bundle lists its files');
}

function unlistable(identity: string, path: string, reason: string): ProblemError {
  return new ProblemError({
    code: 'bundle_path_unlisted',
    title: 'A bundle cannot hold this file',
    detail: `"${path}" of ${identity} ${reason}.`,
    action: 'Rename the file.',
    file: path,
  });
}

/** Integrity of a bundle of these packages: what a signature stands for. */
export function integrityOfPackages(packages: Bundle['packages']): string {
  return bundleIntegrity(describe(packages));
}

type Descriptions = Readonly<Record<string, { readonly path: string; readonly integrity: string }>>;

function describe(packages: Bundle['packages']): Descriptions {
  return Object.fromEntries(
    [...packages].map(([identity, files]) => [
      identity,
      { path: folderOf(identity), integrity: recordIntegrity(recordOf(files)) },
    ]),
  );
}

function bundleIntegrity(packages: Descriptions): string {
  return integrityOf(Buffer.from(canonicalJson(packages)));
}

function readDescription(bytes: Buffer | undefined): z.infer<typeof bundleSchema> {
  if (bytes === undefined) throw fault('bundle_json_missing', `It has no ${BUNDLE_FILE}.`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw fault('bundle_json_invalid', `${BUNDLE_FILE} is not UTF-8 text.`, BUNDLE_FILE, error);
  }
  // Of a member that is given twice another reader may take the other, and so another root.
  const document = JsonDocument.read(text);
  if (!(document instanceof JsonDocument)) {
    throw fault(
      'bundle_json_invalid',
      `${BUNDLE_FILE} is not JSON. ${document[0]?.message ?? ''}`,
      BUNDLE_FILE,
    );
  }
  const parsed = bundleSchema.safeParse(document.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const detail = `${BUNDLE_FILE} is not as it should be: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}.`;
    throw fault('bundle_json_invalid', detail, BUNDLE_FILE);
  }
  const { bundleFormatVersion: version } = parsed.data;
  if (!/^1\.\d+$/.test(version)) {
    throw fault('bundle_version_unsupported', `Bundles of version "${version}" are not read, only 1.x.`);
  }
  return parsed.data;
}

/** Where a package's files are. @throws ProblemError when the identity is none. */
function folderOf(identity: string): string {
  const at = identity.lastIndexOf('@');
  const name = identity.slice(0, at);
  const version = identity.slice(at + 1);
  const isSound = PACKAGE_NAME.test(name) && cleanVersion(version) === version;
  if (!isSound || Buffer.byteLength(identity) > MAX_IDENTITY_BYTES) {
    throw fault('bundle_json_invalid', `"${identity.slice(0, 200)}" is not a package's name and version.`);
  }
  return `packages/${name}/${version}/`;
}

function filesIn(files: ReadonlyMap<string, Buffer>, folder: string): Map<string, Buffer> {
  const inside = [...files].filter(([path]) => path.startsWith(folder));
  return new Map(inside.map(([path, bytes]) => [path.slice(folder.length), bytes]));
}

function readPackage(identity: string, files: Map<string, Buffer>, integrity: string): Map<string, Buffer> {
  const record = files.get(RECORD_FILE);
  if (record === undefined) throw fault('bundle_record_missing', `${identity} has no ${RECORD_FILE}.`);
  files.delete(RECORD_FILE);
  if (recordIntegrity(record.toString('utf8')) !== integrity) {
    throw fault(
      'bundle_integrity_mismatch',
      `The files of ${identity} are not those the bundle was made of.`,
    );
  }
  const expected = recordOf(files);
  if (record.toString('utf8') !== expected) throw recordFault(identity, record.toString('utf8'), files);
  if (!files.has(MANIFEST_FILE)) {
    throw fault('bundle_manifest_missing', `${identity} has no ${MANIFEST_FILE}.`);
  }
  return files;
}

/** Says which line of a list is wrong; that one is, is known. */
function recordFault(identity: string, record: string, files: ReadonlyMap<string, Buffer>): Error {
  const lines = record.split('\n');
  const isCanonical =
    lines.at(-1) === '' &&
    lines.slice(0, -1).every((line) => /^[^,\r]+,sha256=[A-Za-z0-9+/]{43},(0|[1-9]\d*)$/.test(line)) &&
    lines.slice(0, -1).every((line, index) => index === 0 || pathIn(lines[index - 1]) < pathIn(line));
  if (!isCanonical) {
    return fault(
      'bundle_record_malformed',
      `The ${RECORD_FILE} of ${identity} is not written as it must be.`,
    );
  }
  const listed = new Map(lines.slice(0, -1).map((line) => [pathIn(line), `${line}\n`]));
  const odd =
    [...files].find(([path, bytes]) => listed.get(path) !== recordOf(new Map([[path, bytes]])))?.[0] ??
    [...listed.keys()].find((path) => !files.has(path));
  const detail = `"${odd ?? ''}" of ${identity} is not as its ${RECORD_FILE} says.`;
  return fault('bundle_record_mismatch', detail, odd);
}

function pathIn(line: string | undefined): string {
  return line?.slice(0, line.indexOf(',')) ?? '';
}

function fault(code: BundleFault, detail: string, file?: string, cause?: unknown): ProblemError {
  const problem = {
    code,
    title: 'The bundle cannot be read',
    detail,
    action: 'Fetch or make the bundle again.',
    ...(file === undefined ? {} : { file }),
  };
  return new ProblemError(problem, { cause });
}
