/** A pattern in which `*` stands for characters up to the next stop, and `**` for any. */
export type Glob = readonly (string | { readonly crosses: boolean })[];

/** Reads `*` and `**`; everything else is literal. */
export function parseGlob(pattern: string): Glob {
  return pattern
    .split(/(\*+)/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('*') ? { crosses: part.length > 1 } : part));
}

/**
 * Whether the whole text fits. Takes time in proportion to the text, whatever the pattern is.
 * @param stop what a single `*` does not cross, matched where it may begin
 */
export function fitsGlob(text: string, glob: Glob, stop: RegExp): boolean {
  const stops = stopsOf(text, stop);
  /** Places in the text up to which the parts so far fit, in order. */
  let places = [0];
  for (const part of glob) {
    if (typeof part === 'string') {
      places = places.filter((place) => text.startsWith(part, place)).map((place) => place + part.length);
    } else {
      places = reach(places, text.length, part.crosses ? undefined : stops);
    }
    if (places.length === 0) return false;
  }
  return places.at(-1) === text.length;
}

/** Places of the text at which a stop begins. */
function stopsOf(text: string, stop: RegExp): ReadonlySet<number> {
  return new Set([...text.matchAll(new RegExp(stop, 'gi'))].map((match) => match.index));
}

/** Every place that can be come to from one of the places; none beyond a stop. */
function reach(places: readonly number[], end: number, stops: ReadonlySet<number> | undefined): number[] {
  const reached: number[] = [];
  let next = 0;
  for (const place of places) {
    for (next = Math.max(next, place); next <= end; next += 1) {
      if (next > place && stops?.has(next - 1)) break;
      reached.push(next);
    }
  }
  return reached;
}
