import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A fake of an OpenAI-compatible endpoint, for timing only: it answers every request with two words and
 * tells when a request came.
 */
export class TimedModelEndpoint implements AsyncDisposable {
  readonly #server: Server;
  #waiting: ((time: number) => void)[] = [];
  #held: Promise<void> = Promise.resolve();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param host address to listen on; the peer's container reaches it over the engine's bridge */
  static async listen(host: string): Promise<TimedModelEndpoint> {
    const server = createServer();
    const endpoint = new TimedModelEndpoint(server);
    server.on('request', (request, response) => {
      if (request.method === 'GET') {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ object: 'list', data: [{ id: 'timed', object: 'model' }] }));
        return;
      }
      const time = performance.now();
      request.resume();
      const answer = () => {
        response.setHeader('content-type', 'text/event-stream');
        const chunk = (delta: object, finish: string | null) =>
          `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'timed', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
        response.write(chunk({ role: 'assistant', content: 'All done.' }, null));
        response.write(chunk({}, 'stop'));
        response.write(
          `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'timed', choices: [], usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } })}\n\n`,
        );
        response.end('data: [DONE]\n\n');
      };
      request.on('end', () => {
        for (const resolve of endpoint.#waiting.splice(0)) resolve(time);
        void endpoint.#held.then(answer);
      });
    });
    server.listen(0, host);
    await once(server, 'listening');
    return endpoint;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resolves with the time at which the next completion is asked for, as `performance.now()`. */
  nextRequest(): Promise<number> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Holds answers back until the returned function is called, so that the asking side can be looked at. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return resolve;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
