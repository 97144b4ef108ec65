import { isRecord } from '#shared/manifest/plain.ts';
import type { PackageManifest } from '#shared/manifest/validate.ts';

/** Maps of `dependencies` that name packages. */
const DEPENDENCY_MAPS = ['skills', 'mcp_servers', 'integrations'] as const;

/**
 * The packages whose manifests matter to one that is being written: what it names, and the servers of the
 * integrations it names, whose tools are its own.
 * @param value the manifest as far as it reads
 * @param manifestOf what is known of another package
 */
export function neededPackages(
  value: unknown,
  manifestOf: (name: string) => PackageManifest | undefined,
): string[] {
  const root = isRecord(value) ? value : {};
  const dependencies = isRecord(root['dependencies']) ? root['dependencies'] : {};
  const named = DEPENDENCY_MAPS.flatMap((map) => {
    const entries = dependencies[map];
    return isRecord(entries) ? Object.keys(entries) : [];
  });
  const source = isRecord(root['source']) ? root['source'] : {};
  const server = isRecord(source['server']) ? source['server']['name'] : undefined;
  if (typeof server === 'string') named.push(server);
  const servers = named.flatMap((name) => {
    const manifest = manifestOf(name);
    return manifest?.type === 'integration' && manifest.source.kind === 'local'
      ? [manifest.source.server.name]
      : [];
  });
  return [...new Set([...named, ...servers])].sort();
}
