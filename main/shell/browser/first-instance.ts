import { randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { tryExclusiveLock } from '#main/store/index.ts';

const CONTROL_PATH = '/control/open';
/** Milliseconds a second start waits for the first to be reachable; it may be just starting. */
const REACH_TIMEOUT_MS = 10_000;

const recordSchema = z.object({ port: z.number().int(), secret: z.string() });
const askSchema = z.object({ open: z.boolean() });
const answerSchema = z.object({ address: z.string(), opened: z.boolean() });

/** What the first start did for a second one. */
export type SecondStartAnswer = z.infer<typeof answerSchema>;

/**
 * One browser shell serves a data folder; a second start asks the first for a window. The first leaves a
 * record of its port with a secret, which only this person can read.
 */
export class FirstInstance implements Disposable {
  readonly #lock: Disposable;
  readonly #recordPath: string;
  readonly #secret = randomBytes(32).toString('base64url');

  /** `undefined` when another process is the first. */
  static claim(dataDirectory: string): FirstInstance | undefined {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
    const lock = tryExclusiveLock(join(dataDirectory, 'browser-shell.lock'));
    return lock && new FirstInstance(lock, recordPath(dataDirectory));
  }

  private constructor(lock: Disposable, path: string) {
    this.#lock = lock;
    this.#recordPath = path;
    rmSync(path, { force: true });
  }

  /** Makes the server known to further starts. */
  announce(port: number): void {
    writeFileSync(this.#recordPath, JSON.stringify({ port, secret: this.#secret }), {
      mode: 0o600,
      flag: 'wx',
    });
  }

  /** Answers a second start's request; false when the request is another's. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    onSecondStart: (open: boolean) => Promise<SecondStartAnswer>,
  ): boolean {
    if (request.url !== CONTROL_PATH || request.method !== 'POST') return false;
    void this.#answer(request, response, onSecondStart);
    return true;
  }

  [Symbol.dispose](): void {
    rmSync(this.#recordPath, { force: true });
    this.#lock[Symbol.dispose]();
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    onSecondStart: (open: boolean) => Promise<SecondStartAnswer>,
  ): Promise<void> {
    // A page can neither know the secret nor send this header without asking first.
    if (!equals(request.headers.authorization ?? '', `Bearer ${this.#secret}`)) {
      response.writeHead(403).end();
      return;
    }
    try {
      const { open } = askSchema.parse(await readJson(request));
      const answer = JSON.stringify(await onSecondStart(open));
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    } catch {
      response.writeHead(400).end();
    }
  }
}

/**
 * Asks the process that serves the data folder for a window, or for an address alone. `undefined` when it
 * cannot be reached, for example because it is ending.
 */
export async function askFirstInstance(
  dataDirectory: string,
  open: boolean,
  signal: AbortSignal = AbortSignal.timeout(REACH_TIMEOUT_MS),
): Promise<SecondStartAnswer | undefined> {
  while (!signal.aborted) {
    try {
      const { port, secret } = recordSchema.parse(
        JSON.parse(readFileSync(recordPath(dataDirectory), 'utf8')),
      );
      const response = await fetch(`http://127.0.0.1:${port}${CONTROL_PATH}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ open }),
        signal,
      });
      if (response.ok) return answerSchema.parse(await response.json());
    } catch {
      // Not announced yet, or gone already; the record is read anew.
    }
    await delay(200, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

function recordPath(dataDirectory: string): string {
  return join(dataDirectory, 'browser-shell.json');
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > 1000) throw new Error('Too long');
  }
  return JSON.parse(text);
}

function equals(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
