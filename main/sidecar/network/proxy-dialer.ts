import { connect, type Socket } from 'node:net';
import type { SidecarNetwork } from '#shared/protocol/integrations.ts';
import { ConnectionRefused, dialDirectly, settled, type Dialer } from './connector.ts';

/** Bytes of a proxy's answer; more is none. */
const MAX_ANSWER_BYTES = 16 * 1024;

/**
 * Dials through the author's HTTP proxy, which is told the address that was checked, never the name: it has
 * nothing to look up.
 */
export function dialerFor(network: SidecarNetwork | undefined): Dialer {
  if (network?.proxy === undefined) return dialDirectly;
  const proxy = URL.parse(network.proxy);
  if (proxy === null || proxy.protocol !== 'http:') {
    return () => {
      throw new ConnectionRefused('upstream_unreachable', 'The proxy of the settings is no http:// proxy');
    };
  }
  return async (address, port, signal, host) => {
    if (isExempt(host, network.noProxy)) return dialDirectly(address, port, signal, host);
    return throughProxy(proxy, address, port, signal);
  };
}

/** Whether a host, or a domain it is under, is reached without the proxy. */
export function isExempt(host: string, noProxy: readonly string[]): boolean {
  return noProxy.some((entry) => {
    const domain = entry
      .trim()
      .toLowerCase()
      .replace(/^\*?\./, '');
    return domain === '*' || host === domain || (domain !== '' && host.endsWith(`.${domain}`));
  });
}

async function throughProxy(proxy: URL, address: string, port: number, signal: AbortSignal): Promise<Socket> {
  const target = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  const name = proxy.hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = await settled(
    connect({ host: name, port: Number(proxy.port) || 80, noDelay: true }),
    'connect',
    signal,
  );
  const user = decodeURIComponent(proxy.username);
  const login = Buffer.from(`${user}:${decodeURIComponent(proxy.password)}`).toString('base64');
  socket.write(
    [
      `CONNECT ${target} HTTP/1.1`,
      `Host: ${target}`,
      ...(user === '' ? [] : [`Proxy-Authorization: Basic ${login}`]),
      '\r\n',
    ].join('\r\n'),
  );
  const status = await answerOf(socket, signal);
  if (status >= 200 && status < 300) return socket;
  socket.destroy();
  throw Object.assign(new Error(`the proxy answered ${status}`), { code: `PROXY_ANSWERED_${status}` });
}

/** The status of the proxy's answer; what comes after its head is left in the socket. */
function answerOf(socket: Socket, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    let head: Buffer = Buffer.alloc(0);
    const leave = () => {
      socket.off('data', onData);
      socket.off('error', onFailure);
      socket.off('close', onFailure);
      signal.removeEventListener('abort', onFailure);
      socket.pause();
    };
    const onFailure = () => {
      leave();
      socket.on('error', () => undefined);
      socket.destroy();
      reject(
        signal.aborted
          ? (signal.reason as Error)
          : Object.assign(new Error('no answer of the proxy'), { code: 'PROXY_CLOSED' }),
      );
    };
    const onData = (piece: Buffer) => {
      head = Buffer.concat([head, piece]);
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) {
        if (head.length > MAX_ANSWER_BYTES) onFailure();
        return;
      }
      leave();
      if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
      resolve(Number(/^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1] ?? 0));
    };
    socket.on('data', onData);
    socket.on('error', onFailure);
    socket.on('close', onFailure);
    signal.addEventListener('abort', onFailure, { once: true });
    if (signal.aborted) onFailure();
  });
}
