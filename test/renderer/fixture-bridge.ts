import type { RunEvent } from '#shared/events/run-event.ts';
import type { ClientFrame, RegisteredFile, ServerFrame, ShellBridge } from '#shared/ipc/frames.ts';
import type { RouteName } from '#shared/ipc/routes.ts';
import type { Result } from '#shared/problem.ts';
import { toProblem } from '#shared/problem.ts';
import type { Scenario } from './scenarios.ts';

/** Events in one message, as main sends them. */
const BATCH = 500;

/** A shell whose main is a scenario: it answers requests and streams from what was recorded. */
export class FixtureBridge implements ShellBridge {
  readonly shell = 'browser';
  readonly #scenario: Scenario;
  readonly #frameListeners = new Set<(frame: unknown) => void>();
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  send(frame: ClientFrame): void {
    // Frames cross a process boundary: what arrives is a copy.
    const copy = structuredClone(frame);
    setTimeout(() => this.#receive(copy));
  }

  onFrame(listener: (frame: unknown) => void): () => void {
    this.#frameListeners.add(listener);
    return () => this.#frameListeners.delete(listener);
  }

  onState(listener: (state: 'connecting' | 'open' | 'closed') => void): () => void {
    listener(this.#scenario.connection);
    return () => undefined;
  }

  registerFile(file: unknown, onProgress?: (fraction: number) => void): Promise<Result<RegisteredFile>> {
    if (!(file instanceof File)) throw new TypeError('registerFile takes a File');
    onProgress?.(1);
    return Promise.resolve({
      ok: true,
      data: { handle: crypto.randomUUID(), name: file.name, size: file.size },
    });
  }

  outputUrl(_runId: string, path: string, options: { folder?: string } = {}): string {
    if (options.folder === 'resources')
      return 'data:application/octet-stream;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ';
    return this.#scenario.files[path]?.url ?? '';
  }

  callsUrl(): string {
    return 'data:text/csv,time';
  }

  exportUrl(): string {
    return 'data:application/zip;base64,UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==';
  }

  #answer(frame: ServerFrame): void {
    const copy = structuredClone(frame);
    for (const listener of this.#frameListeners) listener(copy);
  }

  #receive(frame: ClientFrame): void {
    if (frame.kind === 'request') void this.#request(frame);
    else if (frame.kind === 'subscribe') this.#subscribe(frame);
    else if (frame.kind === 'unsubscribe') clearTimeout(this.#timers.get(frame.id));
  }

  async #request({ id, route, input }: Extract<ClientFrame, { kind: 'request' }>): Promise<void> {
    try {
      const handler = this.#scenario.routes[route as RouteName];
      if (!handler) return;
      const data: unknown = await handler(input as never);
      this.#answer({ kind: 'response', id, result: { ok: true, data } });
    } catch (error) {
      this.#answer({ kind: 'response', id, result: { ok: false, error: toProblem(error) } });
    }
  }

  #subscribe({ id, topic, parameters }: Extract<ClientFrame, { kind: 'subscribe' }>): void {
    if (topic !== 'run') {
      const data = this.#scenario.topics[topic as keyof Scenario['topics']];
      if (data !== undefined) this.#answer({ kind: 'message', id, cursor: 'fixture:1', data });
      return;
    }
    const { runId } = parameters as { runId: string };
    const record = this.#scenario.records[runId];
    if (!record) {
      const error = {
        code: 'run_unknown',
        title: 'Unknown run',
        detail: `There is no run “${runId}”.`,
        action: 'Look for it in the list of runs.',
      };
      this.#answer({ kind: 'closed', id, error });
      return;
    }
    this.#play(id, record.events, record.live ?? record.events.length);
  }

  /** Sends what has happened in batches, then the rest one by one at the pace it was recorded. */
  #play(id: number, events: readonly RunEvent[], past: number): void {
    for (let start = 0; start < past; start += BATCH)
      this.#message(id, events.slice(start, Math.min(past, start + BATCH)));
    const next = (index: number) => {
      const event = events[index];
      if (!event) return;
      const wait = Math.max(0, event.at - (events[index - 1]?.at ?? event.at));
      this.#timers.set(
        id,
        setTimeout(() => {
          this.#message(id, [event]);
          next(index + 1);
        }, wait),
      );
    };
    next(past);
  }

  #message(id: number, events: readonly RunEvent[]): void {
    const cursor = String(events.at(-1)?.sequence ?? 0);
    this.#answer({ kind: 'message', id, cursor, data: { events } });
  }
}
