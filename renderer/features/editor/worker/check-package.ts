import type { Finding } from '#shared/manifest/finding.ts';
import { isInRange, isVersionRange } from '#shared/manifest/identity.ts';
import type { JsonDocument } from '#shared/manifest/json-document.ts';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { isRecord, membersOf } from '#shared/manifest/plain.ts';
import type { PackageFiles, PackageLookup } from '#shared/manifest/rules/common.ts';
import type { SchemaChecker } from '#shared/manifest/schema-checker.ts';
import { MANIFEST_FILE, validatePackage } from '#shared/manifest/validate.ts';
import type { LibraryPackage } from '../ports.ts';

/** A package as it is being written. */
export interface PackageDraft {
  readonly manifestText: string;
  /** Every file beside the manifest. */
  readonly paths: readonly string[];
  /** Those whose text is at hand. */
  readonly texts: Readonly<Record<string, string>>;
}

/** All that is to be said about a draft: by itself, and held against the library. */
export function checkDraft(
  draft: PackageDraft,
  packages: readonly LibraryPackage[],
  schemaChecker?: SchemaChecker,
): Finding[] {
  const { findings, document } = validatePackage(draft.manifestText, filesOf(draft), {
    direction: 'author',
    schemaChecker,
    packages: lookupIn(packages),
  });
  return [...findings, ...(document === undefined ? [] : dependencyFindings(document, packages))].sort(
    (a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column,
  );
}

function filesOf({ paths, texts }: PackageDraft): PackageFiles {
  const known = new Set([...paths, ...Object.keys(texts)]);
  return {
    has: (path) => known.has(path),
    // A file whose text is not loaded is only known to be there.
    text: (path) => texts[path] ?? (known.has(path) ? UNKNOWN_TEXT : undefined),
  };
}

/** Stands for a text that is not at hand and is taken to be good. */
const UNKNOWN_TEXT = '---\nname: unknown\ndescription: unknown\n---\nunknown';

/** Finds packages whichever version fits: the manifest at hand stands for all. */
function lookupIn(packages: readonly LibraryPackage[]): PackageLookup {
  const manifests = new Map(packages.map(({ name, manifest }) => [name, manifest]));
  return {
    integration: (name) => {
      const manifest = manifests.get(name);
      return manifest?.type === 'integration' ? manifest : undefined;
    },
    mcpServer: (name) => {
      const manifest = manifests.get(name);
      return manifest?.type === 'mcp-server' ? manifest : undefined;
    },
  };
}

const KINDS = [
  ['skills', 'skill', 'skill'],
  ['mcp_servers', 'mcp-server', 'MCP server'],
  ['integrations', 'integration', 'integration'],
] as const;

/** What the manifest depends on and the library has not, or not in a version that fits. */
function dependencyFindings(document: JsonDocument, packages: readonly LibraryPackage[]): Finding[] {
  const dependencies = isRecord(document.value) ? document.value['dependencies'] : undefined;
  if (!isRecord(dependencies)) return [];
  const findings: Finding[] = [];
  for (const [kind, type, word] of KINDS) {
    for (const [name, value] of membersOf(dependencies[kind])) {
      const range = isRecord(value) ? value['version'] : value;
      if (typeof range !== 'string' || !isVersionRange(range)) continue;
      const known = packages.find((candidate) => candidate.name === name);
      const pointer = pointerOf(['dependencies', kind, name]);
      const add = (code: string, message: string, fix?: Finding['fix']): void => {
        findings.push({
          code,
          severity: 'warning',
          blocks: 'nothing',
          file: MANIFEST_FILE,
          pointer,
          ...document.position(pointer, 'key'),
          message,
          ...(fix === undefined ? {} : { fix }),
        });
      };
      if (known === undefined) {
        add(
          'dependency_missing',
          `The library has no ${word} "${name}". Import it, or remove the dependency.`,
        );
      } else if (known.type !== type) {
        add('dependency_type', `"${name}" is no ${word} but of the type "${known.type}".`);
      } else {
        const [newest] = known.versions;
        const fits = known.versions.some((version) => isInRange(version, range));
        if (newest === undefined || fits) continue;
        add('dependency_version', `No version of "${name}" fits "${range}"; the newest is ${newest}.`, {
          title: `Use "^${newest}"`,
          edits: [{ pointer: isRecord(value) ? `${pointer}/version` : pointer, value: `^${newest}` }],
        });
      }
    }
  }
  return findings;
}
