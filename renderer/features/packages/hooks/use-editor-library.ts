import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { EditorLibrary, LibraryPackage } from '#renderer/features/editor/index.ts';
import { useApp, useServices } from '#renderer/state/app-context.tsx';
import { requestKey } from '#renderer/state/requests.ts';
import type { PackageDetail, PackageSummary } from '#shared/ipc/library-routes.ts';
import { validateManifest } from '#shared/manifest/validate.ts';

/** Packages whose manifests are read for the editor: their tools are offered. */
const MAX_READ = 150;

/** What the editor of a package may know of the others in the library. */
export function useEditorLibrary(ownName: string): EditorLibrary {
  const { client } = useServices();
  const packages = useApp(({ library }) => library?.packages);
  const others = useMemo(
    () => (packages ?? []).filter(({ name, type }) => name !== ownName && type !== 'agent'),
    [packages, ownName],
  );
  const read = useMemo(() => others.slice(0, MAX_READ), [others]);
  const details = useQueries({
    queries: read.map(({ name, updatedAt, latestVersion, draftVersion }) => ({
      queryKey: [...requestKey('library.package', { name }), `${updatedAt} ${latestVersion} ${draftVersion}`],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.request('library.package', { name }, { signal }),
    })),
    combine: (results) => results.map(({ data }) => data),
  });
  return useMemo(() => {
    const byName = new Map(details.flatMap((detail) => (detail ? [[detail.summary.name, detail]] : [])));
    return { packages: others.map((summary) => editorPackage(summary, byName.get(summary.name))) };
  }, [others, details]);
}

function editorPackage(summary: PackageSummary, detail: PackageDetail | undefined): LibraryPackage {
  const { name, type, displayName, description, latestVersion } = summary;
  const published = detail?.versions.filter(({ yanked }) => !yanked).map(({ version }) => version);
  return {
    name,
    type,
    displayName,
    description,
    versions: published ?? (latestVersion === undefined ? [] : [latestVersion]),
    manifest: detail && validateManifest(detail.manifestText, { direction: 'stored' }).manifest,
  };
}
