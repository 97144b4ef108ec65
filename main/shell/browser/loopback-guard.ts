import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request was meant for this server by a page of this server. Another site's page that reaches
 * the port carries its own Origin; one whose name was rebound to 127.0.0.1 carries its own Host.
 * @param authority Exactly `127.0.0.1:<port>`.
 * @param requireOrigin For requests that do something: a browser always sends their Origin.
 */
export function isOwnRequest(
  headers: IncomingHttpHeaders,
  authority: string,
  requireOrigin: boolean,
): boolean {
  if (headers.host !== authority) return false;
  if (headers.origin === undefined) return !requireOrigin;
  return headers.origin === `http://${authority}`;
}

/** Whether another site's page caused the request, as far as the browser tells (Fetch Metadata). */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
