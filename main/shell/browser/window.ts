import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findBrowser, localSearch, type InstalledBrowser } from './find-browser.ts';
import { HandOverPage } from './hand-over-page.ts';

/** Milliseconds the hand-over page stays on disk; as long as the token it holds. */
const HAND_OVER_MS = 2 * 60_000;

export interface OpenedWindow {
  /** `window` is one of its own; `tab` is in the person's browser. */
  readonly kind: 'window' | 'tab';
  /** Resolves when the browser's process has ended; for a tab this tells nothing. */
  readonly closed: Promise<void>;
  /** Name or path of what was opened, for the log. */
  readonly browser: string;
}

export interface OpenWindowOptions {
  readonly address: string;
  readonly dataDirectory: string;
  /** Ends the browser and removes what was written for it. */
  readonly signal: AbortSignal;
}

/** Why nothing can be opened here; `undefined` when something can. */
export function noDisplayReason(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (platform !== 'linux' || environment['DISPLAY'] || environment['WAYLAND_DISPLAY']) return undefined;
  return 'There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set)';
}

/**
 * Opens the address in a window of an installed browser, else in a tab of the person's own.
 * `undefined` when neither can be had.
 */
export async function openWindow(options: OpenWindowOptions): Promise<OpenedWindow | undefined> {
  const browser = findBrowser(localSearch(homedir()));
  const inWindow = browser && (await openAppWindow(browser, options));
  return inWindow ?? (await openTab(options));
}

async function openAppWindow(
  browser: InstalledBrowser,
  { address, dataDirectory, signal }: OpenWindowOptions,
): Promise<OpenedWindow | undefined> {
  const profile = join(browser.confinedTo ?? dataDirectory, 'browser-profile');
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  const page = handOver(profile, address, signal);
  const child = spawn(browser.path, browserArguments(page.url, profile), { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  try {
    await once(child, 'spawn');
  } catch {
    page[Symbol.dispose]();
    return undefined;
  }
  const stop = () => void child.kill();
  signal.addEventListener('abort', stop, { once: true });
  void ended.then(() => signal.removeEventListener('abort', stop));
  return { kind: 'window', closed: ended, browser: browser.path };
}

function browserArguments(address: string, profile: string): string[] {
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
  return [
    `--app=${address}`,
    `--user-data-dir=${profile}`,
    '--no-first-run',
    '--no-default-browser-check',
    '--window-size=1280,860',
    '--class=slipway',
    // Chromium refuses to start its sandbox as root; the second switch keeps its warning bar away.
    ...(isRoot ? ['--no-sandbox', '--test-type'] : []),
  ];
}

async function openTab({
  address,
  dataDirectory,
  signal,
}: OpenWindowOptions): Promise<OpenedWindow | undefined> {
  const { default: open } = await import('open');
  const page = handOver(dataDirectory, address, signal);
  try {
    const child = await open(page.url, { wait: false });
    return { kind: 'tab', closed: new Promise(() => undefined), browser: child.spawnfile };
  } catch {
    page[Symbol.dispose]();
    return undefined;
  }
}

function handOver(folder: string, address: string, signal: AbortSignal): HandOverPage {
  const page = new HandOverPage(folder, address);
  const timer = setTimeout(() => page[Symbol.dispose](), HAND_OVER_MS);
  timer.unref();
  signal.addEventListener(
    'abort',
    () => {
      clearTimeout(timer);
      page[Symbol.dispose]();
    },
    { once: true },
  );
  return page;
}
