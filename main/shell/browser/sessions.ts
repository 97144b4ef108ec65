import { createHash, randomBytes } from 'node:crypto';
import { SessionFiles } from '#main/app/file-handles.ts';

/** Milliseconds a one-time token may wait for its page. */
const TOKEN_LIFETIME_MS = 2 * 60_000;

/** A page that proved it was opened by the person; lives as long as this process. */
export interface Session {
  readonly secret: string;
  readonly capability: string;
  readonly files: SessionFiles;
}

/**
 * Tokens and sessions. Secrets are looked up by their hash, so that the time a look-up takes tells nothing
 * of the secret.
 */
export class Sessions {
  readonly #now: () => number;
  /** Hash of a token, and until when it is good. */
  readonly #tokens = new Map<string, number>();
  readonly #bySecret = new Map<string, Session>();
  readonly #byCapability = new Map<string, Session>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Makes a token that opens one session within two minutes. */
  issueToken(): string {
    for (const [hash, expiry] of this.#tokens) if (expiry <= this.#now()) this.#tokens.delete(hash);
    const token = randomSecret();
    this.#tokens.set(digest(token), this.#now() + TOKEN_LIFETIME_MS);
    return token;
  }

  /** Opens a session; `undefined` when the token is unknown, used or too old. */
  redeem(token: string): Session | undefined {
    const hash = digest(token);
    const expiry = this.#tokens.get(hash);
    this.#tokens.delete(hash);
    if (expiry === undefined || expiry <= this.#now()) return undefined;
    const session = { secret: randomSecret(), capability: randomSecret(), files: new SessionFiles() };
    this.#bySecret.set(digest(session.secret), session);
    this.#byCapability.set(digest(session.capability), session);
    return session;
  }

  resume(secret: string): Session | undefined {
    return this.#bySecret.get(digest(secret));
  }

  withCapability(capability: string): Session | undefined {
    return this.#byCapability.get(digest(capability));
  }
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64');
}
