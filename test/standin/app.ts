import { EventEmitter } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { BrowserProcess } from './browser-process.ts';
import { protocol } from './protocol.ts';
import { claimSingleInstance } from './single-instance.ts';
import { strict } from './strict.ts';
import { preventable, type WebContentsStandIn } from './web-contents.ts';

const ROOT = join(import.meta.dirname, '..', '..');

let browserProcess: BrowserProcess | undefined;

/** The browser that shows the windows. @throws Error before the app is ready. */
export function browser(): BrowserProcess {
  if (!browserProcess) throw new Error('The app is not ready yet.');
  return browserProcess;
}

/** The module's `app`. */
class AppStandIn extends EventEmitter {
  readonly isPackaged = false;
  readonly #paths = new Map([
    ['userData', join(homedir(), '.config', 'standin')],
    ['downloads', join(homedir(), 'Downloads')],
  ]);
  readonly #pages = new Map<string, { contents: WebContentsStandIn; gone: () => void }>();
  readonly #ready = Promise.withResolvers<void>();
  #isReady = false;
  #isQuitting = false;
  #isSandboxEnabled = false;

  constructor() {
    super();
    // Electron becomes ready once the main script has been run.
    setImmediate(() => void this.#start());
  }

  get isSandboxEnabled(): boolean {
    return this.#isSandboxEnabled;
  }

  enableSandbox(): void {
    if (this.#isReady) throw new Error('app.enableSandbox() must be called before the app is ready');
    this.#isSandboxEnabled = true;
  }

  getAppPath(): string {
    return ROOT;
  }

  getVersion(): string {
    return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
  }

  getPath(name: string): string {
    const path = this.#paths.get(name);
    if (path === undefined) throw new Error(`The stand-in knows no path "${name}"`);
    return path;
  }

  setPath(name: string, path: string): void {
    this.#paths.set(name, path);
  }

  setAboutPanelOptions(): void {}

  isReady(): boolean {
    return this.#isReady;
  }

  whenReady(): Promise<void> {
    return this.#ready.promise;
  }

  requestSingleInstanceLock(): boolean {
    const folder = this.getPath('userData');
    mkdirSync(folder, { recursive: true });
    return claimSingleInstance(folder, (argv) => this.emit('second-instance', {}, argv, process.cwd(), {}));
  }

  quit(): void {
    if (this.#isQuitting) return;
    const event = preventable({});
    this.emit('before-quit', event);
    if (event.wasPrevented()) return;
    this.#isQuitting = true;
    if (this.#pages.size === 0) this.#willQuit();
    else for (const { contents } of this.#pages.values()) contents.close();
  }

  exit(code = 0): void {
    this.emit('quit', {}, code);
    if (!browserProcess) process.exit(code);
    void browserProcess.close().finally(() => process.exit(code));
  }

  /** Learns when a page is gone, by the app or by the person. */
  followPage(contents: WebContentsStandIn, gone: () => void): void {
    const key = `page-${contents.id}`;
    this.#pages.set(key, {
      contents,
      gone: () => {
        this.#pages.delete(key);
        gone();
      },
    });
  }

  windowGone(left: number): void {
    if (left > 0) return;
    if (this.#isQuitting) this.#willQuit();
    else if (this.listenerCount('window-all-closed') > 0) this.emit('window-all-closed');
    else this.quit();
  }

  #willQuit(): void {
    const event = preventable({});
    this.emit('will-quit', event);
    if (!event.wasPrevented()) this.exit(0);
  }

  async #start(): Promise<void> {
    await protocol.start();
    browserProcess = await BrowserProcess.launch(join(this.getPath('userData'), 'chromium'));
    this.#watchPages(browserProcess);
    void browserProcess.ended.then(() => this.#pages.forEach(({ gone }) => gone()));
    this.#isReady = true;
    this.emit('ready');
    this.#ready.resolve();
  }

  #watchPages({ client }: BrowserProcess): void {
    const find = (targetId: unknown) =>
      [...this.#pages.values()].find(({ contents }) => contents.targetId === targetId);
    client.on('Target.targetCreated', undefined, ({ targetInfo }) => {
      const { targetId, openerId, url } = targetInfo as { targetId: string; openerId?: string; url: string };
      if (openerId !== undefined) find(openerId)?.contents.popupOpened(targetId, url);
    });
    client.on('Target.targetDestroyed', undefined, ({ targetId }) => find(targetId)?.gone());
    void client.send('Target.setDiscoverTargets', { discover: true });
  }
}

export const app = strict('app', new AppStandIn());
