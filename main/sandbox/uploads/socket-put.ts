import { Agent, request as httpRequest } from 'node:http';

/** Sends bytes to a path of the sidecar's socket and answers the status. */
export type SocketPut = (path: string, bytes: Buffer, signal: AbortSignal) => Promise<number>;

/** A `fetch` would copy the bytes twice before it sends them, and leave the copies to be collected. */
export function createSocketPut(sidecar: { readonly socketPath: string; readonly token: string }): SocketPut {
  const agent = new Agent({ keepAlive: true });
  return (path, bytes, signal) =>
    new Promise((resolve, reject) => {
      const outgoing = httpRequest(
        {
          socketPath: sidecar.socketPath,
          agent,
          method: 'PUT',
          path,
          headers: {
            host: 'sidecar',
            authorization: `Bearer ${sidecar.token}`,
            'content-length': bytes.length,
          },
          signal,
        },
        (response) => {
          response.resume();
          response.once('end', () => resolve(response.statusCode ?? 0));
          response.once('error', reject);
        },
      );
      outgoing.once('error', (error) => reject(signal.aborted ? (signal.reason as Error) : error));
      outgoing.end(bytes);
    });
}
