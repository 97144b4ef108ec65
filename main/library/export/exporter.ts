import { randomBytes } from 'node:crypto';
import type { ExportedFile } from '#shared/ipc/library-routes.ts';
import type { Dialect } from '#shared/manifest/dialect.ts';
import { identityOf } from '#shared/manifest/identity.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { rewriteDialect } from '#shared/manifest/rewrite-dialect.ts';
import { MANIFEST_FILE, validateManifest } from '#shared/manifest/validate.ts';
import { ProblemError } from '#shared/problem.ts';
import type { SecretStore } from '#main/secrets/secret-store.ts';
import { writeBundle } from '../archive/bundle.ts';
import { integrityOf } from '../archive/integrity.ts';
import { SIGNATURE_FILE, signPackages } from '../archive/signature.ts';
import { writeArchive } from '../archive/write-archive.ts';
import type { CheckedPackage } from '../checked-package.ts';
import type { PackageEditor } from '../package-editor.ts';
import type { PackageFinder } from '../package-finder.ts';
import { decodeText } from '../package-source.ts';
import { invalidPackage, usesForbidden } from '../prepare.ts';
import type { Signing } from '../signing.ts';
import { faultsIn, nodesIn } from '../store/resolve.ts';
import { refuseSecrets } from './secret-scan.ts';

export interface ExporterOptions {
  readonly finder: PackageFinder;
  readonly editor: PackageEditor;
  readonly signing: Signing;
  readonly secrets: Pick<SecretStore, 'state' | 'names' | 'get'> | undefined;
}

export interface ExportRequest {
  readonly name: string;
  /** Version, tag or `draft`; the draft or else the latest version without one. */
  readonly version?: string | undefined;
  readonly format: 'afps' | 'afps-bundle';
  readonly sign: boolean;
  /** Dialect to write all manifests in, for readers that know only one; as they are without it. */
  readonly dialect?: Dialect | undefined;
}

/** An archive that was made, until it is fetched. */
export interface MadeArchive extends Omit<ExportedFile, 'token'> {
  readonly bytes: Buffer;
}

const MAX_HELD = 3;

/** Makes archives of packages: of one, or of one and all it depends on. */
export class Exporter {
  readonly #options: ExporterOptions;
  readonly #held = new Map<string, MadeArchive>();

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  /** Makes an archive and holds it for whoever fetches it next. @throws as {@link make}. */
  async hold(request: ExportRequest): Promise<ExportedFile> {
    const made = await this.make(request);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size < MAX_HELD) break;
      this.#held.delete(oldest);
    }
    const token = randomBytes(18).toString('base64url');
    this.#held.set(token, made);
    const { bytes: _, ...described } = made;
    return { token, ...described };
  }

  /** @throws ProblemError `export_unknown`. */
  held(token: string): MadeArchive {
    const made = this.#held.get(token);
    if (made !== undefined) return made;
    throw new ProblemError({
      code: 'export_unknown',
      title: 'The export is no longer held',
      detail: 'Only the last few exports are held.',
      action: 'Export it again.',
    });
  }

  /**
   * @throws ProblemError `package_unknown`, `version_unknown`, `package_invalid`, `dependency_unresolved` with the
   * places, `export_has_secret`, `vault_locked` when it is to be signed
   */
  async make({ name, version, format, sign, dialect }: ExportRequest): Promise<MadeArchive> {
    const { finder, editor, signing, secrets } = this.#options;
    const found = await finder.get(name, version);
    const checked = await finder.checkFound(found);
    const { manifest, findings } = checked;
    if (manifest === undefined) throw invalidPackage(checked, usesForbidden(findings), 'cannot be exported');
    const root = identityOf(manifest.name, manifest.version);
    const packages = new Map<string, Map<string, Buffer>>([[root, await editor.contentsOf(found)]]);
    const warnings = warningsOf(checked);
    if (format === 'afps-bundle') {
      const prefersDraft = found.snapshot === undefined || found.snapshot.version === undefined;
      const tree = finder.resolve(manifest, { prefersDraft });
      const faults = faultsIn(tree);
      const missing = faults.filter(({ state }) => state !== 'cycle');
      if (missing.length > 0) throw unresolved(root, missing);
      warnings.push(...faults.map(({ detail }) => detail));
      for (const { node } of nodesIn(tree)) {
        const snapshot = finder.snapshotOfNode(node);
        if (snapshot === undefined || node.version === undefined) continue;
        const identity = identityOf(node.name, node.version);
        if (packages.has(identity)) continue;
        const other = [...packages.keys()].find((key) => key.startsWith(`${node.name}@`));
        if (other !== undefined) warnings.push(`Both ${other} and ${identity} are in it.`);
        packages.set(identity, await finder.store.contents(snapshot));
      }
    }
    for (const [identity, files] of packages) {
      if (dialect !== undefined) warnings.push(...inDialect(identity, files, dialect));
      files.delete(SIGNATURE_FILE);
      await refuseSecrets(identity, files, secrets);
    }
    const content = sign ? signPackages({ root, packages }, await signing.key()) : packages;
    const bytes =
      format === 'afps-bundle'
        ? (await writeBundle({ root, packages: content })).bytes
        : await writeArchive(content.get(root) ?? new Map());
    return {
      fileName: `${manifest.name.slice(1).replace('/', '-')}-${manifest.version}.${format}`,
      size: bytes.length,
      integrity: integrityOf(bytes),
      packages: [...packages.keys()],
      warnings,
      bytes,
    };
  }
}

/**
 * Writes the manifest among files in another dialect, and gives what could not be said there.
 * @throws ProblemError `dialect_impossible` when that would be no good manifest
 */
function inDialect(identity: string, files: Map<string, Buffer>, dialect: Dialect): string[] {
  const text = decodeText(MANIFEST_FILE, files.get(MANIFEST_FILE) ?? new Uint8Array());
  const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
  if (!isRecord(value)) return [];
  const { manifest, notes } = rewriteDialect(value, dialect);
  if (manifest['schema_version'] === value['schema_version']) return [];
  const rewritten = `${JSON.stringify(manifest, null, 2)}\n`;
  const errors = usesForbidden(validateManifest(rewritten, { direction: 'stored' }).findings);
  if (errors.length > 0) {
    throw new ProblemError({
      code: 'dialect_impossible',
      title: 'The package cannot be written so',
      detail: `${identity} says what the dialect ${dialect} cannot. ${errors[0]?.message ?? ''}`,
      action: 'Export it as it is.',
      causes: errors.map(({ code, message, pointer }) => ({ code, detail: message, pointer })),
    });
  }
  files.set(MANIFEST_FILE, Buffer.from(rewritten));
  return notes.map((note) => `${identity}: ${note}`);
}

function warningsOf({ findings }: CheckedPackage): string[] {
  const errors = findings.filter(({ severity }) => severity === 'error');
  return errors.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
}

function unresolved(root: string, faults: readonly { detail: string }[]): ProblemError {
  return new ProblemError({
    code: 'dependency_unresolved',
    title: 'Not all dependencies are here',
    detail: `${root} cannot be bundled: ${faults.length === 1 ? 'a dependency' : `${faults.length} dependencies`} could not be found. ${faults[0]?.detail ?? ''}`,
    action: 'Import what is missing, or export the package alone.',
    causes: faults.map(({ detail }) => ({ code: 'dependency_unresolved', detail })),
  });
}
