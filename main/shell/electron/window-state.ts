import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

const windowStateSchema = z.object({
  x: z.number().int().optional(),
  y: z.number().int().optional(),
  width: z.number().int().positive(),
  height: z.number().int().positive(),
  maximized: z.boolean(),
});
/** Where a window was, in pixels of the screen as the system scales them. */
export type WindowState = z.infer<typeof windowStateSchema>;

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const DEFAULT_STATE: WindowState = { width: 1280, height: 860, maximized: false };
/** Pixels of a window that must be on a display, so that it can be seen and dragged. */
const VISIBLE_PIXELS = 80;

/** The kept state, or the usual one when there is none or it makes no sense. */
export function readWindowState(path: string): WindowState {
  try {
    return windowStateSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return DEFAULT_STATE;
  }
}

/** Keeps the state; a window that opens elsewhere next time is no reason to trouble anyone. */
export function writeWindowState(path: string, state: WindowState): void {
  try {
    writeFileSync(path, JSON.stringify(state));
  } catch {
    // The folder may be gone or full.
  }
}

/** The state as the displays allow it: displays may have changed since. */
export function fitToDisplays(state: WindowState, displays: readonly Area[]): WindowState {
  const largest = displays.reduce<Area | undefined>(
    (best, area) => (best && best.width * best.height >= area.width * area.height ? best : area),
    undefined,
  );
  if (!largest) return state;
  const width = Math.min(state.width, largest.width);
  const height = Math.min(state.height, largest.height);
  const { x, y, maximized } = state;
  if (x === undefined || y === undefined) return { width, height, maximized };
  const isVisible = displays.some(
    (area) =>
      Math.min(x + width, area.x + area.width) - Math.max(x, area.x) >= VISIBLE_PIXELS &&
      y >= area.y - VISIBLE_PIXELS / 2 &&
      y <= area.y + area.height - VISIBLE_PIXELS,
  );
  return isVisible ? { x, y, width, height, maximized } : { width, height, maximized };
}
