/** Headers of a response that a model may see (reference: sidecar, section 1.10); never a cookie. */
const SHOWN: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'cache-control',
  'etag',
  'last-modified',
  'expires',
  'vary',
  'retry-after',
  'link',
  'location',
  'range',
  'upload-offset',
  'upload-length',
  'upload-expires',
  'upload-metadata',
  'tus-resumable',
  'tus-extension',
  'tus-version',
  'tus-max-size',
  'tus-checksum-algorithm',
  'x-amz-version-id',
  'x-amz-request-id',
  'x-amz-id-2',
  'x-amz-server-side-encryption',
  'x-goog-generation',
  'x-goog-metageneration',
  'x-goog-stored-content-length',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
]);

/** What of a response's headers is passed on, under lower-case names. */
export function shownHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (value === undefined || !SHOWN.has(key)) continue;
    shown[key] = typeof value === 'string' ? value : value.join(', ');
  }
  return shown;
}
