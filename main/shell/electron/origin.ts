/** Scheme and host of the app's own pages. */
export const APP_SCHEME = 'app';
export const APP_HOST = 'slipway';
export const PAGE_URL = `${APP_SCHEME}://${APP_HOST}/index.html`;

/** Whether an address belongs to the app. Not by `origin`: Node calls that of every custom scheme `null`. */
export function isAppUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, host, username, password } = new URL(address);
  return protocol === `${APP_SCHEME}:` && host === APP_HOST && username === '' && password === '';
}

/** Whether an address is the app's one page; everything else of the app is no place to go to. */
export function isPageUrl(address: string): boolean {
  return isAppUrl(address) && ['/', '/index.html'].includes(new URL(address).pathname);
}

/** The part of Electron's `WebFrameMain` that says who sent a message. */
export interface SenderFrame {
  readonly url: string;
  readonly parent: unknown;
}

/** Whether a message comes from the page of the app itself: its main frame, not what it may contain. */
export function isTrustedSender(frame: SenderFrame | null): boolean {
  return frame !== null && frame.parent === null && isPageUrl(frame.url);
}
