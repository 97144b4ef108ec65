import coerce from 'semver/functions/coerce.js';
import compare from 'semver/functions/compare.js';
import increment from 'semver/functions/inc.js';
import prerelease from 'semver/functions/prerelease.js';
import satisfies from 'semver/functions/satisfies.js';
import validVersion from 'semver/functions/valid.js';
import validRange from 'semver/ranges/valid.js';

const SLUG = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';

/**
 * `@scope/name`: lower-case letters, digits and inner hyphens on both sides. A bundle reads identities of
 * 4096 bytes, of which a version may be 256 (reference: afps, section 16).
 */
export const PACKAGE_NAME = new RegExp(`^(?=.{1,3800}$)@${SLUG}/${SLUG}$`);
/** Key of an authentication method of an integration. */
export const AUTH_KEY = /^[a-z][a-z0-9_]*$/;
/** MAJOR.MINOR without leading zeros. */
export const SCHEMA_VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
/** `_meta` key: an optional dotted prefix, then a name; the prefixes of MCP itself are reserved. */
export const META_KEY =
  /^(?!(?:mcp|modelcontextprotocol)(?:[./]|$))(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+\/)?[A-Za-z0-9._-]+$/;

/** The version as it is kept (no blanks, no leading `v`), or undefined when it is none. */
export function cleanVersion(version: string): string | undefined {
  return validVersion(version) ?? undefined;
}

/** Whether a text is a range of versions; the empty text means any. */
export function isVersionRange(range: string): boolean {
  return validRange(range) !== null;
}

/** Below 0 when `a` is the lower version. Build marks count last, so that the order is total. */
export function compareVersions(a: string, b: string): number {
  return compare(a, b) || (a < b ? -1 : Number(a > b));
}

/** Whether `a` comes after `b`; build marks do not count. */
export function isHigherVersion(a: string, b: string): boolean {
  return compare(a, b) > 0;
}

export function isPrerelease(version: string): boolean {
  return prerelease(version) !== null;
}

/** Whether a version is in a range; a prerelease only where the range names one of the same version. */
export function isInRange(version: string, range: string): boolean {
  return satisfies(version, range);
}

/** The next version after one, by the size of the step. */
export function nextVersion(version: string, step: 'patch' | 'minor' | 'major'): string {
  return increment(version, step) ?? version;
}

/** A package's name and version as one text: `@scope/name@1.2.0`. */
export function identityOf(name: string, version: string): string {
  return `${name}@${version}`;
}

/** The two parts of `@scope/name@version`; the version may also be a tag, a range, or absent. */
export function splitIdentity(text: string): { name: string; version: string | undefined } {
  const at = text.indexOf('@', 1);
  return at === -1
    ? { name: text, version: undefined }
    : { name: text.slice(0, at), version: text.slice(at + 1) };
}

/** The version an author probably meant by a text that is none: `1.0` as `1.0.0`. */
export function likelyVersion(version: string): string {
  return coerce(version)?.version ?? '1.0.0';
}

/** A name to show for a package that gives none: the slug in words. */
export function likelyDisplayName(name: string): string {
  const words = name
    .slice(name.indexOf('/') + 1)
    .replaceAll('-', ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
