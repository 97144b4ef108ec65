import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { SKILL_FILE } from '#shared/manifest/rules/skill.ts';

/** Where a package is among many files. */
export interface PackagePlace {
  /** Path of its folder, without a slash at its end; empty for the top. */
  readonly folder: string;
  /** Whether it has a manifest; a skill of other tools has none. */
  readonly hasManifest: boolean;
}

/**
 * The packages among files: each folder with a manifest, and each with a SKILL.md that is in none of them.
 * What is inside a package is part of it.
 */
export function findPackages(paths: Iterable<string>): PackagePlace[] {
  const manifests: string[] = [];
  const skills: string[] = [];
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (name === MANIFEST_FILE) manifests.push(folderOf(path));
    if (name === SKILL_FILE) skills.push(folderOf(path));
  }
  const places: PackagePlace[] = [];
  const byDepth = (a: string, b: string): number =>
    a.split('/').length - b.split('/').length || (a < b ? -1 : 1);
  for (const [folders, hasManifest] of [
    [manifests.sort(byDepth), true],
    [skills.sort(byDepth), false],
  ] as const) {
    for (const folder of folders) {
      if (!places.some((place) => isWithin(folder, place.folder))) places.push({ folder, hasManifest });
    }
  }
  return places;
}

/** The files of a folder, with paths relative to it. */
export function filesIn<T>(files: ReadonlyMap<string, T>, folder: string): Map<string, T> {
  if (folder === '') return new Map(files);
  const prefix = `${folder}/`;
  const inside = [...files].filter(([path]) => path.startsWith(prefix));
  return new Map(inside.map(([path, content]) => [path.slice(prefix.length), content]));
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

function isWithin(folder: string, parent: string): boolean {
  return parent === '' || folder === parent || folder.startsWith(`${parent}/`);
}
