import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ResourcePaths } from '#main/app/resource-paths.ts';
import type { ShellServices } from '#main/app/shell-services.ts';
import { ProblemError } from '#shared/problem.ts';
import { compose } from '../compose.ts';
import { onEndSignal } from '../end-signals.ts';
import { readPassphrase } from '../passphrase.ts';
import { BrowserServer } from './browser-server.ts';
import { askFirstInstance, FirstInstance } from './first-instance.ts';
import { openOnDesktop } from './open-on-desktop.ts';
import { Uploads } from './uploads.ts';
import { noDisplayReason, openWindow } from './window.ts';

/** Milliseconds without a page after which a closed window ends the app; a reload is shorter. */
const GONE_AFTER_MS = 2_000;

export interface BrowserShellOptions {
  readonly dataDirectory: string;
  readonly resourcePaths: ResourcePaths;
  readonly version: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly open: boolean;
  /** File with the vault's passphrase, for a start without a person. */
  readonly passphraseFile?: string | undefined;
  /** Tells the person; the output of the process is theirs. */
  readonly tell: (line: string) => void;
}

/**
 * Serves the app to a browser until its window closes or the process is asked to end.
 * @throws ProblemError `port_taken`, `vault_passphrase_wrong`, `passphrase_file_unreadable`.
 */
export async function runBrowserShell(options: BrowserShellOptions): Promise<void> {
  const { dataDirectory, tell } = options;
  const display = options.open ? noDisplayReason(process.platform, process.env) : undefined;
  const opens = options.open && display === undefined;
  await using stack = new AsyncDisposableStack();

  const first = FirstInstance.claim(dataDirectory);
  if (!first) return joinFirstInstance(dataDirectory, opens, tell);
  stack.use(first);

  const ended = Promise.withResolvers<void>();
  const ending = new AbortController();
  stack.defer(() => ending.abort());
  stack.use(onEndSignal(() => ended.resolve()));

  const { application, router, resources, logger } = stack.use(
    await compose({
      dataDirectory,
      resourcePaths: options.resourcePaths,
      version: options.version,
      nodePath: process.execPath,
      shell: browserServices,
      onFatal: () => {
        tell(`Slipway met a fault and has to end. The log in ${join(dataDirectory, 'logs')} may say more.`);
        process.exit(1);
      },
    }),
  );
  if (options.passphraseFile !== undefined) {
    await application.secrets.unlock(await readPassphrase(options.passphraseFile));
  }
  const pages = new PageCount();
  const uploads = stack.use(new Uploads(join(dataDirectory, 'uploads')));
  const server: BrowserServer = stack.use(
    await BrowserServer.start({
      router,
      resources,
      uploads,
      logger,
      port: options.port,
      onConnections: (count) => pages.set(count),
      control: (request, response) =>
        first.handle(request, response, async (open) => {
          const opened = open && (await show()) !== undefined;
          return { address: server.issueUrl(), opened };
        }),
    }),
  );
  const show = () =>
    openWindow({ address: server.issueUrl(), dataDirectory, signal: ending.signal }).catch(
      (error: unknown) => {
        logger.warn({ error }, 'No window could be opened');
        return undefined;
      },
    );
  first.announce(server.port);

  const window = opens ? await show() : undefined;
  if (window) logger.info({ browser: window.browser, kind: window.kind }, 'Opened');
  tell(describeStart(server.issueUrl(), window?.kind, display));
  if (window?.kind === 'window') {
    void window.closed
      .then(() => pages.gone(GONE_AFTER_MS, ending.signal))
      .then((gone) => gone && ended.resolve());
  }
  await ended.promise;
  tell('Closing Slipway …');
  ending.abort();
}

async function joinFirstInstance(
  dataDirectory: string,
  open: boolean,
  tell: (line: string) => void,
): Promise<void> {
  const answer = await askFirstInstance(dataDirectory, open);
  if (!answer) {
    throw new ProblemError({
      code: 'already_running',
      title: 'Slipway is running already',
      detail: `Another Slipway uses the folder ${dataDirectory} and does not answer.`,
      action: 'End it, or give another folder with --data-dir.',
    });
  }
  tell(
    answer.opened
      ? 'Slipway is running already; it has opened another window.'
      : `Slipway is running already. Open it here, once and within two minutes:\n  ${answer.address}`,
  );
}

function describeStart(
  address: string,
  opened: 'window' | 'tab' | undefined,
  display: string | undefined,
): string {
  const port = new URL(address).port;
  const link = `  ${address}\nThe link works once and for two minutes; start Slipway again to get another.`;
  switch (opened) {
    case 'window':
      return 'Slipway is open. Close its window, or press Ctrl+C here, to end it.';
    case 'tab':
      return `Slipway is open in your browser. Press Ctrl+C here to end it. Should no tab have opened:\n${link}`;
    case undefined:
      return display
        ? `${display}, so open Slipway yourself. From another computer, forward the port first with\n  ssh -L ${port}:127.0.0.1:${port} <this computer>\nand then open\n${link}\nPress Ctrl+C here to end Slipway.`
        : `Slipway is running. Open\n${link}\nPress Ctrl+C here to end it.`;
  }
}

/** How many pages are connected, and when there have been none for a while. */
class PageCount {
  #count = 0;
  #changed = Promise.withResolvers<void>();

  set(count: number): void {
    this.#count = count;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Resolves with true when there was no page for so long; with false when the signal aborts. */
  async gone(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    while (!signal.aborted) {
      const changed = this.#changed.promise;
      if (this.#count > 0) {
        await Promise.race([changed, aborted]);
        continue;
      }
      const silence = delay(milliseconds, true, { ref: false });
      if ((await Promise.race([changed, aborted, silence])) === true) return true;
    }
    return false;
  }
}

/** What a browser leaves to its shell. Saving is the page's: it downloads by address. */
const browserServices: ShellServices = {
  kind: 'browser',
  canReveal: process.platform !== 'linux' || noDisplayReason(process.platform, process.env) === undefined,
  async openExternal(url) {
    await openOnDesktop(url, 'link_not_opened', 'Link not opened', `Open it yourself: ${url}`);
  },
  saveFile() {
    return Promise.reject(
      new ProblemError({
        code: 'save_unavailable',
        title: 'Not possible in a browser',
        detail: 'In a browser, files are saved with its own download.',
      }),
    );
  },
  async revealFolder(path) {
    await openOnDesktop(path, 'reveal_unavailable', 'Folder not shown', `The files are in ${path}.`);
  },
};
