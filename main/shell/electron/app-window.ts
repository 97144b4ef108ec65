import { join } from 'node:path';
import { BrowserWindow, dialog, nativeTheme, screen } from 'electron';
import type { Logger } from '#main/logging/index.ts';
import { PAGE_URL } from './origin.ts';
import { windowOptions } from './window-options.ts';
import { fitToDisplays, readWindowState, writeWindowState, type WindowState } from './window-state.ts';

/** Crashes within this many milliseconds count together; after three the person decides. */
const CRASH_PERIOD_MS = 60_000;
const MAX_CRASHES = 3;

export interface AppWindowOptions {
  /** Where Electron keeps its own files. */
  readonly userDataFolder: string;
  readonly preload: string;
  readonly developerTools: boolean;
  readonly logger: Logger;
}

/** Opens the app's window where it was last, and keeps it alive when its page crashes. */
export function openAppWindow(options: AppWindowOptions): BrowserWindow {
  const statePath = join(options.userDataFolder, 'window-state.json');
  const areas = screen.getAllDisplays().map((display) => display.workArea);
  const state = fitToDisplays(readWindowState(statePath), areas);
  const theme = nativeTheme.shouldUseDarkColors ? 'dark' : 'light';
  const window = new BrowserWindow(windowOptions(state, theme, options.preload, options.developerTools));
  if (state.maximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  window.on('close', () => writeWindowState(statePath, stateOf(window)));
  surviveCrashes(window, options.logger);
  void window.loadURL(PAGE_URL).catch((error: unknown) => {
    options.logger.error({ error }, 'The page could not be loaded');
  });
  return window;
}

function stateOf(window: BrowserWindow): WindowState {
  return { ...window.getNormalBounds(), maximized: window.isMaximized() };
}

function surviveCrashes(window: BrowserWindow, logger: Logger): void {
  let crashes: number[] = [];
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    logger.error({ reason, exitCode }, 'The page crashed');
    crashes = [...crashes.filter((at) => at > Date.now() - CRASH_PERIOD_MS), Date.now()];
    if (crashes.length < MAX_CRASHES) window.reload();
    void tell(window, crashes.length < MAX_CRASHES);
  });
}

/** Says that the page crashed; when it was not loaded again by itself, asks. */
async function tell(window: BrowserWindow, reloaded: boolean): Promise<void> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    message: 'The window stopped working',
    detail: reloaded
      ? 'It was loaded again. Runs in progress were not touched.'
      : 'It stopped several times in a row. Runs in progress were not touched.',
    buttons: reloaded ? ['OK'] : ['Load again', 'Close window'],
    cancelId: reloaded ? 0 : 1,
  });
  if (reloaded || window.isDestroyed()) return;
  if (response === 0) window.reload();
  else window.close();
}
