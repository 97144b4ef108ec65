import { EventEmitter } from 'node:events';
import type { BrowserProcess } from './browser-process.ts';
import { ipcMain } from './ipc-main.ts';
import { decode, encode } from './page/codec.ts';
import { makePageScripts, PRELOAD_WORLD, TO_MAIN } from './page-scripts.ts';
import { protocol } from './protocol.ts';
import { session } from './session.ts';
import { strict } from './strict.ts';

export interface WebPreferences {
  readonly preload: string;
  readonly [name: string]: unknown;
}

/** A frame as the sender check sees it. */
interface Frame {
  readonly url: string;
  readonly parent: Frame | null;
}

type FromPage =
  | { readonly kind: 'send'; readonly channel: string; readonly args: unknown[] }
  | { readonly kind: 'invoke'; readonly id: number; readonly channel: string; readonly args: unknown[] };

/** An event whose usual consequence a listener may forbid. */
export function preventable<T extends object>(fields: T) {
  let prevented = false;
  return Object.assign(fields, {
    preventDefault: () => void (prevented = true),
    get isPrevented() {
      return prevented;
    },
    wasPrevented: () => prevented,
  });
}

let nextContentsId = 1;

/** One page of the browser, with what Electron tells of it. */
export class WebContentsStandIn extends EventEmitter {
  readonly id = nextContentsId++;
  readonly #preferences: WebPreferences;
  readonly #browser: BrowserProcess;
  readonly #frames = new Map<string, Frame>();
  /** Frame of each context of the preload's world. */
  readonly #contexts = new Map<number, string>();
  /** Commands are sent in their order, though the page is still being made. */
  #queue: Promise<void> = Promise.resolve();
  #arrivals: Promise<void> = Promise.resolve();
  #sessionId = '';
  #targetId = '';
  #mainFrameId = '';
  #isDestroyed = false;
  /** Navigations the app itself asked for are not reported before they happen. */
  #expectedNavigations = 0;
  #openHandler: (details: { url: string }) => { action: 'deny' | 'allow' } = () => ({ action: 'allow' });

  constructor(browser: BrowserProcess, preferences: WebPreferences, size: { width: number; height: number }) {
    super();
    this.#browser = browser;
    this.#preferences = preferences;
    this.#enqueue(() => this.#open(size)).catch((error: unknown) => {
      process.stderr.write(`A window could not be opened: ${String(error)}\n`);
    });
  }

  get mainFrame(): Frame {
    return this.#frames.get(this.#mainFrameId) ?? { url: '', parent: null };
  }

  get targetId(): string {
    return this.#targetId;
  }

  getURL(): string {
    return this.mainFrame.url;
  }

  getLastWebPreferences(): WebPreferences {
    return this.#preferences;
  }

  isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  setWindowOpenHandler(handler: (details: { url: string }) => { action: 'deny' | 'allow' }): void {
    this.#openHandler = handler;
  }

  send(channel: string, ...args: unknown[]): void {
    const text = encode({ kind: 'message', channel, args });
    void this.#enqueue(() => this.#toPage(text));
  }

  loadURL(address: string): Promise<void> {
    return this.#enqueue(async () => {
      this.#expectedNavigations += 1;
      const { errorText } = await this.#command('Page.navigate', {
        url: protocol.addresses.toBrowser(address),
      });
      if (typeof errorText === 'string') throw new Error(`${errorText} loading '${address}'`);
    });
  }

  reload(): void {
    this.#expectedNavigations += 1;
    this.#enqueue(() => this.#command('Page.reload')).catch(() => undefined);
  }

  forcefullyCrashRenderer(): void {
    void this.#command('Page.crash').catch(() => undefined);
  }

  setColorScheme(scheme: 'light' | 'dark' | ''): void {
    const features = [{ name: 'prefers-color-scheme', value: scheme }];
    this.#enqueue(() => this.#command('Emulation.setEmulatedMedia', { features })).catch(() => undefined);
  }

  close(): void {
    this.#enqueue(() => this.#browser.client.send('Target.closeTarget', { targetId: this.#targetId })).catch(
      () => undefined,
    );
  }

  /** The page asked for another window: the app's handler decides, and none has been allowed so far. */
  popupOpened(targetId: string, url: string): void {
    const { action } = this.#openHandler({ url: protocol.addresses.toApp(url) });
    if (action === 'allow') throw new Error('The stand-in cannot open further windows for a page.');
    void this.#closePopup(targetId).catch(() => undefined);
  }

  /** A page that another client holds at its start must go on first, or its opener waits for it for ever. */
  async #closePopup(targetId: string): Promise<void> {
    const { client } = this.#browser;
    const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
    await client.send('Runtime.runIfWaitingForDebugger', {}, String(sessionId));
    await client.send('Target.closeTarget', { targetId });
  }

  destroyed(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.emit('destroyed');
  }

  #enqueue<T>(work: () => Promise<T>): Promise<void> {
    const done = this.#queue.then(async () => {
      if (!this.#isDestroyed) await work();
    });
    this.#queue = done.catch(() => undefined);
    return done;
  }

  #command(method: string, parameters: Record<string, unknown> = {}) {
    return this.#browser.client.send(method, parameters, this.#sessionId);
  }

  async #open(size: { width: number; height: number }): Promise<void> {
    const { client } = this.#browser;
    const target = await client.send('Target.createTarget', { url: 'about:blank', newWindow: true, ...size });
    this.#targetId = String(target['targetId']);
    const attached = await client.send('Target.attachToTarget', { targetId: this.#targetId, flatten: true });
    this.#sessionId = String(attached['sessionId']);
    this.#listen();
    const scripts = await makePageScripts(this.#preferences.preload);
    await this.#command('Page.enable');
    const { frameTree } = await this.#command('Page.getFrameTree');
    this.#mainFrameId = (frameTree as { frame: { id: string } }).frame.id;
    await this.#command('Runtime.enable');
    await this.#command('Inspector.enable');
    await this.#command('Runtime.addBinding', { name: TO_MAIN, executionContextName: PRELOAD_WORLD });
    await this.#command('Page.addScriptToEvaluateOnNewDocument', { source: scripts.page });
    await this.#command('Page.addScriptToEvaluateOnNewDocument', {
      source: scripts.preload,
      worldName: PRELOAD_WORLD,
    });
    await this.#command('Fetch.enable', { patterns: [{ resourceType: 'Document' }] });
  }

  #listen(): void {
    const on = (event: string, listener: (parameters: Record<string, unknown>) => void) =>
      this.#browser.client.on(event, this.#sessionId, listener);
    on('Page.frameNavigated', ({ frame }) => this.#frameNavigated(frame as NavigatedFrame));
    on('Page.navigatedWithinDocument', ({ frameId, url }) => {
      const frame = this.#frames.get(String(frameId));
      if (frame) this.#setFrame(String(frameId), String(url), frame.parent);
    });
    on('Page.frameDetached', ({ frameId }) => void this.#frames.delete(String(frameId)));
    on('Page.loadEventFired', () => this.emit('did-finish-load'));
    on('Page.domContentEventFired', () => this.emit('dom-ready'));
    on('Runtime.executionContextCreated', ({ context }) => {
      const { id, name, auxData } = context as { id: number; name: string; auxData: { frameId: string } };
      if (name === PRELOAD_WORLD) this.#contexts.set(id, auxData.frameId);
    });
    on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
      this.#contexts.delete(Number(executionContextId));
    });
    on('Runtime.executionContextsCleared', () => this.#contexts.clear());
    on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
      if (name !== TO_MAIN) return;
      // The frame is the one that spoke, though it may be gone when its message is handled.
      const frame = this.#frames.get(this.#contexts.get(Number(executionContextId)) ?? '') ?? null;
      this.#arrivals = this.#arrivals.then(() =>
        this.#fromPage(String(payload), Number(executionContextId), frame),
      );
    });
    on('Fetch.requestPaused', (request) => this.#documentRequested(request as unknown as PausedRequest));
    on('Inspector.targetCrashed', () => {
      this.#contexts.clear();
      this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 });
    });
  }

  #frameNavigated({ id, parentId, url, urlFragment = '' }: NavigatedFrame): void {
    const parent = parentId === undefined ? null : (this.#frames.get(parentId) ?? null);
    this.#setFrame(id, url + urlFragment, parent);
    if (id === this.#mainFrameId) void this.#applyPermissions(url);
  }

  #setFrame(id: string, url: string, parent: Frame | null): void {
    this.#frames.set(id, strict('WebFrameMain', { url: protocol.addresses.toApp(url), parent }));
  }

  /** The browser asks nobody, so it is told beforehand what the app's handlers say. */
  async #applyPermissions(url: string): Promise<void> {
    if (!url.startsWith('http')) return;
    const { origin } = new URL(url);
    for (const { name, granted } of session.defaultSession.grants(this, this.getURL())) {
      await this.#browser.client
        .send('Browser.setPermission', {
          origin,
          permission: { name },
          setting: granted ? 'granted' : 'denied',
        })
        .catch(() => undefined);
    }
  }

  async #fromPage(payload: string, context: number, senderFrame: Frame | null): Promise<void> {
    const message = decode(payload) as FromPage;
    const event = strict('IpcMainEvent', { sender: this.#self, senderFrame });
    const args = await Promise.all(message.args.map((value) => this.#resolveFile(value, context)));
    if (message.kind === 'send') {
      ipcMain.emit(message.channel, event, ...args);
      return;
    }
    const { id, channel } = message;
    // As with Electron, an answer takes its time without holding up what comes after.
    void ipcMain
      .invoke(channel, event, args)
      .then(
        (value) => encode({ kind: 'answer', id, value }),
        (error: unknown) =>
          encode({
            kind: 'failure',
            id,
            message: `Error invoking remote method '${channel}': ${String(error)}`,
          }),
      )
      .then((text) => this.#toPage(text))
      .catch(() => undefined);
  }

  /** What the app holds is the strict one, so that its maps by contents find it. */
  #self: unknown = this;
  identify(self: unknown): void {
    this.#self = self;
  }

  async #resolveFile(value: unknown, contextId: number): Promise<unknown> {
    const [, id] = typeof value === 'string' ? (/^standin-file:(\d+)$/.exec(value) ?? []) : [];
    if (id === undefined) return value;
    const { result } = await this.#command('Runtime.evaluate', {
      expression: `standinFile(${id})`,
      contextId,
    });
    const { path } = await this.#command('DOM.getFileInfo', {
      objectId: (result as { objectId: string }).objectId,
    });
    return path;
  }

  async #toPage(text: string): Promise<void> {
    const context = [...this.#contexts].find(([, frameId]) => frameId === this.#mainFrameId)?.[0];
    // A page without its preload script hears nothing, in Electron too.
    if (context === undefined) return;
    await this.#command('Runtime.callFunctionOn', {
      functionDeclaration: '(text) => standinFromMain(text)',
      executionContextId: context,
      arguments: [{ value: text }],
    }).catch(() => undefined);
  }

  #documentRequested({ requestId, request, frameId, redirectedRequestId }: PausedRequest): void {
    const isMainFrame = frameId === this.#mainFrameId;
    const url = protocol.addresses.toApp(request.url);
    const isExpected = isMainFrame && this.#expectedNavigations > 0;
    if (isExpected) this.#expectedNavigations -= 1;
    const event = preventable({
      url,
      isMainFrame,
      isSameDocument: false,
      frame: this.#frames.get(frameId) ?? null,
    });
    if (redirectedRequestId !== undefined) this.emit('will-redirect', event);
    else if (!isExpected) {
      this.emit('will-frame-navigate', event);
      if (isMainFrame) this.emit('will-navigate', event);
    }
    if (event.wasPrevented()) {
      void this.#command('Fetch.failRequest', { requestId, errorReason: 'Aborted' }).catch(() => undefined);
      return;
    }
    this.emit('did-start-navigation', { url, isMainFrame, isSameDocument: false });
    void this.#command('Fetch.continueRequest', { requestId }).catch(() => undefined);
  }
}

interface NavigatedFrame {
  readonly id: string;
  readonly parentId?: string;
  readonly url: string;
  readonly urlFragment?: string;
}

interface PausedRequest {
  readonly requestId: string;
  readonly frameId: string;
  readonly redirectedRequestId?: string;
  readonly request: { readonly url: string };
}
