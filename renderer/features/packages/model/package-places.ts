import { firstTab, type PackagePlace, type PackageTab } from '#renderer/state/place.ts';
import type { PackageSummary } from '#shared/ipc/library-routes.ts';

/** Where a package is shown. */
export function placeOf(
  { name, type }: Pick<PackageSummary, 'name' | 'type'>,
  tab: PackageTab = firstTab(type),
): PackagePlace {
  return { name: 'package', kind: type, packageName: name, tab };
}

/** The same package at another tab, without what only one tab knows. */
export function tabPlace({ name, kind, packageName, version }: PackagePlace, tab: PackageTab): PackagePlace {
  return { name, kind, packageName, tab, version };
}
