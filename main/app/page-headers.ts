/** Content-Security-Policy of the page: nothing but the app's own files, no code made from text. */
export const PAGE_CONTENT_SECURITY_POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  // The editor writes style attributes and elements.
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:', 'blob:'],
  'font-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
  'worker-src': ["'self'", 'blob:'],
  'frame-ancestors': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
} as const satisfies Record<string, readonly string[]>;

/** An output is made by an agent: it may be looked at, but runs nothing and loads nothing. */
const OUTPUT_CONTENT_SECURITY_POLICY = {
  sandbox: [],
  'default-src': ["'none'"],
  'style-src': ["'unsafe-inline'"],
  'img-src': ['data:'],
} as const satisfies Record<string, readonly string[]>;

/** Features the page never needs; the shells deny the permissions besides. */
const DENIED_FEATURES = [
  'camera',
  'display-capture',
  'geolocation',
  'hid',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
];

/** Writes a policy as the header has it. */
function formatPolicy(policy: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(policy)
    .map(([directive, values]) => [directive, ...values].join(' '))
    .join('; ');
}

/** Headers of every answer, whatever it carries. */
const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const;

/** Headers of the renderer's own files. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON_HEADERS,
  'content-security-policy': formatPolicy(PAGE_CONTENT_SECURITY_POLICY),
  'permissions-policy': DENIED_FEATURES.map((feature) => `${feature}=()`).join(', '),
  'cache-control': 'no-cache',
};

/** Headers of a run's output files. */
export const OUTPUT_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON_HEADERS,
  'content-security-policy': formatPolicy(OUTPUT_CONTENT_SECURITY_POLICY),
  'cache-control': 'no-store',
};
