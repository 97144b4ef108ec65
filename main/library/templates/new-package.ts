import { CURRENT_SCHEMA_VERSION, type PackageType } from '#shared/manifest/dialect.ts';
import { likelyDisplayName } from '#shared/manifest/identity.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';

/** What an author says of a package before it exists. */
export interface NewPackage {
  /** `@scope/name`; it cannot be changed later. */
  readonly name: string;
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  /** Left out, publishing will ask for it. */
  readonly author?: string | undefined;
}

/** Text files of a package by their path. */
export type PackageText = ReadonlyMap<string, string>;

/** The name people see: the one given, else the slug in words. */
export function shownName({ name, displayName }: NewPackage): string {
  return displayName?.trim() || likelyDisplayName(name);
}

/** A manifest with what every type has first, then the members of its own type. */
export function manifestFile(
  type: PackageType,
  identity: NewPackage,
  example: { readonly description: string; readonly members: Readonly<Record<string, unknown>> },
): readonly [path: string, text: string] {
  const author = identity.author?.trim();
  const manifest = {
    $schema: `https://schemas.afps.dev/v0/${type}.schema.json`,
    schema_version: CURRENT_SCHEMA_VERSION,
    type,
    name: identity.name,
    version: '0.1.0',
    display_name: shownName(identity),
    description: describe(identity, example.description),
    ...(author && { author }),
    keywords: [],
    ...example.members,
  };
  return [MANIFEST_FILE, `${JSON.stringify(manifest, null, 2)}\n`];
}

/** What the package does: the sentence given, else the example's. */
export function describe({ description }: NewPackage, example: string): string {
  return description?.trim() || example;
}

/** A heading of Markdown: one line, whatever the name holds. */
export function heading(identity: NewPackage): string {
  return `# ${shownName(identity).replaceAll(/\s+/g, ' ')}`;
}
