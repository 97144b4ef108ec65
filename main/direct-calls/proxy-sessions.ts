import type { CallPath } from '#main/sidecar/integration-tools.ts';
import { ConnectionExchange } from '#main/sidecar/calls/exchange.ts';
import type { ApiAuth } from '#shared/protocol/integrations.ts';

/** Time after which the cookies of a session that nobody uses are forgotten (reference: sidecar, section 1.17). */
const SESSION_MS = 3_600_000;
const MAX_SESSIONS = 100;

interface Session {
  usedAt: number;
  /** By connection and by what its method is allowed, so that a changed manifest counts at once. */
  readonly exchanges: Map<string, ConnectionExchange>;
}

/** The cookies of a proxy's sessions, apart from each other. */
export class ProxySessions {
  readonly #path: CallPath;
  readonly #now: () => number;
  /** The one used longest ago first. */
  readonly #sessions = new Map<string, Session>();

  constructor(path: CallPath, now: () => number = Date.now) {
    this.#path = path;
    this.#now = now;
  }

  /** What sends the requests of a connection in a session. */
  exchangeOf(sessionId: string | undefined, connectionId: string, auth: ApiAuth): ConnectionExchange {
    const { exchanges } = this.#session(sessionId?.toLowerCase() ?? '');
    const key = `${connectionId}\n${JSON.stringify(auth)}`;
    let exchange = exchanges.get(key);
    if (exchange === undefined) {
      const { http, credentials } = this.#path;
      exchange = new ConnectionExchange({ auth, connectionId, http, credentials });
      exchanges.set(key, exchange);
    }
    return exchange;
  }

  #session(id: string): Session {
    const now = this.#now();
    for (const [known, { usedAt }] of this.#sessions) {
      if (now - usedAt <= SESSION_MS && this.#sessions.size <= MAX_SESSIONS) break;
      this.#sessions.delete(known);
    }
    const session = this.#sessions.get(id) ?? { usedAt: now, exchanges: new Map() };
    session.usedAt = now;
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }
}
