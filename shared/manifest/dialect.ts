import { SCHEMA_VERSION } from './identity.ts';

/**
 * Families of the format that are read. The numbers were restarted: a manifest of 2.0 is older than
 * one of 0.1, and the two differ in how they spell dependencies, sources and scopes.
 */
export type Dialect = '0.x' | '2.x';

/** Written into new manifests, and assumed where the format lets the version be left out. */
export const CURRENT_SCHEMA_VERSION = '0.2';
/** Highest minor version of each family that is known; a higher one is read as well as it can be. */
const KNOWN_MINOR: Readonly<Record<Dialect, number>> = { '0.x': 3, '2.x': 0 };

export type DialectReading =
  | { readonly kind: 'read'; readonly dialect: Dialect; readonly newer: boolean }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unsupported'; readonly major: number };

/** What a `schema_version` says; an absent one means the current dialect. */
export function readDialect(schemaVersion: unknown): DialectReading {
  if (schemaVersion === undefined) return { kind: 'read', dialect: '0.x', newer: false };
  const match = typeof schemaVersion === 'string' ? SCHEMA_VERSION.exec(schemaVersion) : null;
  if (match === null) return { kind: 'malformed' };
  const major = Number(match[1]);
  if (major !== 0 && major !== 2) return { kind: 'unsupported', major };
  const dialect = major === 0 ? '0.x' : '2.x';
  return { kind: 'read', dialect, newer: Number(match[2]) > KNOWN_MINOR[dialect] };
}

/** The four types of package. */
export const PACKAGE_TYPES = ['agent', 'skill', 'mcp-server', 'integration'] as const;
export type PackageType = (typeof PACKAGE_TYPES)[number];

export function isPackageType(value: unknown): value is PackageType {
  return (PACKAGE_TYPES as readonly unknown[]).includes(value);
}

const WITHDRAWN_TYPES = ['flow', 'extension', 'tool', 'provider'];

/** What shows that a manifest is of AFPS 1.x or earlier, in words; undefined when nothing does. */
export function legacyMark(manifest: Readonly<Record<string, unknown>>): string | undefined {
  const { type, schemaVersion, schema_version: schemaVersion2, $schema } = manifest;
  if (typeof type === 'string' && WITHDRAWN_TYPES.includes(type)) return `its type is "${type}"`;
  if (typeof schemaVersion2 === 'string' && /^1\.\d+(\.\d+)?$/.test(schemaVersion2)) {
    return `its schema_version is "${schemaVersion2}"`;
  }
  if (typeof $schema === 'string' && /\/v1\//.test($schema)) return `its $schema is of v1`;
  if (schemaVersion2 === undefined && typeof schemaVersion === 'string') return 'it has "schemaVersion"';
  if (schemaVersion2 === undefined && 'displayName' in manifest && !('display_name' in manifest)) {
    return 'it has "displayName"';
  }
  return undefined;
}
