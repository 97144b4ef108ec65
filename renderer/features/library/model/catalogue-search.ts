import type { CatalogueEntry } from '#shared/ipc/library-routes.ts';

/** The services that have every word of the query, those whose name begins with it first. */
export function searchCatalogue(entries: readonly CatalogueEntry[], query: string): CatalogueEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ displayName }: CatalogueEntry) => {
    const title = displayName.toLowerCase();
    return words.reduce((sum, word) => sum + (title.startsWith(word) ? 2 : Number(title.includes(word))), 0);
  };
  return entries
    .filter(({ displayName, name, description, tags }) => {
      const text = `${displayName} ${name} ${description} ${tags.join(' ')}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .map((entry) => ({ entry, rank: rank(entry) }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ entry }) => entry);
}

const METHODS: Record<CatalogueEntry['auths'][number]['type'], string> = {
  oauth2: 'sign-in',
  api_key: 'key',
  basic: 'user and password',
  mtls: 'certificate',
  custom: 'its own way',
};

/** How one connects to a service, in a few words: `sign-in or key`. */
export function connectWords({ auths }: Pick<CatalogueEntry, 'auths'>): string {
  const words = [...new Set(auths.map(({ type }) => METHODS[type]))];
  return words.length > 0 ? words.join(' or ') : 'no account';
}
