import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { Addresses } from './addresses.ts';
import { strict } from './strict.ts';

type Handler = (request: Request) => Response | Promise<Response>;

/** The module's `protocol`, answered by a server on this computer. */
class ProtocolStandIn {
  readonly #handlers = new Map<string, Handler>();
  #schemes: { scheme: string; privileges: Record<string, boolean> }[] = [];
  #server: Server | undefined;
  #addresses: Addresses | undefined;

  /** What was registered, for assertions. */
  get registeredSchemes() {
    return this.#schemes;
  }

  get addresses(): Addresses {
    if (!this.#addresses) throw new Error('The app is not ready yet.');
    return this.#addresses;
  }

  registerSchemesAsPrivileged(schemes: { scheme: string; privileges: Record<string, boolean> }[]): void {
    if (this.#server) throw new Error('Schemes must be registered before the app is ready.');
    this.#schemes = schemes;
  }

  handle(scheme: string, handler: Handler): void {
    this.#handlers.set(scheme, handler);
  }

  unhandle(scheme: string): void {
    this.#handlers.delete(scheme);
  }

  async start(): Promise<void> {
    const [registered] = this.#schemes;
    if (!registered || this.#schemes.length > 1) throw new Error('The stand-in serves exactly one scheme.');
    const { scheme } = registered;
    this.#server = createServer((request, response) => void this.#respond(scheme, request, response));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#addresses = new Addresses((this.#server.address() as AddressInfo).port, scheme);
  }

  async #respond(scheme: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const handler = this.#handlers.get(scheme);
    const address = this.addresses.toApp(`http://${incoming.headers.host ?? ''}${incoming.url ?? ''}`);
    if (!handler || !address.startsWith(`${scheme}://`)) {
      outgoing.writeHead(404).end();
      return;
    }
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    const { range } = incoming.headers;
    try {
      const response = await handler(
        new Request(address, {
          method: incoming.method ?? 'GET',
          headers: range === undefined ? {} : { range },
          signal: gone.signal,
        }),
      );
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      if (response.body) await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing);
      else outgoing.end();
    } catch (error) {
      if (!gone.signal.aborted) process.stderr.write(`The protocol handler failed: ${String(error)}\n`);
      outgoing.destroy();
    }
  }
}

export const protocol = strict('protocol', new ProtocolStandIn());
