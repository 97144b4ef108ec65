import {
  CONNECT_PATH,
  SESSION_REFUSED_CODE,
  TOKEN_PARAMETER,
  uploadAnswerSchema,
  welcomeSchema,
  type Hello,
} from '#shared/ipc/browser-session.ts';
import type { ClientFrame, RegisteredFile, ShellBridge } from '#shared/ipc/frames.ts';
import {
  callsPath,
  exportPath,
  outputPath,
  sessionPath,
  uploadPath,
  type OutputAddressOptions,
} from '#shared/ipc/resource-address.ts';
import type { Problem, Result } from '#shared/problem.ts';
import type { CallExportFormat, CallFilter } from '#shared/runs/recorded-call.ts';
import { fileTooLarge } from '#shared/runs/file-too-large.ts';

type CarrierState = 'connecting' | 'open' | 'closed';

const SESSION_KEY = 'slipway.session';
/** Milliseconds before the first and at most before any further attempt to connect. */
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;

/**
 * The bridge of a page in a browser: frames over a WebSocket that comes back by itself, files by upload.
 * The session's secret is kept in this tab's storage, so that a reload goes on.
 */
export class BrowserBridge implements ShellBridge, Disposable {
  readonly shell = 'browser';
  readonly #frameListeners = new Set<(frame: unknown) => void>();
  readonly #stateListeners = new Set<(state: CarrierState) => void>();
  readonly #disposal = new AbortController();
  #state: CarrierState = 'connecting';
  #socket: WebSocket | undefined;
  #token: string | undefined;
  #capability = '';
  #retryMs = FIRST_RETRY_MS;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#token = takeToken();
    const { signal } = this.#disposal;
    const now = () => this.#connectNow();
    globalThis.addEventListener('online', now, { signal });
    globalThis.addEventListener('focus', now, { signal });
    document.addEventListener('visibilitychange', now, { signal });
    this.#connect();
  }

  send(frame: ClientFrame): void {
    if (this.#state === 'open') this.#socket?.send(JSON.stringify(frame));
  }

  onFrame(listener: (frame: unknown) => void): () => void {
    this.#frameListeners.add(listener);
    return () => this.#frameListeners.delete(listener);
  }

  onState(listener: (state: CarrierState) => void): () => void {
    this.#stateListeners.add(listener);
    listener(this.#state);
    return () => this.#stateListeners.delete(listener);
  }

  async registerFile(
    file: unknown,
    onProgress?: (fraction: number) => void,
  ): Promise<Result<RegisteredFile>> {
    if (!(file instanceof File)) throw new TypeError('registerFile takes a File');
    const error = fileTooLarge(file.name, file.size);
    if (error) return { ok: false, error };
    return upload(file, uploadPath(this.#capability, file.name), onProgress);
  }

  outputUrl(runId: string, path: string, options?: OutputAddressOptions): string {
    return sessionPath(this.#capability, outputPath(runId, path, options));
  }

  callsUrl(runId: string, format: CallExportFormat, filter: CallFilter): string {
    return sessionPath(this.#capability, callsPath(runId, format, filter));
  }

  exportUrl(token: string): string {
    return sessionPath(this.#capability, exportPath(token));
  }

  [Symbol.dispose](): void {
    this.#disposal.abort();
    clearTimeout(this.#retryTimer);
    this.#change('closed');
    this.#socket?.close();
  }

  #connect(): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
    const hello = this.#hello();
    if (!hello) return this.#change('closed');
    const address = new URL(CONNECT_PATH, location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.addEventListener('open', () => socket.send(JSON.stringify(hello)));
    socket.addEventListener('message', (event) => this.#receive(socket, event.data));
    socket.addEventListener('close', (event) => this.#lost(socket, event.code));
  }

  #hello(): Hello | undefined {
    if (this.#token) return { kind: 'hello', token: this.#token };
    const session = sessionStorage.getItem(SESSION_KEY);
    return session ? { kind: 'hello', session } : undefined;
  }

  #receive(socket: WebSocket, data: unknown): void {
    if (socket !== this.#socket || typeof data !== 'string') return;
    const message: unknown = JSON.parse(data);
    if (this.#state === 'open') {
      for (const listener of this.#frameListeners) listener(message);
      return;
    }
    const { session, capability } = welcomeSchema.parse(message);
    sessionStorage.setItem(SESSION_KEY, session);
    this.#token = undefined;
    this.#capability = capability;
    this.#retryMs = FIRST_RETRY_MS;
    this.#change('open');
  }

  #lost(socket: WebSocket, code: number): void {
    if (socket !== this.#socket || this.#state === 'closed') return;
    this.#socket = undefined;
    if (code === SESSION_REFUSED_CODE) return this.#refused();
    this.#change('connecting');
    // Half of the wait is chance, so that the pages of a restarted app do not come all at once.
    const wait = this.#retryMs * (0.5 + Math.random() / 2);
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
    this.#retryTimer = setTimeout(() => this.#connect(), wait);
  }

  /** A used token may be one of a page that was opened again: its session may still be good. */
  #refused(): void {
    if (this.#token) this.#token = undefined;
    else sessionStorage.removeItem(SESSION_KEY);
    this.#connect();
  }

  #connectNow(): void {
    if (this.#retryTimer !== undefined && document.visibilityState === 'visible') this.#connect();
  }

  #change(state: CarrierState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#stateListeners) listener(state);
  }
}

/** Takes the one-time token out of the address, so that it is neither shown nor kept in the history. */
function takeToken(): string | undefined {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const token = parameters.get(TOKEN_PARAMETER);
  if (token === null) return undefined;
  parameters.delete(TOKEN_PARAMETER);
  const rest = parameters.toString();
  history.replaceState(history.state, '', rest ? `#${rest}` : location.pathname + location.search);
  return token;
}

/** Sends a file's bytes as they are read; the browser never holds them all. */
function upload(
  file: File,
  path: string,
  onProgress: ((fraction: number) => void) | undefined,
): Promise<Result<RegisteredFile>> {
  return new Promise((resolve) => {
    const fail = () => resolve({ ok: false, error: uploadFailed(file) });
    // Unlike fetch, this tells how much has been sent.
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      if (total > 0) onProgress?.(loaded / total);
    });
    request.addEventListener('load', () => {
      const answer = uploadAnswerSchema.safeParse(parseJson(request.responseText));
      if (answer.success) resolve(answer.data);
      else fail();
    });
    request.addEventListener('error', fail);
    request.addEventListener('abort', fail);
    request.send(file);
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function uploadFailed(file: File): Problem {
  return {
    code: 'upload_failed',
    title: 'File not taken over',
    detail: `"${file.name}" could not be handed to Slipway: it cannot be read, or the connection was cut.`,
    file: file.name,
    action: 'Choose the file again.',
  };
}
