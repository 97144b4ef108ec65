import type { Finding } from '#shared/manifest/finding.ts';
import { MAX_JSON_CHARACTERS } from '#shared/manifest/json-document.ts';
import { MANIFEST_FILE, validatePackage, type ManifestReport } from '#shared/manifest/validate.ts';
import { FindingList, TEXT_START, type Direction } from '#shared/manifest/finding-list.ts';
import type { PackageLookup } from '#shared/manifest/rules/common.ts';
import type { RuleCode } from '#shared/manifest/rules/catalogue.ts';
import type { SchemaChecker } from '#shared/manifest/schema-checker.ts';
import { PROMPT_FILE } from '#shared/manifest/rules/agent.ts';
import { SKILL_FILE } from '#shared/manifest/rules/skill.ts';
import { ProblemError } from '#shared/problem.ts';
import { portabilityFault } from './package-path.ts';
import type { PackageFile, PackageSource } from './package-source.ts';

/** Bytes a prompt or a SKILL.md may have. */
const MAX_TEXT_BYTES = 1024 * 1024;
/** Bytes a manifest may have: its limit counts characters, of up to three bytes each. */
const MAX_MANIFEST_BYTES = 3 * MAX_JSON_CHARACTERS;

/** Names told of that Windows cannot write: one is enough to know what is wrong. */
const MAX_UNPORTABLE = 20;

/** A package as it was read, with all that was found in it. */
export interface CheckedPackage extends ManifestReport {
  readonly source: PackageSource;
  readonly files: readonly PackageFile[];
  readonly manifestText: string;
  readonly promptText: string;
}

/** Reads and checks a package. What cannot be read is a finding too, as far as possible. */
export async function checkPackage(
  source: PackageSource,
  files: readonly PackageFile[],
  options: {
    readonly direction: Direction;
    readonly schemaChecker: SchemaChecker | undefined;
    /** Packages at hand, to hold what an agent takes of them against. */
    readonly packages?: PackageLookup | undefined;
  },
): Promise<CheckedPackage> {
  const unreadable: Finding[] = [];
  const manifestText = await readOr(source, MANIFEST_FILE, MAX_MANIFEST_BYTES, unreadable);
  const promptText = await readOr(source, PROMPT_FILE, MAX_TEXT_BYTES, unreadable);
  const skillText = await readOr(source, SKILL_FILE, MAX_TEXT_BYTES, unreadable);
  const read = { source, files, manifestText: manifestText ?? '', promptText: promptText ?? '' };
  if (manifestText === undefined) {
    const message = `There is no ${MANIFEST_FILE} in ${source.location}, so it is not a package.`;
    const missing = fileFinding('manifest_missing', MANIFEST_FILE, message);
    const findings = unreadable.length > 0 ? unreadable : missing;
    return { ...read, findings, document: undefined, manifest: undefined };
  }
  const paths = new Set(files.map((file) => file.path));
  const texts: Record<string, string | undefined> = { [PROMPT_FILE]: promptText, [SKILL_FILE]: skillText };
  const report = validatePackage(
    manifestText,
    { has: (path) => paths.has(path), text: (path) => texts[path] },
    options,
  );
  const unportable = unportableNames(files);
  if (unreadable.length === 0) return { ...read, ...report, findings: [...report.findings, ...unportable] };
  const others = report.findings.filter(({ file }) => !unreadable.some((finding) => finding.file === file));
  return { ...read, ...report, manifest: undefined, findings: [...others, ...unreadable, ...unportable] };
}

/** Files that cannot be on every computer. */
function unportableNames(files: readonly PackageFile[]): Finding[] {
  const findings: Finding[] = [];
  for (const { path } of files) {
    const fault = portabilityFault(path);
    if (fault === undefined) continue;
    if (findings.length === MAX_UNPORTABLE) break;
    const message = `Windows cannot keep a file of this name: "${path}" ${fault}. Rename it.`;
    findings.push(...fileFinding('file_name_unportable', path, message));
  }
  return findings;
}

async function readOr(
  source: PackageSource,
  path: string,
  maxBytes: number,
  findings: Finding[],
): Promise<string | undefined> {
  try {
    return await source.readText(path, maxBytes);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    findings.push(...fileFinding('file_unreadable', path, error.problem.detail));
    return undefined;
  }
}

function fileFinding(code: RuleCode, file: string, message: string): Finding[] {
  const findings = new FindingList(TEXT_START, file, 'author');
  findings.add(code, [], message);
  return findings.toArray();
}
