import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';

/** Statuses whose responses may have no body (Fetch standard, "null body status"). */
const NULL_BODY_STATUSES: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/**
 * A `fetch` whose every request goes to the sidecar's unix socket, whatever host it names, and carries
 * the run's token. The token stands here alone: Pi and its clients are given none.
 */
export function createSocketFetch(sidecar: {
  readonly socketPath: string;
  readonly token: string;
}): typeof fetch {
  const agent = new Agent({ keepAlive: true });
  return async (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    const body = Buffer.from(await request.arrayBuffer());
    const url = new URL(request.url);
    const headers = {
      ...Object.fromEntries(request.headers),
      host: url.host,
      authorization: `Bearer ${sidecar.token}`,
      ...(body.length > 0 && { 'content-length': String(body.length) }),
    };
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = httpRequest(
        {
          socketPath: sidecar.socketPath,
          agent,
          method: request.method,
          path: `${url.pathname}${url.search}`,
          headers,
          signal,
        },
        resolve,
      );
      outgoing.on('error', (error) => {
        reject(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause: error }));
      });
      outgoing.end(body);
    });
    const { statusCode: status = 0 } = message;
    return new Response(NULL_BODY_STATUSES.has(status) ? drained(message) : bodyOf(message, signal), {
      status,
      headers: new Headers(
        Object.entries(message.headersDistinct).map(([name, values]) => [name, (values ?? []).join(', ')]),
      ),
    });
  };
}

/** The body as it comes, pulled as it is read. A cut is named as the platform's own fetch names it. */
function bodyOf(message: IncomingMessage, signal: AbortSignal): ReadableStream<Uint8Array> {
  const chunks = message[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.error(signal.aborted ? signal.reason : new TypeError('terminated', { cause: error }));
      }
    },
    cancel() {
      message.destroy();
    },
  });
}

function drained(message: IncomingMessage): null {
  message.resume();
  return null;
}
