import { WebSocket } from 'ws';
import type { Carrier } from '#main/app/connection.ts';
import type { ServerFrame } from '#shared/ipc/frames.ts';

/** Milliseconds between two signs of life; a page that gave none in between is taken for gone. */
const HEARTBEAT_MS = 15_000;

/** Carries frames as JSON texts; a frame is sent when the system has taken the one before. */
export class WebSocketCarrier implements Carrier, Disposable {
  readonly #socket: WebSocket;
  readonly #heartbeat: NodeJS.Timeout;
  #alive = true;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('pong', () => (this.#alive = true));
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  send(frame: ServerFrame): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#socket.readyState !== WebSocket.OPEN) return resolve();
      this.#socket.send(JSON.stringify(frame), (error) => (error ? reject(error) : resolve()));
    });
  }

  [Symbol.dispose](): void {
    clearInterval(this.#heartbeat);
  }

  #beat(): void {
    if (!this.#alive) return this.#socket.terminate();
    this.#alive = false;
    this.#socket.ping();
  }
}
