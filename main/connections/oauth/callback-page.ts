import { createHash } from 'node:crypto';

/** What the person's browser shows after signing in. */
export interface CallbackPage {
  readonly tone: 'success' | 'caution' | 'danger';
  readonly title: string;
  /** Sentences, each a paragraph. */
  readonly text: readonly string[];
}

const STYLE = `
:root { color-scheme: light dark; }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px; box-sizing: border-box;
  background: light-dark(oklch(0.978 0.004 210), oklch(0.185 0.01 225));
  color: light-dark(oklch(0.255 0.018 230), oklch(0.935 0.006 215));
  font: 15px/22px 'Inter Variable', Inter, -apple-system, BlinkMacSystemFont, 'Segoe UI Variable Text', 'Segoe UI', Cantarell, Ubuntu, 'Noto Sans', Arial, sans-serif;
}
main { width: min(440px, 100%); }
header { display: flex; align-items: center; gap: 8px; font-weight: 600; margin-bottom: 28px; }
header svg { color: light-dark(oklch(0.465 0.083 205), oklch(0.76 0.098 195)); }
section { border-left: 2px solid var(--tone); background: var(--soft); border-radius: 6px; padding: 16px 20px; }
h1 { font-size: 18px; line-height: 26px; margin: 0 0 6px; font-weight: 600; letter-spacing: -0.01em; overflow-wrap: anywhere; }
p { margin: 6px 0 0; color: light-dark(oklch(0.42 0.018 228), oklch(0.78 0.01 218)); overflow-wrap: anywhere; }
.success { --tone: light-dark(oklch(0.455 0.1 155), oklch(0.78 0.125 158)); --soft: light-dark(oklch(0.95 0.03 158), oklch(0.262 0.03 160)); }
.caution { --tone: light-dark(oklch(0.475 0.098 70), oklch(0.81 0.115 80)); --soft: light-dark(oklch(0.958 0.035 88), oklch(0.258 0.026 78)); }
.danger { --tone: light-dark(oklch(0.49 0.165 27), oklch(0.755 0.13 24)); --soft: light-dark(oklch(0.962 0.016 25), oklch(0.248 0.03 20)); }
`;

const MARK =
  '<svg width="22" height="22" viewBox="0 0 24 24" fill="none" aria-hidden="true"><path d="M2.6 5.4 21 8.7c-.3 4.9-4.6 7.9-9.7 7C6.3 14.8 2.9 10.6 2.6 5.4Z" fill="currentColor"/><path d="M1.9 17.6 22.1 21.2" stroke="currentColor" stroke-width="1.9" stroke-linecap="round"/></svg>';

/** Headers of every answer: the address holds a code, so nothing may load, keep or pass it on. */
export const CALLBACK_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  connection: 'close',
};

/** The page as HTML, without script and without anything to load. */
export function renderCallbackPage({ tone, title, text }: CallbackPage): string {
  const paragraphs = text.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)} · Slipway</title><style>${STYLE}</style></head>
<body><main><header>${MARK}Slipway</header><section class="${tone}"><h1>${escapeHtml(title)}</h1>${paragraphs}</section></main></body>
</html>
`;
}

export const MISMATCH_PAGE: CallbackPage = {
  tone: 'caution',
  title: 'This is not a sign-in that Slipway is waiting for',
  text: [
    'It may come from an older tab, or from another page. Nothing was connected and nothing was changed.',
    'Go back to Slipway and begin the sign-in again.',
  ],
};

export const USED_PAGE: CallbackPage = {
  tone: 'caution',
  title: 'This sign-in is over',
  text: [
    'A sign-in counts once, and only while Slipway waits for it. Look in Slipway whether the account is connected; this tab can be closed.',
  ],
};

export const NOT_HERE_PAGE: CallbackPage = {
  tone: 'caution',
  title: 'There is nothing here',
  text: ['Slipway waits at this address for a sign-in to come back. This tab can be closed.'],
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
