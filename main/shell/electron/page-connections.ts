import { basename } from 'node:path';
import { stat } from 'node:fs/promises';
import { ipcMain, type IpcMainEvent, type IpcMainInvokeEvent, type WebContents } from 'electron';
import { z } from 'zod';
import { Connection } from '#main/app/connection.ts';
import { SessionFiles } from '#main/app/file-handles.ts';
import type { Router } from '#main/app/router.ts';
import type { Logger } from '#main/logging/index.ts';
import type { RegisteredFile } from '#shared/ipc/frames.ts';
import type { Problem, Result } from '#shared/problem.ts';
import { fileTooLarge } from '#shared/runs/file-too-large.ts';
import { channels } from './channels.ts';
import { IpcCarrier } from './ipc-carrier.ts';
import { isTrustedSender } from './origin.ts';

interface Page {
  readonly carrier: IpcCarrier;
  readonly connection: Connection;
  readonly files: SessionFiles;
}

/** Serves each window's page over Electron's IPC; a page that is loaded anew gets a new connection. */
export class PageConnections implements Disposable {
  readonly #router: Router;
  readonly #logger: Logger;
  readonly #pages = new Map<WebContents, Page>();

  constructor(router: Router, logger: Logger) {
    this.#router = router;
    this.#logger = logger;
    ipcMain.on(channels.clientFrame, this.#onFrame);
    ipcMain.on(channels.frameTaken, this.#onTaken);
    ipcMain.handle(channels.registerFile, (event, path: unknown) => this.#register(event, path));
  }

  /** Watches a window's contents, so that what its page opened ends with the page. */
  follow(contents: WebContents): void {
    contents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) this.#end(contents);
    });
    contents.on('render-process-gone', () => this.#end(contents));
    contents.once('destroyed', () => this.#end(contents));
  }

  [Symbol.dispose](): void {
    ipcMain.off(channels.clientFrame, this.#onFrame);
    ipcMain.off(channels.frameTaken, this.#onTaken);
    ipcMain.removeHandler(channels.registerFile);
    for (const contents of this.#pages.keys()) this.#end(contents);
  }

  readonly #onFrame = (event: IpcMainEvent, frame: unknown): void => {
    if (this.#isTrusted(event)) this.#page(event.sender).connection.receive(frame);
  };

  readonly #onTaken = (event: IpcMainEvent, number: unknown): void => {
    if (typeof number === 'number' && this.#isTrusted(event))
      this.#pages.get(event.sender)?.carrier.taken(number);
  };

  async #register(event: IpcMainInvokeEvent, path: unknown): Promise<Result<RegisteredFile>> {
    if (!this.#isTrusted(event)) return { ok: false, error: NOT_ALLOWED };
    const parsed = z.string().min(1).safeParse(path);
    if (!parsed.success) return { ok: false, error: NOT_A_FILE };
    const name = basename(parsed.data);
    try {
      const information = await stat(parsed.data);
      if (!information.isFile()) return { ok: false, error: NOT_A_FILE };
      const error = fileTooLarge(name, information.size);
      if (error) return { ok: false, error };
      const file = { path: parsed.data, name, size: information.size };
      return { ok: true, data: this.#page(event.sender).files.register(file) };
    } catch {
      return { ok: false, error: { ...NOT_A_FILE, detail: `"${name}" cannot be read.`, file: name } };
    }
  }

  #isTrusted({ senderFrame, sender }: IpcMainEvent | IpcMainInvokeEvent): boolean {
    if (isTrustedSender(senderFrame)) return true;
    this.#logger.warn({ contents: sender.id }, 'A message of a frame that is not the page was refused');
    return false;
  }

  #page(contents: WebContents): Page {
    let page = this.#pages.get(contents);
    if (!page) {
      const carrier = new IpcCarrier(contents);
      const files = new SessionFiles();
      const connection = new Connection({ router: this.#router, carrier, files, logger: this.#logger });
      page = { carrier, connection, files };
      this.#pages.set(contents, page);
    }
    return page;
  }

  #end(contents: WebContents): void {
    const page = this.#pages.get(contents);
    if (!page) return;
    this.#pages.delete(contents);
    page.connection[Symbol.dispose]();
    page.carrier[Symbol.dispose]();
  }
}

const NOT_ALLOWED: Problem = {
  code: 'not_allowed',
  title: 'Not allowed',
  detail: 'Only the page of Slipway may do this.',
};

const NOT_A_FILE: Problem = {
  code: 'not_a_file',
  title: 'Not a file',
  detail: 'Only files can be given to a run, not folders or other things.',
  action: 'Choose the files themselves.',
};
