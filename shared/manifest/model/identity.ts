import type { Dialect, PackageType } from '../dialect.ts';
import { cleanVersion, likelyDisplayName } from '../identity.ts';

/** Ranges of versions by scoped name. */
export type Ranges = Readonly<Record<string, string>>;

export interface Dependencies {
  readonly skills: Ranges;
  readonly mcpServers: Ranges;
  readonly integrations: Ranges;
}

/** What every package says of itself, whichever dialect it is written in. */
export interface PackageIdentity {
  readonly type: PackageType;
  readonly dialect: Dialect;
  readonly name: string;
  readonly version: string;
  readonly displayName: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly dependencies: Dependencies;
}

/** The 2.x form of a dependency may hold more than its range. */
type DependencyMap = Readonly<Record<string, string | { version: string }>> | undefined;

interface CommonFields {
  readonly name: string;
  readonly version: string;
  readonly display_name?: string | undefined;
  readonly description?: string | undefined;
  readonly keywords?: string[] | undefined;
  readonly dependencies?:
    { skills?: DependencyMap; mcp_servers?: DependencyMap; integrations?: DependencyMap } | undefined;
}

/** Reads what every type of manifest has. */
export function readIdentity(manifest: CommonFields, dialect: Dialect): Omit<PackageIdentity, 'type'> {
  return {
    dialect,
    name: manifest.name,
    version: cleanVersion(manifest.version) ?? manifest.version,
    displayName: manifest.display_name ?? likelyDisplayName(manifest.name),
    description: manifest.description ?? '',
    keywords: manifest.keywords ?? [],
    dependencies: {
      skills: rangesOf(manifest.dependencies?.skills),
      mcpServers: rangesOf(manifest.dependencies?.mcp_servers),
      integrations: rangesOf(manifest.dependencies?.integrations),
    },
  };
}

function rangesOf(map: DependencyMap): Ranges {
  const entries = Object.entries(map ?? {});
  return Object.fromEntries(
    entries.map(([id, range]) => [id, typeof range === 'string' ? range : range.version]),
  );
}

/** The members that have a value. */
export function present<T extends Record<string, unknown>>(
  members: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
