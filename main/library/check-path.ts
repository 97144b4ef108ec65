import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Finding } from '#shared/manifest/finding.ts';
import type { SchemaChecker } from '#shared/manifest/schema-checker.ts';
import { MANIFEST_FILE, validateManifest } from '#shared/manifest/validate.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';
import { isBundle, readBundle } from './archive/bundle.ts';
import { integrityOf } from './archive/integrity.ts';
import { readArchive } from './archive/read-archive.ts';
import { writeArchive } from './archive/write-archive.ts';
import { checkPackage, type CheckedPackage } from './checked-package.ts';
import { refuseSecrets } from './export/secret-scan.ts';
import { checkFileLimits } from './file-limits.ts';
import { filesIn, findPackages } from './import/find-packages.ts';
import { createSchemaChecker } from './json-schema.ts';
import { MemoryPackage } from './memory-package.ts';
import { readArchiveFile } from './package-archive.ts';
import { readAll } from './package-editor.ts';
import { PackageFolder } from './package-folder.ts';
import { decodeText, type PackageFile } from './package-source.ts';
import { invalidPackage, usesForbidden } from './prepare.ts';

/** Everything found in what a path names, each with the file it is in, relative to that path. */
export interface PathReport {
  readonly findings: readonly Finding[];
  /** Packages that were looked at. */
  readonly packageCount: number;
}

/**
 * Checks a folder with one package or several, an archive, a bundle, or a manifest by itself. What makes an
 * archive unreadable is a finding too.
 * @throws ProblemError `path_unknown`
 */
export async function checkPath(path: string): Promise<PathReport> {
  const location = resolve(path);
  const found = await stat(location).catch(() => undefined);
  if (found === undefined) throw pathUnknown(location);
  const schemaChecker = createSchemaChecker();
  try {
    if (found.isDirectory()) return await checkFolder(location, schemaChecker);
    if (basename(location) === MANIFEST_FILE) return await checkFolder(dirname(location), schemaChecker);
    const bytes = await readArchiveFile(location);
    if (/\.jsonc?$/i.test(location)) {
      const text = decodeText(basename(location), bytes);
      const { findings } = validateManifest(text, { direction: 'author', schemaChecker });
      return {
        findings: findings.map((finding) => ({ ...finding, file: basename(location) })),
        packageCount: 1,
      };
    }
    return await checkArchive(location, bytes, schemaChecker);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { findings: [findingOf(error.problem, basename(location))], packageCount: 0 };
  }
}

async function checkFolder(location: string, schemaChecker: SchemaChecker): Promise<PathReport> {
  const folder = await PackageFolder.at(location);
  const files = await folder.list();
  const places = findPackages(files.map(({ path }) => path)).filter(({ hasManifest }) => hasManifest);
  if (places.length <= 1 && (places[0]?.folder ?? '') === '') {
    return { findings: await checkOneFolder(folder, files, schemaChecker), packageCount: 1 };
  }
  const findings: Finding[] = [];
  for (const place of places) {
    const inside = await PackageFolder.at(join(location, place.folder));
    findings.push(...within(await checkOneFolder(inside, await inside.list(), schemaChecker), place.folder));
  }
  return { findings, packageCount: places.length };
}

/** What is found in one package, what would keep it from being packed among it. */
async function checkOneFolder(
  folder: PackageFolder,
  files: readonly PackageFile[],
  schemaChecker: SchemaChecker,
): Promise<Finding[]> {
  const { findings } = await checkPackage(folder, files, { direction: 'author', schemaChecker });
  try {
    checkFileLimits(new Map(files.map(({ path, size }) => [path, { length: size }])));
    return [...findings];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return [...findings, findingOf(error.problem, folder.name)];
  }
}

async function checkArchive(
  location: string,
  bytes: Buffer,
  schemaChecker: SchemaChecker,
): Promise<PathReport> {
  const { files } = await readArchive(bytes);
  const name = basename(location);
  if (!isBundle(files)) {
    const places = findPackages(files.keys()).filter(({ hasManifest }) => hasManifest);
    const roots = places.length > 0 ? places : [{ folder: '', hasManifest: false }];
    const findings: Finding[] = [];
    for (const { folder } of roots) {
      const source = new MemoryPackage(location, name, filesIn(files, folder));
      const checked = await checkPackage(source, await source.list(), { direction: 'author', schemaChecker });
      findings.push(...within(checked.findings, folder));
    }
    return { findings, packageCount: roots.length };
  }
  const { packages } = readBundle(files);
  const findings: Finding[] = [];
  for (const [identity, content] of packages) {
    const source = new MemoryPackage(location, identity, content);
    const checked = await checkPackage(source, await source.list(), { direction: 'stored', schemaChecker });
    findings.push(...within(checked.findings, identity));
  }
  return { findings, packageCount: packages.size };
}

function within(findings: readonly Finding[], folder: string): Finding[] {
  return findings.map((finding) => ({
    ...finding,
    file: folder === '' ? finding.file : `${folder}/${finding.file}`,
  }));
}

/** What is wrong with a file as a whole. */
function findingOf({ code, detail, file, line, column, pointer }: Problem, name: string): Finding {
  return {
    code,
    severity: 'error',
    blocks: 'use',
    file: file ?? name,
    pointer: pointer ?? '',
    line: line ?? 1,
    column: column ?? 1,
    message: detail,
  };
}

/** An archive made of a folder. */
export interface PackedFolder {
  readonly fileName: string;
  readonly bytes: Buffer;
  readonly integrity: string;
  readonly findings: readonly Finding[];
}

/**
 * Makes an archive of the package in a folder; the same files always give the same bytes.
 * @throws ProblemError `path_unknown`, `package_invalid`, `export_has_secret`, `file_path_unsafe`
 */
export async function packFolder(path: string): Promise<PackedFolder> {
  const location = resolve(path);
  const found = await stat(location).catch(() => undefined);
  if (found === undefined) throw pathUnknown(location);
  const folder = await PackageFolder.at(basename(location) === MANIFEST_FILE ? dirname(location) : location);
  const files = await readAll(folder);
  const source = new MemoryPackage(folder.location, folder.name, files);
  const checked: CheckedPackage = await checkPackage(source, await source.list(), {
    direction: 'author',
    schemaChecker: createSchemaChecker(),
  });
  const { manifest, findings } = checked;
  if (manifest === undefined) throw invalidPackage(checked, usesForbidden(findings), 'cannot be packed');
  await refuseSecrets(manifest.name, files, undefined);
  const bytes = await writeArchive(files);
  const fileName = `${manifest.name.slice(1).replace('/', '-')}-${manifest.version}.afps`;
  return { fileName, bytes, integrity: integrityOf(bytes), findings };
}

function pathUnknown(location: string): ProblemError {
  return new ProblemError({
    code: 'path_unknown',
    title: 'No such file or folder',
    detail: `There is nothing at ${location}.`,
  });
}
