import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { _electron, chromium, type Browser, type Page } from 'playwright-core';
import { findElectronBinary } from '../../scripts/lib/electron-binary.ts';
import { root } from '../../scripts/lib/build-state.ts';
import { findChromium } from '../support/find-chromium.ts';
import { instancesIn, removeEngineThings } from './engine-things.ts';
import { connectToStandIn, type MainFunction } from './stand-in-connection.ts';

export type { MainFunction } from './stand-in-connection.ts';

/** Milliseconds the app has to show its page, and to end. */
const START_TIMEOUT_MS = 30_000;
const END_TIMEOUT_MS = 10_000;

export interface LaunchOptions {
  readonly shell: 'electron' | 'browser';
  /** Kept after the test when it is given; else the app gets one of its own, which goes with it. */
  readonly dataDirectory?: string;
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Called with the page before anything is loaded into it; in the browser shell only. */
  readonly onPage?: (page: Page) => unknown;
}

/** The process that runs the app's main part. */
export interface MainProcess {
  readonly pid: number;
  /** All it has written so far. */
  logs(): string;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): void;
  /**
   * Runs a function in the process, with Electron's module and a value. It must not use anything around it.
   * @throws Error in the browser shell, which has no such module.
   */
  evaluate<R, A = undefined>(work: MainFunction<R, A>, argument?: A): Promise<R>;
}

export interface LaunchedApp extends AsyncDisposable {
  readonly page: Page;
  readonly mainProcess: MainProcess;
  readonly dataDirectory: string;
  /** Whether Electron itself runs, and not the stand-in for its module. */
  readonly isRealElectron: boolean;
  /** Errors of the page so far: exceptions, failed loads, violations of its policy. */
  readonly problems: readonly string[];
  /** The address that opened the browser shell's page; it works once. */
  readonly address: string | undefined;
  /** Names under which this start's containers and volumes are labelled. */
  readonly instanceIds: readonly string[];
  /**
   * Ends the app as a person would, and waits for it.
   * @throws Error when it does not end, or leaves anything in the engine.
   */
  close(): Promise<void>;
}

/** What a way of launching leaves to do. */
interface Launched {
  readonly page: Page;
  readonly child: ChildProcess;
  readonly logs: () => string;
  readonly isRealElectron: boolean;
  readonly address?: string;
  readonly evaluate: MainProcess['evaluate'];
  /** Asks the app to end. */
  readonly quit: () => Promise<unknown>;
  /** Lets go of the browser, once the app has ended. */
  readonly release: () => Promise<unknown>;
}

/**
 * Starts the built app in a shell: Electron itself where its program is here, else the stand-in for its
 * module over Node and Chromium; or the browser shell with Chromium.
 */
export async function launchApp(options: LaunchOptions): Promise<LaunchedApp> {
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'slipway-e2e-'));
  const earlier = instancesIn(stateFolderOf(dataDirectory));
  const launched = await launch(options, dataDirectory);
  const { page, child, logs, isRealElectron, address, evaluate } = launched;
  const exited = exitOf(child);
  const instanceIds = instancesIn(stateFolderOf(dataDirectory));
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  let wasKilled = false;

  let closing: Promise<void> | undefined;
  const close = async () => {
    const patience = new AbortController();
    const late = delay(END_TIMEOUT_MS, 'late', { signal: patience.signal }).catch(() => undefined);
    // An app that hangs does not answer; the wait for its end is what counts.
    launched.quit().catch(() => undefined);
    const outcome = await Promise.race([exited, late]);
    patience.abort();
    if (outcome === 'late') child.kill('SIGKILL');
    await launched.release().catch(() => undefined);
    // What another app over the same data uses is its own, as long as it runs.
    const running = instancesIn(stateFolderOf(dataDirectory));
    const others = earlier.filter((id) => running.includes(id));
    const left = await removeEngineThings(instanceIds.filter((id) => !others.includes(id)));
    if (options.dataDirectory === undefined) rmSync(dataDirectory, { recursive: true, force: true });
    if (outcome === 'late') throw new Error(`The app did not end within ${END_TIMEOUT_MS} ms:\n${logs()}`);
    if (left.length > 0 && !wasKilled) throw new Error(`The app has ended and left ${left.join(', ')}.`);
  };
  return {
    page,
    dataDirectory,
    isRealElectron,
    problems,
    address,
    instanceIds,
    mainProcess: {
      pid: child.pid ?? -1,
      logs,
      exited,
      kill: (signal) => {
        wasKilled ||= signal === 'SIGKILL';
        child.kill(signal);
      },
      evaluate,
    },
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

/** Where the starts over one data folder know of each other; other apps of this machine are no part of it. */
export function stateFolderOf(dataDirectory: string): string {
  return join(dataDirectory, 'state');
}

function launch(options: LaunchOptions, dataDirectory: string): Promise<Launched> {
  const environment = {
    ...process.env,
    SLIPWAY_CHECK_OUTPUTS: '1',
    XDG_STATE_HOME: stateFolderOf(dataDirectory),
    ...options.environment,
  } as Record<string, string>;
  const words = ['--data-dir', dataDirectory, ...(options.arguments ?? [])];
  if (options.shell === 'browser') return launchInBrowser(words, environment, options.onPage);
  const binary = findElectronBinary(root);
  return binary ? launchElectron(binary, words, environment) : launchStandIn(words, environment);
}

async function launchElectron(
  executablePath: string,
  words: string[],
  env: Record<string, string>,
): Promise<Launched> {
  const isRoot = process.getuid?.() === 0;
  const application = await _electron.launch({
    executablePath,
    args: [...(isRoot ? ['--no-sandbox'] : []), root, ...words],
    env,
    timeout: START_TIMEOUT_MS,
  });
  const child = application.process();
  const logs = collectLogs(child);
  return {
    page: await application.firstWindow(),
    child,
    logs,
    isRealElectron: true,
    evaluate: (work, argument) => application.evaluate(work as never, argument as never),
    quit: () => application.evaluate(({ app }) => app.quit()),
    release: () => application.close(),
  };
}

/** The command that starts the Electron shell, for a start that no test drives. */
export function electronCommand(words: readonly string[]): [command: string, words: string[]] {
  const binary = findElectronBinary(root);
  const isRoot = process.getuid?.() === 0;
  return binary
    ? [binary, [...(isRoot ? ['--no-sandbox'] : []), root, ...words]]
    : [process.execPath, standInWords(words)];
}

function standInWords(words: readonly string[]): string[] {
  return [
    '--disable-warning=ExperimentalWarning',
    '--import',
    join(root, 'test', 'standin', 'register.ts'),
    join(root, 'out', 'electron', 'main.js'),
    ...words,
  ];
}

async function launchStandIn(words: string[], env: Record<string, string>): Promise<Launched> {
  const child = spawn(process.execPath, standInWords(words), {
    env,
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const logs = collectLogs(child);
  return orKill(child, async () => {
    const { endpoint, evaluate } = await within(connectToStandIn(child), logs);
    const browser = await chromium.connectOverCDP(endpoint, { isLocal: true });
    return {
      page: await within(findPage(browser), logs),
      child,
      logs,
      isRealElectron: false,
      evaluate,
      quit: () => evaluate(({ app }) => app.quit()),
      release: () => browser.close(),
    };
  });
}

/** A start that fails half-way leaves no process behind. */
async function orKill<T>(child: ChildProcess, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

async function findPage(browser: Browser): Promise<Page> {
  for (;;) {
    for (const page of browser.contexts().flatMap((context) => context.pages()))
      if (page.url().startsWith('http://slipway.localhost')) return page;
    await delay(20);
  }
}

/** The command that starts the browser shell. */
export function browserCommand(words: readonly string[]): [command: string, words: string[]] {
  const program = join(root, 'out', 'browser', 'main.js');
  return [process.execPath, ['--disable-warning=ExperimentalWarning', program, ...words]];
}

async function launchInBrowser(
  words: string[],
  env: Record<string, string>,
  onPage: LaunchOptions['onPage'],
): Promise<Launched> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, 'out', 'browser', 'main.js'), '--no-open', ...words],
    { env, cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const logs = collectLogs(child);
  return orKill(child, async () => {
    const address = await within(printedAddress(child, logs), logs);
    const browser = await chromium.launch({
      executablePath: findChromium(),
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    });
    try {
      const context = await browser.newContext();
      const page = await context.newPage();
      await onPage?.(page);
      await page.goto(address);
      return {
        page,
        child,
        logs,
        isRealElectron: false,
        address,
        evaluate: () => Promise.reject(new Error('The browser shell has no Electron.')),
        quit: async () => child.kill('SIGTERM'),
        release: () => browser.close(),
      };
    } catch (error) {
      await browser.close();
      throw error;
    }
  });
}

/** The one-time address that the browser shell prints. */
export async function printedAddress(child: ChildProcess, logs: () => string): Promise<string> {
  for (;;) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+\/#token=\S+/.exec(logs()) ?? [];
    if (address) return address;
    if (child.exitCode !== null) throw new Error(`The app ended with code ${child.exitCode}:\n${logs()}`);
    await delay(20);
  }
}

/** Keeps what a process writes. */
export function collectLogs(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}

async function exitOf(child: ChildProcess): MainProcess['exited'] {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { code: child.exitCode, signal: child.signalCode };
}

async function within<T>(work: Promise<T>, logs: () => string): Promise<T> {
  const patience = new AbortController();
  const late = delay(START_TIMEOUT_MS, undefined, { signal: patience.signal }).then(() => {
    throw new Error(`The app was not there within ${START_TIMEOUT_MS} ms:\n${logs()}`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    patience.abort();
  }
}
