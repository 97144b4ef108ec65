import type { PackageManifest } from './validate.ts';

export type DependencyKind = 'skill' | 'mcp-server' | 'integration';

/** A package another one needs. */
export interface Dependency {
  readonly kind: DependencyKind;
  readonly name: string;
  /** Range of versions, as the author wrote it. */
  readonly range: string;
}

/** All that a package needs; the server of a local integration too, which stands outside its dependencies. */
export function dependenciesOf(manifest: PackageManifest): Dependency[] {
  const { skills, mcpServers, integrations } = manifest.dependencies;
  const listed = [
    ...inKind('skill', skills),
    ...inKind('mcp-server', mcpServers),
    ...inKind('integration', integrations),
  ];
  if (manifest.type !== 'integration' || manifest.source.kind !== 'local') return listed;
  const { name, version } = manifest.source.server;
  const isListed = listed.some((dependency) => dependency.kind === 'mcp-server' && dependency.name === name);
  return isListed ? listed : [...listed, { kind: 'mcp-server', name, range: version }];
}

function inKind(kind: DependencyKind, ranges: Readonly<Record<string, string>>): Dependency[] {
  return Object.entries(ranges).map(([name, range]) => ({ kind, name, range }));
}
