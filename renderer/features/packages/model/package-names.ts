import { PACKAGE_NAME } from '#shared/manifest/identity.ts';

const SCOPE_KEY = 'slipway.scope';
const FIRST_SCOPE = '@me';

/** Why a new package cannot have this name; undefined when it can. */
export function refuseName(name: string, taken: readonly string[]): string | undefined {
  if (!PACKAGE_NAME.test(name)) {
    return 'A name is @scope/name, of lower-case letters, digits and inner hyphens, such as @you/weekly-report.';
  }
  return taken.includes(name) ? `${name} is in the library already.` : undefined;
}

/** The last part of a name for what a person calls something: `Weekly Report!` becomes `weekly-report`. */
export function slugOf(title: string): string {
  return title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '');
}

/** A free name in the author's own scope; empty while there is nothing to name it after. */
export function proposeName(slug: string, taken: readonly string[], scope = rememberedScope()): string {
  if (slug === '') return '';
  for (let number = 1; ; number += 1) {
    const name = `${scope}/${slug}${number === 1 ? '' : `-${number}`}`;
    if (!taken.includes(name)) return name;
  }
}

/** The scope the author used last. */
export function rememberedScope(): string {
  return localStorage.getItem(SCOPE_KEY) ?? FIRST_SCOPE;
}

export function rememberScope(name: string): void {
  const [scope = ''] = name.split('/');
  if (scope.startsWith('@')) localStorage.setItem(SCOPE_KEY, scope);
}
