import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A browser of the Chromium family, which can show a page as a window of its own. */
export interface InstalledBrowser {
  readonly path: string;
  /** Where its profile must be, when it may not write where it likes; a snap is such a case. */
  readonly confinedTo?: string;
}

export interface BrowserSearch {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  isExecutable(path: string): boolean;
}

/** The search on this computer. */
export function localSearch(home: string): BrowserSearch {
  return { platform: process.platform, environment: process.env, home, isExecutable };
}

/**
 * Finds a browser: the one named by SLIPWAY_BROWSER, else the first of Chrome, Chromium, Edge and Brave.
 * `undefined` when there is none.
 */
export function findBrowser(search: BrowserSearch): InstalledBrowser | undefined {
  const named = search.environment['SLIPWAY_BROWSER'];
  const path = [...(named ? [named] : []), ...candidates(search)].find((file) => search.isExecutable(file));
  if (path === undefined) return undefined;
  const snap = /^\/snap\/bin\/([^/]+)$/.exec(path)?.[1];
  return { path, ...(snap && { confinedTo: join(search.home, 'snap', snap, 'common') }) };
}

const LINUX_NAMES = [
  'google-chrome-stable',
  'google-chrome',
  'chromium',
  'chromium-browser',
  'microsoft-edge-stable',
  'microsoft-edge',
  'brave-browser',
];

const MAC_APPLICATIONS = ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Brave Browser'];

const WINDOWS_PROGRAMS = [
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
  ['BraveSoftware', 'Brave-Browser', 'Application', 'brave.exe'],
  ['Chromium', 'Application', 'chrome.exe'],
];

function candidates({ platform, environment, home }: BrowserSearch): string[] {
  switch (platform) {
    case 'darwin':
      return ['/Applications', join(home, 'Applications')].flatMap((folder) =>
        MAC_APPLICATIONS.map((name) => join(folder, `${name}.app`, 'Contents', 'MacOS', name)),
      );
    case 'win32':
      return ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((variable) => {
        const folder = environment[variable];
        return folder ? WINDOWS_PROGRAMS.map((parts) => join(folder, ...parts)) : [];
      });
    default: {
      const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
      const onPath = LINUX_NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
      // A snap may not write into a hidden folder, so it comes last and gets a profile of its own.
      return [
        ...onPath.filter((path) => !path.startsWith('/snap/')),
        '/snap/bin/chromium',
        '/snap/bin/brave',
      ];
    }
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
