import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { app, BrowserWindow, dialog, nativeTheme, protocol, session } from 'electron';
import { developmentResourcePaths, packagedResourcePaths } from '#main/app/resource-paths.ts';
import { defaultDataDirectory, processEnvironment } from '#main/store/index.ts';
import { ProblemError } from '#shared/problem.ts';
import { compose } from '../compose.ts';
import { registerAppScheme, serveAppScheme } from './app-protocol.ts';
import { openAppWindow } from './app-window.ts';
import { findLink, LINK_SCHEME } from './deep-link.ts';
import { electronServices } from './electron-services.ts';
import { findNode } from './find-node.ts';
import { hardenContents, hardenSession } from './hardening.ts';
import { setMenu } from './menu.ts';
import { PageConnections } from './page-connections.ts';
import { createSystemCipher } from './system-cipher.ts';
import { systemProxy } from './system-proxy.ts';

const dataDirectory = findDataDirectory();
const userDataFolder = join(dataDirectory, 'electron');
const developerTools = !app.isPackaged;

app.enableSandbox();
registerAppScheme();
app.setPath('userData', userDataFolder);
// Installers register the scheme; a checkout would take it away from an installed app.
if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME);

if (app.requestSingleInstanceLock()) {
  void start().catch(fail);
} else {
  app.quit();
}

async function start(): Promise<void> {
  await app.whenReady();
  const stack = new AsyncDisposableStack();
  endWith(stack);
  const [nodePath, systemCipher] = await Promise.all([findNode(), createSystemCipher()]);
  const { application, router, resources, logger } = stack.use(
    await compose({
      dataDirectory,
      resourcePaths: app.isPackaged
        ? packagedResourcePaths(process.resourcesPath, app.getAppPath())
        : developmentResourcePaths(app.getAppPath()),
      version: app.getVersion(),
      nodePath,
      shell: electronServices,
      systemCipher,
      systemProxy,
      onFatal: fail,
    }),
  );

  nativeTheme.themeSource = application.settings.get().appearance;
  stack.defer(application.settings.onChange(({ appearance }) => (nativeTheme.themeSource = appearance)));
  hardenSession(session.defaultSession);
  app.on('web-contents-created', (_event, contents) => hardenContents(contents, logger));
  stack.use(serveAppScheme(protocol, resources));
  const pages = stack.use(new PageConnections(router, logger));
  setMenu({ dataDirectory, developerTools });

  const open = () => {
    const preload = join(import.meta.dirname, 'preload.cjs');
    const window = openAppWindow({ userDataFolder, preload, developerTools, logger });
    pages.follow(window.webContents);
  };
  const show = (candidates: readonly string[]) => {
    const link = findLink(candidates);
    if (link) logger.info({}, 'A link was opened');
    // The end of a sign-in; of any other link nothing is kept, it only shows the app.
    if (link?.host === 'oauth') {
      const lost = () => logger.info({}, 'A link belonged to no sign-in');
      void application.connections.receiveRedirect(link.href).catch(lost);
    }
    const [window] = BrowserWindow.getAllWindows();
    if (!window) return open();
    if (window.isMinimized()) window.restore();
    window.focus();
  };
  app.on('second-instance', (_event, argv) => show(argv));
  app.on('open-url', (event, url) => {
    event.preventDefault();
    show([url]);
  });
  app.on('activate', () => show([]));
  open();
}

/** Ends everything before the process: the app waits for what is disposed, then goes. */
function endWith(stack: AsyncDisposableStack): void {
  let ending = false;
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  app.on('will-quit', (event) => {
    event.preventDefault();
    if (ending) return;
    ending = true;
    void stack
      .disposeAsync()
      .then(() => app.exit(0))
      .catch(fail);
  });
}

/** Says why the app cannot go on, without a stack, and ends it. */
function fail(error: unknown): void {
  const problem = error instanceof ProblemError ? error.problem : undefined;
  dialog.showErrorBox(
    problem?.title ?? 'Slipway cannot start',
    problem
      ? [problem.detail, problem.action].filter(Boolean).join('\n\n')
      : `Something went wrong inside Slipway. The log in ${join(dataDirectory, 'logs')} may say more.`,
  );
  app.exit(1);
}

function findDataDirectory(): string {
  const { values } = parseArgs({
    args: process.argv.slice(1),
    options: { 'data-dir': { type: 'string' } },
    strict: false,
    allowPositionals: true,
  });
  const given = values['data-dir'];
  return resolve(typeof given === 'string' ? given : defaultDataDirectory(processEnvironment()));
}
