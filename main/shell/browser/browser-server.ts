import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { Connection } from '#main/app/connection.ts';
import { PAGE_HEADERS } from '#main/app/page-headers.ts';
import type { ResourceHandler } from '#main/app/resources.ts';
import type { Router } from '#main/app/router.ts';
import type { Logger } from '#main/logging/logger.ts';
import {
  CONNECT_PATH,
  SESSION_REFUSED_CODE,
  TOKEN_PARAMETER,
  helloSchema,
  type Welcome,
} from '#shared/ipc/browser-session.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';
import { isCrossSite, isOwnRequest } from './loopback-guard.ts';
import { Sessions, type Session } from './sessions.ts';
import type { Uploads } from './uploads.ts';
import { WebSocketCarrier } from './web-socket-carrier.ts';

const ADDRESS = '127.0.0.1';
/** Bytes of one message of a page; a run's typed input is the largest. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Milliseconds a new connection has for its first message. */
const HELLO_TIMEOUT_MS = 5_000;
/** Milliseconds a page has to answer the server's goodbye. */
const GOODBYE_TIMEOUT_MS = 500;
/** Milliseconds a connection may be silent in the middle of a request. */
const IDLE_TIMEOUT_MS = 60_000;

export interface BrowserServerOptions {
  readonly router: Router;
  readonly resources: ResourceHandler;
  readonly uploads: Uploads;
  readonly logger: Logger;
  /** 0 for any free one. */
  readonly port: number;
  /** Further paths, for the shell's own use; answers whether it took the request. */
  readonly control?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Told whenever a page connects or goes. */
  readonly onConnections?: (count: number) => void;
  readonly sessions?: Sessions;
}

/** Serves the app to pages on this computer, and to nobody else. */
export class BrowserServer implements AsyncDisposable {
  readonly #options: BrowserServerOptions;
  readonly #sessions: Sessions;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  readonly #connections = new Set<Connection>();
  #authority = '';

  /** @throws ProblemError `port_taken`. */
  static async start(options: BrowserServerOptions): Promise<BrowserServer> {
    const server = new BrowserServer(options);
    await server.#listen(options.port);
    return server;
  }

  private constructor(options: BrowserServerOptions) {
    this.#options = options;
    this.#sessions = options.sessions ?? new Sessions();
    this.#server = createServer((request, response) => void this.#respond(request, response));
    this.#server.setTimeout(IDLE_TIMEOUT_MS);
    // An upload takes as long as it takes; silence is what ends it.
    this.#server.requestTimeout = 0;
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  get origin(): string {
    return `http://${this.#authority}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** An address that opens the app once, within two minutes. */
  issueUrl(): string {
    return `${this.origin}/#${TOKEN_PARAMETER}=${this.#sessions.issueToken()}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const connection of this.#connections) connection[Symbol.dispose]();
    await closeSockets([...this.#sockets.clients]);
    this.#server.closeAllConnections();
    await closed;
  }

  async #listen(port: number): Promise<void> {
    this.#server.listen(port, ADDRESS);
    try {
      await once(this.#server, 'listening');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
      throw new ProblemError(
        {
          code: 'port_taken',
          title: 'Port not available',
          detail:
            code === 'EACCES'
              ? `This user may not listen on port ${port}.`
              : `Another program listens on port ${port}.`,
          action: 'Give another port with --port, or leave it out for any free one.',
        },
        { cause: error },
      );
    }
    this.#authority = `${ADDRESS}:${this.port}`;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (this.#options.control?.(request, response)) return;
      const doesSomething = request.method !== 'GET' && request.method !== 'HEAD';
      if (!isOwnRequest(request.headers, this.#authority, doesSomething))
        return refuse(response, 403, 'This address serves only its own pages.');
      const url = parseTarget(request.url);
      if (!url) return refuse(response, 400, 'The address is not readable.');
      const [, area, capability = '', ...rest] = url.pathname.split('/');
      if (area === 'upload') return await this.#upload(capability, url, request, response);
      if (area !== 's') return await this.#serve(url.pathname, url, request, response);
      if (isCrossSite(request.headers)) return refuse(response, 403, 'Only its own pages may load this.');
      if (!this.#sessions.withCapability(capability)) return refuse(response, 404, 'There is no such file.');
      await this.#serve(`/${rest.join('/')}`, url, request, response);
    } catch (error) {
      this.#options.router.describeError(error, { request: request.method ?? '' });
      if (response.headersSent) response.destroy();
      else refuse(response, 500, 'Something went wrong; the app log has the particulars.');
    }
  }

  async #serve(
    pathname: string,
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const isOfRun = /^\/(output|resource|calls)(\/|$)/.test(pathname);
    if (isOfRun && !url.pathname.startsWith('/s/')) return refuse(response, 404, 'There is no such file.');
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const answer = await this.#options.resources({
      method: request.method ?? 'GET',
      pathname,
      parameters: url.searchParams,
      range: request.headers.range,
      signal: gone.signal,
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (!answer.body) return void response.end();
    try {
      await pipeline(Readable.fromWeb(answer.body), response);
    } catch (error) {
      if (!gone.signal.aborted) throw error;
    }
  }

  async #upload(
    capability: string,
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const session = this.#sessions.withCapability(capability);
    if (!session) return refuse(response, 403, 'This session is not known.');
    if (request.method !== 'POST') return refuse(response, 405, 'Only POST is possible here.');
    const name = url.searchParams.get('name') ?? '';
    if (name === '') return refuse(response, 400, 'The file has no name.');
    try {
      const upload = await this.#options.uploads.receive(request, name);
      const data = session.files.register({ ...upload, name });
      sendJson(response, 200, { ok: true, data });
    } catch (thrown) {
      const error = this.#options.router.describeError(thrown, { upload: true });
      // What was not read of the body is not wanted, so the connection cannot be used again.
      if (!request.complete) response.shouldKeepAlive = false;
      sendJson(response, statusOf(error), { ok: false, error });
    }
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    if (!isOwnRequest(request.headers, this.#authority, true) || request.url !== CONNECT_PATH) {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#greet(webSocket));
  }

  /** Waits for the first message, which must prove that the person opened the page. */
  #greet(socket: WebSocket): void {
    socket.on('error', (error) => this.#options.logger.debug({ error }, 'A page broke the protocol'));
    const timer = setTimeout(() => socket.close(SESSION_REFUSED_CODE, 'No hello'), HELLO_TIMEOUT_MS);
    socket.once('close', () => clearTimeout(timer));
    socket.once('message', (data, isBinary) => {
      clearTimeout(timer);
      const hello = helloSchema.safeParse(readMessage(data, isBinary));
      if (!hello.success) return socket.close(SESSION_REFUSED_CODE, 'Unreadable hello');
      const session =
        'token' in hello.data
          ? this.#sessions.redeem(hello.data.token)
          : this.#sessions.resume(hello.data.session);
      if (!session) return socket.close(SESSION_REFUSED_CODE, 'Unknown session');
      this.#connect(socket, session);
    });
  }

  #connect(socket: WebSocket, session: Session): void {
    const carrier = new WebSocketCarrier(socket);
    const { router, logger } = this.#options;
    const connection = new Connection({ router, carrier, files: session.files, logger });
    this.#connections.add(connection);
    const { secret, capability } = session;
    socket.send(JSON.stringify({ kind: 'welcome', session: secret, capability } satisfies Welcome));
    socket.on('message', (data, isBinary) => {
      connection.receive(readMessage(data, isBinary));
    });
    socket.once('close', () => {
      carrier[Symbol.dispose]();
      connection[Symbol.dispose]();
      this.#connections.delete(connection);
      this.#options.onConnections?.(this.#connections.size);
    });
    this.#options.onConnections?.(this.#connections.size);
  }
}

/** Says goodbye to every page, and cuts those that do not answer. */
async function closeSockets(sockets: readonly WebSocket[]): Promise<void> {
  const goodbyes = sockets.map((socket) => {
    const closed = once(socket, 'close');
    socket.close(1001);
    return closed;
  });
  const patience = new AbortController();
  const expired = delay(GOODBYE_TIMEOUT_MS, undefined, { signal: patience.signal }).catch(() => undefined);
  await Promise.race([Promise.allSettled(goodbyes), expired]);
  patience.abort();
  for (const socket of sockets) socket.terminate();
}

/** Parses the target of a request; only a path is taken, never a whole address. */
function parseTarget(target: string | undefined): URL | undefined {
  if (!target?.startsWith('/')) return undefined;
  try {
    return new URL(`http://${ADDRESS}${target}`);
  } catch {
    return undefined;
  }
}

function readMessage(data: RawData, isBinary: boolean): unknown {
  if (isBinary || !Buffer.isBuffer(data)) return undefined;
  try {
    return JSON.parse(data.toString('utf8'));
  } catch {
    return undefined;
  }
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    ...PAGE_HEADERS,
    'content-type': 'text/plain; charset=utf-8',
    connection: 'close',
  });
  response.end(`${text}\n`);
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { ...PAGE_HEADERS, 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(value));
}

function statusOf(problem: Problem): number {
  switch (problem.code) {
    case 'length_required':
      return 411;
    case 'file_too_large':
      return 413;
    case 'uploads_full':
    case 'disk_full':
      return 507;
    case 'upload_aborted':
      return 400;
    default:
      return 500;
  }
}
