import type { WebContents } from 'electron';
import type { Carrier } from '#main/app/connection.ts';
import type { ServerFrame } from '#shared/ipc/frames.ts';
import { channels } from './channels.ts';

/**
 * Carries frames to one page. Electron queues messages without end, so the page says when it has taken one:
 * a page that hangs does not fill main's memory.
 */
export class IpcCarrier implements Carrier, Disposable {
  readonly #contents: WebContents;
  readonly #waiting = new Map<number, () => void>();
  #number = 0;

  constructor(contents: WebContents) {
    this.#contents = contents;
  }

  send(frame: ServerFrame): Promise<void> {
    return new Promise((resolve) => {
      if (this.#contents.isDestroyed()) return resolve();
      this.#number += 1;
      this.#waiting.set(this.#number, resolve);
      this.#contents.send(channels.serverFrame, this.#number, frame);
    });
  }

  /** The page has taken the frame of this number. */
  taken(number: number): void {
    this.#waiting.get(number)?.();
    this.#waiting.delete(number);
  }

  [Symbol.dispose](): void {
    for (const resolve of this.#waiting.values()) resolve();
    this.#waiting.clear();
  }
}
