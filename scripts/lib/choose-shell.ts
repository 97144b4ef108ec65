/** What decides whether the app opens in Electron or in a browser. */
export interface ShellCircumstances {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Undefined on Windows. */
  readonly userId: number | undefined;
  /** The person's words after `npm start --`. */
  readonly words: readonly string[];
}

/** Options that only the browser shell has. */
const BROWSER_OPTIONS = ['--browser', '--no-open', '--port', '--passphrase-file', '--help'];

/**
 * Why the browser shell is taken without a look for Electron: an empty text where the person asked for it,
 * undefined where Electron is to be tried.
 */
export function browserReason(circumstances: ShellCircumstances): string | undefined {
  const { platform, environment, userId, words } = circumstances;
  const names = words.map((word) => word.split('=', 1)[0] ?? word);
  if (names.some((name) => BROWSER_OPTIONS.includes(name))) return '';
  // The browser shell itself says what to do without a display.
  if (platform === 'linux' && !environment['DISPLAY'] && !environment['WAYLAND_DISPLAY']) return '';
  if (platform === 'linux' && userId === 0) return 'Electron does not run as root with its sandbox on';
  return undefined;
}

/** The words for the browser shell: all but the one that chose it. */
export function browserWords(words: readonly string[]): string[] {
  return words.filter((word) => word !== '--browser');
}
