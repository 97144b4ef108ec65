import { EventEmitter } from 'node:events';
import { strict } from './strict.ts';

type Handler = (event: unknown, ...args: unknown[]) => unknown;

class IpcMainStandIn extends EventEmitter {
  readonly #handlers = new Map<string, Handler>();

  handle(channel: string, handler: Handler): void {
    if (this.#handlers.has(channel)) throw new Error(`A second handler for "${channel}"`);
    this.#handlers.set(channel, handler);
  }

  removeHandler(channel: string): void {
    this.#handlers.delete(channel);
  }

  async invoke(channel: string, event: unknown, args: unknown[]): Promise<unknown> {
    const handler = this.#handlers.get(channel);
    if (!handler) throw new Error(`No handler registered for '${channel}'`);
    return handler(event, ...args);
  }
}

export const ipcMain = strict('ipcMain', new IpcMainStandIn());
