import type { BrowserWindowConstructorOptions } from 'electron';
import type { WindowState } from './window-state.ts';

/** Background until the page has painted; the renderer's canvas colours. */
const BACKGROUNDS = { light: '#f5f8f9', dark: '#0e1416' } as const;

/** Options of the app's window: a page with no Node, in a process with no rights. */
export function windowOptions(
  state: WindowState,
  theme: keyof typeof BACKGROUNDS,
  preload: string,
  developerTools: boolean,
): BrowserWindowConstructorOptions {
  const { x, y, width, height } = state;
  return {
    ...(x !== undefined && y !== undefined && { x, y }),
    width,
    height,
    minWidth: 640,
    minHeight: 480,
    title: 'Slipway',
    show: false,
    backgroundColor: BACKGROUNDS[theme],
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      navigateOnDragDrop: false,
      safeDialogs: true,
      spellcheck: false,
      devTools: developerTools,
    },
  };
}
