/** Parts of a host that say nothing of whose it is. */
const PLAIN = new Set(['www', 'mcp', 'api', 'app', 'server', 'com', 'net', 'org', 'io', 'dev', 'ai', 'co']);

/** A word to name a server after, from its address: `https://mcp.tracker.example.com/v1` is `tracker-example`. */
export function wordOfAddress(address: string): string {
  const url = URL.parse(address.trim());
  if (url === null || url.hostname === '') return '';
  const isNumeric = /^[\d.]+$|:/.test(url.hostname);
  if (isNumeric || url.hostname === 'localhost') return `local-${url.port || '80'}`;
  const parts = url.hostname.split('.').filter((part) => !PLAIN.has(part));
  return parts.join('-') || url.hostname.replaceAll('.', '-');
}
