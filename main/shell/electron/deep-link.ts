/** Scheme of links that open the app from outside. */
export const LINK_SCHEME = 'slipway';
/** Longer ones are no links of ours. */
const MAX_LINK_LENGTH = 4096;

/** The first link among a process's arguments; `undefined` when there is none that can be read. */
export function findLink(candidates: readonly string[]): URL | undefined {
  const link = candidates.find(
    (text) => text.toLowerCase().startsWith(`${LINK_SCHEME}://`) && text.length <= MAX_LINK_LENGTH,
  );
  return link !== undefined && URL.canParse(link) ? new URL(link) : undefined;
}
