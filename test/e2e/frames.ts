import type { Page } from 'playwright-core';

/** One frame as the page sent it, or got it from its carrier. */
interface PageFrame {
  readonly sent: boolean;
  readonly text: string;
  readonly connection: number;
}

declare global {
  interface Window {
    /** What went over the page's WebSockets since it was loaded; put there by `recordFrames`. */
    frameRecord: { readonly sockets: WebSocket[]; readonly frames: PageFrame[] };
  }
}

/**
 * Lets a page of the browser shell keep its frames, from its next load on. Kept is what the page itself
 * got: what still arrives on a connection that it has closed reaches the browser, but not the page.
 */
export async function recordFrames(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const record: Window['frameRecord'] = { sockets: [], frames: [] };
    window.frameRecord = record;
    window.WebSocket = class extends WebSocket {
      readonly #connection: number;

      constructor(address: string | URL, protocols?: string | string[]) {
        super(address, protocols);
        this.#connection = record.sockets.push(this);
        this.addEventListener('message', ({ data }) => this.#keep(false, data));
      }

      override send(data: string): void {
        this.#keep(true, data);
        super.send(data);
      }

      #keep(sent: boolean, data: unknown): void {
        record.frames.push({ sent, text: String(data), connection: this.#connection });
      }
    };
  });
}

/** Numbers of a run's events in the order the page got them since it was loaded, over all connections. */
export async function deliveredSequences(page: Page, runId: string): Promise<number[]> {
  const frames = await page.evaluate(() => window.frameRecord.frames);
  const feeds = new Set<string>();
  const sequences: number[] = [];
  for (const { sent, text, connection } of frames) {
    const frame = JSON.parse(text) as {
      kind: string;
      id?: number;
      topic?: string;
      parameters?: { runId?: string };
      data?: { events?: { sequence: number }[] };
    };
    const feed = `${connection} ${frame.id}`;
    if (sent && frame.kind === 'subscribe' && frame.topic === 'run' && frame.parameters?.runId === runId)
      feeds.add(feed);
    if (!sent && frame.kind === 'message' && feeds.has(feed))
      sequences.push(...(frame.data?.events ?? []).map(({ sequence }) => sequence));
  }
  return sequences;
}

/** Keeps all that main sends to a page of the browser shell, as it goes over the wire. */
export function recordWire(page: Page): { readonly received: readonly string[] } {
  const received: string[] = [];
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => void received.push(payload.toString()));
  });
  return { received };
}

/** The numbers 1 to the count. */
export function oneTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
