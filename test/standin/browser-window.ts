import { EventEmitter } from 'node:events';
import { app, browser } from './app.ts';
import { nativeTheme } from './native-theme.ts';
import { strict } from './strict.ts';
import { preventable, WebContentsStandIn, type WebPreferences } from './web-contents.ts';

interface WindowOptions {
  readonly x?: number;
  readonly y?: number;
  readonly width: number;
  readonly height: number;
  readonly webPreferences: WebPreferences;
  readonly [name: string]: unknown;
}

const windows: BrowserWindow[] = [];

/** The module's `BrowserWindow`: a window of the browser. */
export class BrowserWindow extends EventEmitter {
  readonly webContents: WebContentsStandIn;
  readonly #options: WindowOptions;
  #isShown = false;
  #isMaximized = false;
  #isDestroyed = false;

  static getAllWindows(): BrowserWindow[] {
    return windows.filter((window) => !window.isDestroyed());
  }

  static getFocusedWindow(): BrowserWindow | null {
    return windows.find((window) => !window.isDestroyed()) ?? null;
  }

  constructor(options: WindowOptions) {
    super();
    if (!app.isReady()) throw new Error('Cannot create BrowserWindow before app is ready');
    this.#options = options;
    const contents = new WebContentsStandIn(browser(), options.webPreferences, options);
    this.webContents = strict('webContents', contents);
    contents.identify(this.webContents);
    contents.setColorScheme(nativeTheme.scheme);
    nativeTheme.on('updated', () => contents.setColorScheme(nativeTheme.scheme));
    contents.once('dom-ready', () => this.emit('ready-to-show'));
    app.followPage(contents, () => this.#gone());
    const self = strict('BrowserWindow', this);
    windows.push(self);
    app.emit('web-contents-created', {}, this.webContents);
    return self;
  }

  /** What it was made with, for assertions. */
  get options(): WindowOptions {
    return this.#options;
  }

  loadURL(address: string): Promise<void> {
    return this.webContents.loadURL(address);
  }

  reload(): void {
    this.webContents.reload();
  }

  show(): void {
    this.#isShown = true;
  }

  isVisible(): boolean {
    return this.#isShown && !this.#isDestroyed;
  }

  focus(): void {}

  maximize(): void {
    this.#isMaximized = true;
  }

  isMaximized(): boolean {
    return this.#isMaximized;
  }

  isMinimized(): boolean {
    return false;
  }

  restore(): void {}

  isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  getNormalBounds() {
    const { x = 0, y = 0, width, height } = this.#options;
    return { x, y, width, height };
  }

  close(): void {
    const event = preventable({});
    this.emit('close', event);
    if (event.wasPrevented()) return;
    this.webContents.close();
  }

  #gone(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.webContents.destroyed();
    this.emit('closed');
    app.windowGone(BrowserWindow.getAllWindows().length);
  }
}
