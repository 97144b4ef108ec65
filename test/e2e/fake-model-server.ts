import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the server answers the next requests. */
export type Mood = 'good' | 'refuses' | 'fault' | 'page';

const answers: Record<Mood, { status: number; type: string; body: (key: string) => string }> = {
  good: {
    status: 200,
    type: 'application/json',
    body: () =>
      JSON.stringify({
        object: 'list',
        data: [
          { id: 'harbour-7b', object: 'model' },
          { id: 'quay-70b', object: 'model' },
        ],
      }),
  },
  // Some servers repeat what they were sent; that must not bring the key back to the page.
  refuses: {
    status: 401,
    type: 'application/json',
    body: (key) => JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } }),
  },
  fault: {
    status: 500,
    type: 'application/json',
    body: () => JSON.stringify({ error: { message: 'The tide is out' } }),
  },
  page: {
    status: 200,
    type: 'text/html',
    body: (key) => `<!doctype html><title>Router</title><p>${key}</p>`,
  },
};

/** A server that speaks as much of OpenAI's API as a test of a provider needs. */
export class FakeModelServer implements AsyncDisposable {
  mood: Mood = 'good';
  /** Keys that requests came with. */
  readonly keys: string[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const key = (request.headers.authorization ?? '').replace(/^Bearer /, '');
      this.keys.push(key);
      const { status, type, body } = answers[this.mood];
      response.writeHead(status, { 'content-type': type }).end(body(key));
    });
  }

  static async open(): Promise<FakeModelServer> {
    const server = new FakeModelServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
