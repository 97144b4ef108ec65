import type { TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';
import { isOwnMessage } from '#main/sidecar/mcp-servers/remote-server.ts';
import type { ServerTransport } from '#main/sidecar/mcp-servers/server-link.ts';
import type { ProblemError } from '#shared/problem.ts';
import type { ProtocolLog } from './protocol-log.ts';

/**
 * A way to a server on which everything that is said is written down. It stands above the transport that puts
 * credentials into requests and takes them out of answers, so that it never sees one.
 */
export class LoggedTransport implements ServerTransport {
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** That both sides have agreed on; empty before. */
  protocolVersion = '';
  readonly #inner: ServerTransport;
  readonly #log: ProtocolLog;

  constructor(inner: ServerTransport, log: ProtocolLog) {
    this.#inner = inner;
    this.#log = log;
    const ownError = inner.onerror;
    // Properties, not event targets: that is all that the protocol's transports have.
    Object.assign(inner, {
      onmessage: (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
        // A word of the transport's own counts where the server's answer never came.
        if (!isOwnMessage(message) || this.#log.isWaitedFor(message)) this.#log.message('received', message);
        this.onmessage?.(message, extra);
      },
      onclose: () => this.onclose?.(),
      onerror: (error: Error) => {
        ownError?.(error);
        this.#log.note('transport', error.message);
        this.onerror?.(error);
      },
    });
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  get failure(): ProblemError | undefined {
    return this.#inner.failure;
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    this.#log.message('sent', message);
    return this.#inner.send(message, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  setProtocolVersion(version: string): void {
    this.protocolVersion = version;
    this.#inner.setProtocolVersion?.(version);
  }

  async terminateSession(): Promise<void> {
    await this.#inner.terminateSession?.();
  }
}
