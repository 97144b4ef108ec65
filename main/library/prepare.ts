import { dependenciesOf } from '#shared/manifest/dependencies.ts';
import type { Finding } from '#shared/manifest/finding.ts';
import { isRecord, membersOf } from '#shared/manifest/plain.ts';
import type { PackageManifest } from '#shared/manifest/validate.ts';
import { ProblemError } from '#shared/problem.ts';
import type { CheckedPackage } from './checked-package.ts';
import type { RunPackage } from './library.ts';
import type { SnapshotOrigin, SnapshotSummary } from './store/package-index.ts';
import type { PreparedPackage } from './store/package-store.ts';

/**
 * What the store keeps of a checked package.
 * @throws ProblemError `package_invalid` when an error forbids its use
 */
export function preparePackage(
  checked: CheckedPackage,
  files: ReadonlyMap<string, Buffer>,
  origin: SnapshotOrigin,
): PreparedPackage {
  const { manifest, findings } = checked;
  if (manifest === undefined) throw invalidPackage(checked, usesForbidden(findings), 'cannot be kept');
  return {
    name: manifest.name,
    type: manifest.type,
    files,
    summary: summaryOf(checked, manifest),
    dependencies: dependenciesOf(manifest),
    origin,
  };
}

/** A checked package as a run takes it. @throws ProblemError `package_invalid`. */
export function runPackageOf(checked: CheckedPackage): RunPackage {
  const { manifest, source, findings } = checked;
  const errors = usesForbidden(findings);
  if (manifest === undefined || manifest.type === 'agent' || errors.length > 0) {
    throw invalidPackage(checked, errors, 'cannot be used');
  }
  return { kind: manifest.type, name: manifest.name, version: manifest.version, manifest, source };
}

/** The errors that forbid saving and running. */
export function usesForbidden(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ severity, blocks }) => severity === 'error' && blocks === 'use');
}

/** The errors that forbid publishing. */
export function publishForbidden(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ severity, blocks }) => severity === 'error' && blocks !== 'nothing');
}

/** Why a package is refused, with every error and its place. */
export function invalidPackage(
  { source }: Pick<CheckedPackage, 'source'>,
  errors: readonly Finding[],
  verdict: string,
): ProblemError {
  const [first] = errors;
  const place = first === undefined ? '' : ` ${first.file}:${first.line}:${first.column}: ${first.message}`;
  const count = errors.length === 1 ? 'an error' : `${errors.length} errors`;
  return new ProblemError({
    code: 'package_invalid',
    title: 'The package has errors',
    detail: `${source.name} ${verdict}: it has ${count}.${place}`,
    action: 'Correct the package and try again.',
    ...(first && { file: first.file, pointer: first.pointer, line: first.line, column: first.column }),
    causes: errors.map(({ code, file, line, column, message, pointer }) => ({
      code,
      detail: `${file}:${line}:${column}: ${message}`,
      pointer,
    })),
  });
}

function summaryOf({ document, findings }: CheckedPackage, manifest: PackageManifest): SnapshotSummary {
  const raw = isRecord(document?.value) ? document.value : {};
  const icon = raw['icon'];
  return {
    displayName: manifest.displayName,
    description: manifest.description,
    keywords: [...manifest.keywords],
    ...(typeof icon === 'string' && icon !== '' ? { icon } : {}),
    version: manifest.version,
    errorCount: usesForbidden(findings).length,
    publishErrorCount: publishForbidden(findings).length,
    warningCount: findings.filter(({ severity }) => severity === 'warning').length,
    tools: manifest.type === 'agent' ? [...manifest.runtimeTools] : [],
    inputFieldCount: manifest.type === 'agent' ? membersOf(manifest.input?.schema['properties']).length : 0,
  };
}
