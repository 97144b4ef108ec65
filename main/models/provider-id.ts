/** Shape of a provider's id: it stands before the slash of `provider/model`. */
export const PROVIDER_ID = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** An id made from a name, distinct from those taken. */
export function makeProviderId(displayName: string, taken: ReadonlySet<string>): string {
  const slug =
    displayName
      .normalize('NFKD')
      .replace(/\p{Mark}+/gu, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 32)
      .replace(/^-+|-+$/g, '') || 'server';
  let id = slug;
  for (let copy = 2; taken.has(id); copy += 1) id = `${slug}-${copy}`;
  return id;
}
