import { describe, expect, it } from 'vitest';
import { nearestInLine } from './grid-focus.ts';

/** Two lines of three cards, then one of two. */
const places = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => ({
  top: Math.floor(index / 3) * 100,
  left: (index % 3) * 200,
}));

describe('nearestInLine', () => {
  it('goes straight up and down, never past the next line', () => {
    expect(nearestInLine(places, places[1]!, 1)).toBe(4);
    expect(nearestInLine(places, places[7]!, -1)).toBe(4);
  });

  it('takes the closest where a line is shorter, and stays at the ends', () => {
    expect(nearestInLine(places, places[5]!, 1)).toBe(7);
    expect(nearestInLine(places, places[0]!, -1)).toBeUndefined();
    expect(nearestInLine(places, places[6]!, 1)).toBeUndefined();
  });
});
