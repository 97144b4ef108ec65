import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ProblemError } from '#shared/problem.ts';

/** A way to a server. One with sessions ends its own when it is asked to. */
export interface ServerTransport extends Transport {
  terminateSession?(): Promise<void>;
  /** Why it ended by itself, where it knows more than that. */
  readonly failure?: ProblemError | undefined;
}

/** A folder that a server is told of when it asks. */
export interface ServerRoot {
  readonly uri: string;
  readonly name?: string;
}

/** Messages of a server in a second (reference: sidecar, section 6.5). */
const MAX_MESSAGES_PER_SECOND = 1000;

/** Nobody's output schema is compiled: what a tool says is for the model to read. */
const NO_VALIDATION = {
  getValidator: () => {
    throw new Error('Output schemas are not checked here.');
  },
};

/** One client over one transport, which is watched for floods. */
export class ServerLink {
  readonly client: Client;
  readonly #transport: ServerTransport;
  #isOpen = false;
  #flood: ProblemError | undefined;
  #windowStart = 0;
  #messages = 0;

  /** @param onClosed told when the connection has ended, by whichever side */
  constructor(
    transport: ServerTransport,
    roots: readonly ServerRoot[] | undefined,
    onClosed: () => void = () => undefined,
  ) {
    this.#transport = transport;
    this.client = new Client(
      { name: 'Slipway', version: '1' },
      { jsonSchemaValidator: NO_VALIDATION, capabilities: roots === undefined ? {} : { roots: {} } },
    );
    if (roots !== undefined) {
      this.client.setRequestHandler(ListRootsRequestSchema, () => ({
        roots: roots.map((root) => ({ ...root })),
      }));
    }
    // The protocol has no event targets; a client calls what stands on its transport before its own reading.
    Object.assign(this.client, {
      onclose: () => {
        this.#isOpen = false;
        onClosed();
      },
    });
    Object.assign(transport, { onmessage: () => this.#count() });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Why it ended, where more is known than that. */
  get failure(): ProblemError | undefined {
    return this.#flood ?? this.#transport.failure;
  }

  /** Whether the server remembers this client, and so may forget it. */
  get hadSession(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  async connect(signal: AbortSignal): Promise<void> {
    this.#isOpen = true;
    await this.client.connect(this.#transport, { signal, timeout: 2 ** 30 });
  }

  /** @param farewellMs for telling a server with sessions that this one is over */
  async close(farewellMs: number): Promise<void> {
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    if (wasOpen && farewellMs > 0 && this.#transport.terminateSession !== undefined) {
      const farewell = this.#transport.terminateSession().catch(() => undefined);
      await Promise.race([farewell, delay(farewellMs, undefined, { ref: false })]);
    }
    await this.client.close().catch(() => undefined);
  }

  #count(): void {
    const now = performance.now();
    if (now - this.#windowStart > 1000) {
      this.#windowStart = now;
      this.#messages = 0;
    }
    this.#messages += 1;
    if (this.#messages <= MAX_MESSAGES_PER_SECOND || this.#flood !== undefined) return;
    this.#flood = new ProblemError({
      code: 'mcp_server_floods',
      title: 'The server sends too much',
      detail: `It sent more than ${MAX_MESSAGES_PER_SECOND} messages in a second, so the connection to it was closed.`,
    });
    void this.close(0);
  }
}

/**
 * Gives a request a signal of its own. The SDK never stops listening to the one it was given, and would
 * cancel what has long been answered when that fires later.
 */
export async function detached<T>(
  signal: AbortSignal,
  request: (own: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const onAbort = () => own.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await request(own.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
