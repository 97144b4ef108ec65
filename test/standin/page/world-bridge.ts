/**
 * One end of the way between a page's own world and the isolated one of the preload script. Events cross
 * it at once, and their details are cloned; functions go as numbers, and are called through the bridge.
 */

/** Name of the events; each process has its own, and it is put before this script. */
declare const STANDIN_CHANNEL: string;

type Message =
  | { readonly kind: 'call'; readonly id: number; readonly args: unknown }
  | { readonly kind: 'returned'; readonly outcome: Outcome }
  | { readonly kind: 'settled'; readonly id: number; readonly outcome: Outcome }
  | { readonly kind: 'exposed'; readonly key: string; readonly api: unknown };

type Outcome = { readonly value: unknown } | { readonly error: string };
type Callable = (...args: unknown[]) => unknown;

export class WorldBridge {
  readonly #outgoing: string;
  readonly #functions = new Map<number, Callable>();
  readonly #promises = new Map<number, PromiseWithResolvers<unknown>>();
  #onExposed: (key: string, api: unknown) => void;
  #lastReturned: Outcome | undefined;
  #nextId = 1;

  constructor(end: 'page' | 'preload', onExposed: (key: string, api: unknown) => void = () => undefined) {
    const other = end === 'page' ? 'preload' : 'page';
    this.#outgoing = `${STANDIN_CHANNEL}:${other}`;
    this.#onExposed = onExposed;
    globalThis.addEventListener(`${STANDIN_CHANNEL}:${end}`, (event) => {
      this.#receive((event as CustomEvent<Message>).detail);
    });
  }

  expose(key: string, api: unknown): void {
    this.#send({ kind: 'exposed', key, api: this.#pack(api) });
  }

  #receive(message: Message): void {
    switch (message.kind) {
      case 'exposed':
        this.#onExposed(message.key, this.#unpack(message.api));
        break;
      case 'call':
        this.#send({ kind: 'returned', outcome: this.#perform(message.id, message.args) });
        break;
      case 'returned':
        this.#lastReturned = message.outcome;
        break;
      case 'settled': {
        const promise = this.#promises.get(message.id);
        this.#promises.delete(message.id);
        if ('error' in message.outcome) promise?.reject(new Error(message.outcome.error));
        else promise?.resolve(this.#unpack(message.outcome.value));
        break;
      }
    }
  }

  #perform(id: number, args: unknown): Outcome {
    try {
      const callable = this.#functions.get(id);
      if (!callable) throw new Error('The function is not known on this side.');
      return { value: this.#pack(callable(...(this.#unpack(args) as unknown[]))) };
    } catch (error) {
      return { error: messageOf(error) };
    }
  }

  /** Calls a function of the other world and gives what it returned. */
  #call(id: number, args: unknown[]): unknown {
    this.#lastReturned = undefined;
    this.#send({ kind: 'call', id, args: this.#pack(args) });
    const outcome = this.#lastReturned as Outcome | undefined;
    if (!outcome) throw new Error('The other world did not answer; something could not be cloned.');
    if ('error' in outcome) throw new Error(outcome.error);
    return this.#unpack(outcome.value);
  }

  #send(message: Message): void {
    globalThis.dispatchEvent(new CustomEvent(this.#outgoing, { detail: message }));
  }

  #pack(value: unknown): unknown {
    if (typeof value === 'function') {
      const id = this.#nextId++;
      this.#functions.set(id, value as Callable);
      return { standinFunction: id };
    }
    if (value instanceof Promise) return { standinPromise: this.#packPromise(value) };
    if (Array.isArray(value)) return value.map((part) => this.#pack(part));
    if (isPlain(value))
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, this.#pack(part)]));
    return value;
  }

  #packPromise(promise: Promise<unknown>): number {
    const id = this.#nextId++;
    promise.then(
      (value) => this.#send({ kind: 'settled', id, outcome: { value: this.#pack(value) } }),
      (error: unknown) => this.#send({ kind: 'settled', id, outcome: { error: messageOf(error) } }),
    );
    return id;
  }

  #unpack(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((part) => this.#unpack(part));
    if (!isPlain(value)) return value;
    const { standinFunction, standinPromise } = value;
    if (typeof standinFunction === 'number') return (...args: unknown[]) => this.#call(standinFunction, args);
    if (typeof standinPromise === 'number') {
      const promise = Promise.withResolvers<unknown>();
      this.#promises.set(standinPromise, promise);
      return promise.promise;
    }
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, this.#unpack(part)]));
  }
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Electron's bridge lets nothing of an error through but its message. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
