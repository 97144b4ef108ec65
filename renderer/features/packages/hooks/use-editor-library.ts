import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo, useState, useSyncExternalStore } from 'react';
import type { EditorLibrary, LibraryPackage, ManifestDocument } from '#renderer/features/editor/index.ts';
import { useApp, useServices } from '#renderer/state/app-context.tsx';
import { requestKey, useRequest } from '#renderer/state/requests.ts';
import type { PackageDetail, PackageSummary } from '#shared/ipc/library-routes.ts';
import { validateManifest, type PackageManifest } from '#shared/manifest/validate.ts';
import { neededPackages } from '../model/needed-packages.ts';

/**
 * What the editor of a package may know of the others in the library: of each that it can be given to
 * choose, and the manifests of those it names, which are read when it names them.
 */
export function useEditorLibrary(ownName: string, document: ManifestDocument): EditorLibrary {
  const { client } = useServices();
  const packages = useApp(({ library }) => library?.packages);
  const others = useMemo(
    () => (packages ?? []).filter(({ name, type }) => name !== ownName && type !== 'agent'),
    [packages, ownName],
  );
  const reading = useSyncExternalStore(
    useCallback((listener) => document.onReading(listener), [document]),
    () => document.reading,
  );
  const value: unknown = reading.state === 'read' ? reading.value : reading.last;
  const named = useNeeded(value, others, NOTHING_READ);
  const read = useDetails(named, client);
  const needed = useNeeded(value, others, read);
  const details = useDetails(needed, client);
  const liveTools = useLiveTools(needed);
  return useMemo(() => {
    const names = new Set(needed.map(({ name }) => name));
    return {
      packages: others.map((summary) => editorPackage(summary, details.get(summary.name), names)),
      liveTools,
    };
  }, [others, needed, details, liveTools]);
}

type Details = ReadonlyMap<string, PackageDetail>;

const NOTHING_READ: Details = new Map();

/** The packages that a manifest needs, as far as the library has them; the same list while they are the same. */
function useNeeded(
  value: unknown,
  others: readonly PackageSummary[],
  read: Details,
): readonly PackageSummary[] {
  const names = neededPackages(value, (name) => manifestOf(read.get(name))).join('\n');
  return useMemo(() => {
    const wanted = new Set(names.split('\n'));
    return others.filter(({ name }) => wanted.has(name));
  }, [names, others]);
}

function useDetails(
  packages: readonly PackageSummary[],
  client: ReturnType<typeof useServices>['client'],
): Details {
  return useQueries({
    queries: packages.map(({ name, updatedAt, latestVersion, draftVersion }) => ({
      queryKey: [...requestKey('library.package', { name }), `${updatedAt} ${latestVersion} ${draftVersion}`],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.request('library.package', { name }, { signal }),
    })),
    combine: byName,
  });
}

/** Tools as the servers of integrations told them when they were last asked, as far as they were accepted. */
function useLiveTools(packages: readonly PackageSummary[]): NonNullable<EditorLibrary['liveTools']> {
  const [openedAt] = useState(() => Date.now());
  const integrationIds = useMemo(
    () => packages.filter(({ type }) => type === 'integration').map(({ name }) => name),
    [packages],
  );
  const accepted = useRequest(
    'toolReviews.accepted',
    { integrationIds },
    { enabled: integrationIds.length > 0, version: openedAt, keepsPrevious: true },
  );
  return accepted.data?.tools ?? NO_TOOLS;
}

const NO_TOOLS = {};

function byName(results: readonly { readonly data: PackageDetail | undefined }[]): Details {
  return new Map(results.flatMap(({ data }) => (data ? [[data.summary.name, data] as const] : [])));
}

function editorPackage(
  summary: PackageSummary,
  detail: PackageDetail | undefined,
  needed: ReadonlySet<string>,
): LibraryPackage {
  const { name, type, displayName, description, latestVersion } = summary;
  const published = detail?.versions.filter(({ yanked }) => !yanked).map(({ version }) => version);
  // Of one that is being read, a range is not judged by its newest version alone.
  const isAwaited = detail === undefined && needed.has(name);
  const newest = latestVersion === undefined || isAwaited ? [] : [latestVersion];
  return {
    name,
    type,
    displayName,
    description,
    versions: published ?? newest,
    manifest: manifestOf(detail),
    content: detail?.content?.text,
  };
}

/** Manifests by what they were read of, each read once. */
const manifests = new WeakMap<PackageDetail, { readonly manifest: PackageManifest | undefined }>();

function manifestOf(detail: PackageDetail | undefined): PackageManifest | undefined {
  if (detail === undefined) return undefined;
  const known = manifests.get(detail);
  if (known) return known.manifest;
  const { manifest } = validateManifest(detail.manifestText, { direction: 'stored' });
  manifests.set(detail, { manifest });
  return manifest;
}
