import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A socket in front of an engine's, to cut or to freeze as if the engine had stopped or hung. */
export class SocketProxy implements AsyncDisposable {
  readonly path: string;
  readonly #target: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #frozen = false;

  private constructor(path: string, target: string) {
    this.path = path;
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#forward(socket));
  }

  static async open(target: string): Promise<SocketProxy> {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-proxy-'));
    const proxy = new SocketProxy(join(folder, 'engine.sock'), target);
    await proxy.#listen();
    return proxy;
  }

  /** Ends as an engine does that stops: connections close, and nobody listens any more. */
  async cut(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Listens again, as an engine does that was started again. */
  async restore(): Promise<void> {
    await this.#listen();
  }

  /** Takes connections and bytes, and says nothing any more. */
  freeze(): void {
    this.#frozen = true;
    for (const socket of this.#sockets) socket.pause();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.cut();
    await rm(join(this.path, '..'), { recursive: true, force: true });
  }

  async #listen(): Promise<void> {
    await rm(this.path, { force: true });
    await new Promise<void>((resolve) => this.#server.listen(this.path, resolve));
  }

  #forward(socket: Socket): void {
    const engine = connect({ path: this.#target, allowHalfOpen: true });
    for (const [each, other] of [
      [socket, engine],
      [engine, socket],
    ] as const) {
      this.#sockets.add(each);
      each.on('error', () => other.destroy());
      each.on('close', () => {
        this.#sockets.delete(each);
        other.destroy();
      });
      each.pipe(other);
      if (this.#frozen) each.pause();
    }
  }
}
