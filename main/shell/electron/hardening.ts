import type { Session, WebContents } from 'electron';
import type { Logger } from '#main/logging/index.ts';
import { isPageUrl, isTrustedSender } from './origin.ts';

/** Writing text to the clipboard, at the person's own click; Copy buttons need it, and it reveals nothing. */
const ALLOWED_PERMISSION = 'clipboard-sanitized-write';

/** Denies every permission, and every device, to whatever a window shows. */
export function hardenSession(session: Session): void {
  session.setPermissionRequestHandler((contents, permission, answer, details) => {
    answer(permission === ALLOWED_PERMISSION && details.isMainFrame && isPageUrl(contents.getURL()));
  });
  session.setPermissionCheckHandler(
    (contents, permission, _origin, details) =>
      permission === ALLOWED_PERMISSION && details.isMainFrame && isPageUrl(contents?.getURL() ?? ''),
  );
  session.setDevicePermissionHandler(() => false);
}

/** Keeps a window on the app's page: no navigation, no further window, no embedded contents. */
export function hardenContents(contents: WebContents, logger: Logger): void {
  contents.setWindowOpenHandler(() => {
    logger.warn({}, 'A window was not opened');
    return { action: 'deny' };
  });
  contents.on('will-frame-navigate', (event) => {
    // A reload of the page is a navigation too.
    if (event.isMainFrame && isPageUrl(event.url) && isTrustedSender(contents.mainFrame)) return;
    event.preventDefault();
    logger.warn({ isMainFrame: event.isMainFrame }, 'A navigation was denied');
  });
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
}
