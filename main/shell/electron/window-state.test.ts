import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fitToDisplays, readWindowState, writeWindowState } from './window-state.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-window-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const area = fc.record({
  x: fc.integer({ min: -4000, max: 4000 }),
  y: fc.integer({ min: -4000, max: 4000 }),
  width: fc.integer({ min: 640, max: 4000 }),
  height: fc.integer({ min: 480, max: 3000 }),
});
const windowState = fc.record({
  x: fc.integer({ min: -9000, max: 9000 }),
  y: fc.integer({ min: -9000, max: 9000 }),
  width: fc.integer({ min: 1, max: 9000 }),
  height: fc.integer({ min: 1, max: 9000 }),
  maximized: fc.boolean(),
});

describe('fitToDisplays', () => {
  test('a window is never where no display shows enough of its title bar to drag it', () => {
    fc.assert(
      fc.property(windowState, fc.array(area, { minLength: 1, maxLength: 4 }), (state, areas) => {
        const { x, y, width, height } = fitToDisplays(state, areas);
        expect(areas.some((display) => width <= display.width && height <= display.height)).toBe(true);
        if (x === undefined || y === undefined) return;
        const visible = areas.some(
          (display) =>
            Math.min(x + width, display.x + display.width) - Math.max(x, display.x) >= Math.min(80, width) &&
            y + 40 >= display.y &&
            y < display.y + display.height,
        );
        expect(visible).toBe(true);
      }),
    );
  });

  test('a window on a second display stays there', () => {
    const areas = [
      { x: 0, y: 0, width: 1920, height: 1080 },
      { x: 1920, y: 0, width: 1920, height: 1080 },
    ];
    const state = { x: 2000, y: 50, width: 1000, height: 700, maximized: false };
    expect(fitToDisplays(state, areas)).toEqual(state);
  });
});

test('a damaged state opens the usual window, a kept one comes back', () => {
  const path = join(folder, 'state.json');
  for (const damage of ['', '{', '{"width":"a"}', '{"width":-1,"height":2,"maximized":false}', 'null']) {
    writeFileSync(path, damage);
    expect(readWindowState(path)).toEqual({ width: 1280, height: 860, maximized: false });
  }
  const state = { x: 1, y: 2, width: 800, height: 600, maximized: true };
  writeWindowState(path, state);
  expect(readWindowState(path)).toEqual(state);
});
