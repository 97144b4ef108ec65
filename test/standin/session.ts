import { strict } from './strict.ts';

type RequestHandler = (
  contents: unknown,
  permission: string,
  answer: (granted: boolean) => void,
  details: { isMainFrame: boolean; requestingUrl: string },
) => void;
type CheckHandler = (
  contents: unknown,
  permission: string,
  origin: string,
  details: { isMainFrame: boolean },
) => boolean;

/** Electron's names of permissions, and the browser's. */
const BROWSER_NAMES = {
  geolocation: 'geolocation',
  notifications: 'notifications',
  midi: 'midi',
  'clipboard-read': 'clipboard-read',
  'clipboard-sanitized-write': 'clipboard-write',
  'idle-detection': 'idle-detection',
  'local-fonts': 'local-fonts',
  'screen-wake-lock': 'screen-wake-lock',
  'window-management': 'window-management',
} as const;

class SessionStandIn {
  #request: RequestHandler | null = null;
  #check: CheckHandler | null = null;
  #device: ((details: unknown) => boolean) | null = null;

  setPermissionRequestHandler(handler: RequestHandler | null): void {
    this.#request = handler;
  }

  setPermissionCheckHandler(handler: CheckHandler | null): void {
    this.#check = handler;
  }

  setDevicePermissionHandler(handler: ((details: unknown) => boolean) | null): void {
    this.#device = handler;
  }

  /** No system settings are read here. */
  async resolveProxy(): Promise<string> {
    return 'DIRECT';
  }

  get hasDeviceHandler(): boolean {
    return this.#device !== null;
  }

  /** What the app grants a page, by the browser's names: what neither handler refuses. */
  grants(contents: unknown, url: string): { name: string; granted: boolean }[] {
    return Object.entries(BROWSER_NAMES).map(([permission, name]) => {
      let asked = this.#request === null;
      this.#request?.(contents, permission, (answer) => (asked = answer), {
        isMainFrame: true,
        requestingUrl: url,
      });
      const checked = this.#check?.(contents, permission, url, { isMainFrame: true }) ?? true;
      return { name, granted: asked && checked };
    });
  }
}

export const session = strict('session', { defaultSession: strict('session', new SessionStandIn()) });
