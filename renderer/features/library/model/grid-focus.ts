import type { KeyboardEvent } from 'react';
import { moveFocus } from '#renderer/components/move-focus.ts';
import { isTyping } from '#renderer/components/use-shortcut.ts';

/** Moves the focus among cards: up and down to the card above and below, else as in a list. */
export function moveInGrid(event: KeyboardEvent<HTMLElement>, selector: string): void {
  const direction = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
  if (direction === undefined || !isPlain) return moveFocus(event, selector);
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)];
  const places = items.map((item) => (item.closest('li') ?? item).getBoundingClientRect());
  const card = (event.target as HTMLElement).closest('li');
  const index = items.findIndex((item) => item === event.target || card?.contains(item));
  const from = places[index];
  if (!from) return moveFocus(event, selector);
  const next = nearestInLine(places, from, direction);
  event.preventDefault();
  if (next !== undefined) items[next]?.focus();
}

/** The place right above or below another one: of the nearest line, the one closest to it. */
export function nearestInLine(
  places: readonly { readonly top: number; readonly left: number }[],
  from: { readonly top: number; readonly left: number },
  direction: number,
): number | undefined {
  let best: { index: number; rise: number; shift: number } | undefined;
  for (const [index, place] of places.entries()) {
    const rise = (place.top - from.top) * direction;
    if (rise <= 1) continue;
    const shift = Math.abs(place.left - from.left);
    const isNearer = !best || rise < best.rise - 1 || (Math.abs(rise - best.rise) <= 1 && shift < best.shift);
    if (isNearer) best = { index, rise, shift };
  }
  return best?.index;
}
