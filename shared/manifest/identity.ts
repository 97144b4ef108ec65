import coerce from 'semver/functions/coerce.js';
import validVersion from 'semver/functions/valid.js';
import validRange from 'semver/ranges/valid.js';

const SLUG = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';

/** `@scope/name`: lower-case letters, digits and inner hyphens on both sides. */
export const PACKAGE_NAME = new RegExp(`^@${SLUG}/${SLUG}$`);
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
