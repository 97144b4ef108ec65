import type { Dialect } from '../dialect.ts';
import type { FindingList } from '../finding-list.ts';
import { cleanVersion, likelyDisplayName, likelyVersion } from '../identity.ts';
import { pointerOf } from '../json-pointer.ts';
import type { IntegrationManifest } from '../model/integration.ts';
import type { McpServerManifest } from '../model/mcp-server.ts';
import { isRecord, membersOf } from '../plain.ts';
import type { SchemaChecker } from '../schema-checker.ts';
import { shown } from '../structure.ts';

/** What a rule looks at. Rules read loosely: what has the wrong shape is found by the structure check. */
export interface RuleContext {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly dialect: Dialect;
  readonly findings: FindingList;
  readonly schemaChecker: SchemaChecker | undefined;
  /** Files beside the manifest; undefined when only the manifest is at hand. */
  readonly files: PackageFiles | undefined;
  /** Findings in another file of the package. */
  companion(this: void, file: string): FindingList;
}

/** Finds the package a dependency is resolved to. */
export interface PackageLookup {
  integration(name: string, range: string): IntegrationManifest | undefined;
  mcpServer(name: string, range: string): McpServerManifest | undefined;
}

/** Files of a package, as far as rules look at them. */
export interface PackageFiles {
  has(path: string): boolean;
  /** Text of a file, or undefined when the package has none of that name. */
  text(path: string): string | undefined;
}

/** Spellings of AFPS 1.x that a later manifest keeps as unknown fields, so that they do nothing. */
const OLD_SPELLINGS: readonly (readonly [string, string])[] = [
  ['displayName', 'display_name'],
  ['longDescription', 'long_description'],
  ['schemaVersion', 'schema_version'],
  ['iconUrl', 'icon'],
  ['docsUrl', 'documentation'],
  ['categories', 'keywords'],
  ['setupGuide', 'setup_guide'],
  ['runtimeTools', 'runtime_tools'],
  ['providersConfiguration', 'integrations_configuration'],
];

/** Rules of every type of package: reference section 19, C4, C8, C12 and C14. */
export function checkCommon({ manifest, findings }: RuleContext): void {
  const { name, version, author } = manifest;

  checkVersion(version, findings);
  if (manifest['display_name'] === undefined && typeof name === 'string' && manifest['type'] === 'agent') {
    const displayName = likelyDisplayName(name);
    const message = '"display_name" is missing: give the name people see.';
    findings.add('field_missing', ['display_name'], message, {
      fix: { title: `Write "${displayName}"`, edits: [{ pointer: '/display_name', value: displayName }] },
    });
  }
  if (
    typeof author === 'string' ? author.trim() === '' : author === undefined && manifest['type'] === 'agent'
  ) {
    const message = 'Nobody is named as the author. Give a name in "author" before publishing.';
    findings.add('author_missing', ['author'], message);
  }
  checkDependencies(name, manifest['dependencies'], findings);

  for (const [old, current] of OLD_SPELLINGS) {
    if (!Object.hasOwn(manifest, old)) continue;
    const given = Object.hasOwn(manifest, current);
    findings.add('field_spelling', [old], `"${old}" is not read; this field is now called "${current}".`, {
      at: 'key',
      fix: {
        title: given ? `Remove "${old}"` : `Rename it to "${current}"`,
        edits: [
          ...(given ? [] : [{ pointer: pointerOf([current]), value: manifest[old] }]),
          { pointer: pointerOf([old]), remove: true },
        ],
      },
    });
  }
}

function checkVersion(version: unknown, findings: FindingList): void {
  const clean = typeof version === 'string' ? cleanVersion(version) : undefined;
  if (clean === version && version !== undefined) return;
  const value = clean ?? likelyVersion(typeof version === 'string' ? version : '');
  const fix = { title: `Write "${value}"`, edits: [{ pointer: '/version', value }] };
  if (clean !== undefined) {
    findings.add('version_unclean', ['version'], `The version is kept as "${clean}".`, { fix });
  } else if (version === undefined) {
    const message = '"version" is missing: give a semantic version such as "1.0.0".';
    findings.add('field_missing', ['version'], message, { fix });
  } else {
    const message = `"version" must be a semantic version such as "1.0.0"; it is ${shown(version)}.`;
    findings.add(typeof version === 'string' ? 'field_value' : 'field_type', ['version'], message, { fix });
  }
}

function checkDependencies(name: unknown, dependencies: unknown, findings: FindingList): void {
  if (!isRecord(dependencies)) return;
  for (const kind of ['skills', 'mcp_servers', 'integrations']) {
    for (const [id] of membersOf(dependencies[kind])) {
      if (id !== name) continue;
      const path = ['dependencies', kind, id];
      findings.add('dependency_self', path, 'The package depends on itself. Remove this dependency.', {
        at: 'key',
        fix: { title: 'Remove it', edits: [{ pointer: pointerOf(path), remove: true }] },
      });
    }
  }
  if (Object.hasOwn(dependencies, 'tools')) {
    const path = ['dependencies', 'tools'];
    const message =
      'Tool packages no longer exist, so "dependencies.tools" does nothing. Choose "runtime_tools", or depend on an MCP server in "dependencies.mcp_servers".';
    findings.add('dependency_kind_retired', path, message, {
      at: 'key',
      fix: { title: 'Remove "tools"', edits: [{ pointer: pointerOf(path), remove: true }] },
    });
  }
  if (Object.hasOwn(dependencies, 'providers')) {
    const path = ['dependencies', 'providers'];
    const merged = Object.fromEntries([
      ...membersOf(dependencies['integrations']),
      ...membersOf(dependencies['providers']),
    ]);
    const message =
      'Providers became integrations, so "dependencies.providers" does nothing. Name the integrations in "dependencies.integrations".';
    findings.add('dependency_kind_retired', path, message, {
      at: 'key',
      fix: {
        title: 'Move them to "integrations"',
        edits: [
          { pointer: '/dependencies/integrations', value: merged },
          { pointer: pointerOf(path), remove: true },
        ],
      },
    });
  }
}
