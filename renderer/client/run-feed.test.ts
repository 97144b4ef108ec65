import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '#shared/events/run-event.ts';
import { IpcClient } from '#shared/ipc/client.ts';
import type { ClientFrame, ServerFrame, ShellBridge } from '#shared/ipc/frames.ts';
import { EMPTY_PROJECTION, projectEvents } from '#shared/runs/projection.ts';
import type { Schedule } from './frame-scheduler.ts';
import { RunFeed } from './run-feed.ts';

type CarrierState = 'connecting' | 'open' | 'closed';

/** A bridge in memory whose carrier can be cut, and whose frames the test sends as it likes. */
class MemoryBridge implements ShellBridge {
  readonly shell = 'browser';
  readonly sent: ClientFrame[] = [];
  #onFrame: ((frame: unknown) => void) | undefined;
  #onState: ((state: CarrierState) => void) | undefined;
  #state: CarrierState = 'open';

  send(frame: ClientFrame): void {
    if (this.#state === 'open') this.sent.push(frame);
  }
  onFrame(listener: (frame: unknown) => void): () => void {
    this.#onFrame = listener;
    return () => (this.#onFrame = undefined);
  }
  onState(listener: (state: CarrierState) => void): () => void {
    this.#onState = listener;
    listener(this.#state);
    return () => (this.#onState = undefined);
  }
  registerFile(): Promise<never> {
    return Promise.reject(new Error('not used'));
  }
  callsUrl(): string {
    return '';
  }
  exportUrl(): string {
    return '';
  }
  outputUrl(): string {
    return '';
  }
  receive(frame: ServerFrame): void {
    this.#onFrame?.(frame);
  }
  become(state: CarrierState): void {
    this.#state = state;
    this.#onState?.(state);
  }
  /** The newest subscription that is open, as main would know it. */
  get subscription(): Extract<ClientFrame, { kind: 'subscribe' }> {
    const frame = this.sent.findLast((sent) => sent.kind === 'subscribe');
    if (frame?.kind !== 'subscribe') throw new Error('nothing is subscribed');
    return frame;
  }
}

/** A clock whose frames come when the test says so. */
function manualFrames() {
  let waiting: (() => void) | undefined;
  const schedule: Schedule = (work) => {
    waiting = work;
    return () => (waiting = undefined);
  };
  const draw = () => {
    const work = waiting;
    waiting = undefined;
    work?.();
  };
  return { schedule, draw };
}

function logs(count: number): RunEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    sequence: index + 1,
    at: index,
    data: { type: 'log.written', level: 'info', message: `line ${index + 1}` },
  }));
}

function follow() {
  const bridge = new MemoryBridge();
  const client = new IpcClient(bridge);
  const { schedule, draw } = manualFrames();
  const feed = new RunFeed(client, 'run-1', schedule);
  let changes = 0;
  const leave = feed.onChange(() => (changes += 1));
  const deliver = (events: readonly RunEvent[], id = bridge.subscription.id) =>
    bridge.receive({ kind: 'message', id, cursor: String(events.at(-1)?.sequence), data: { events } });
  return { bridge, feed, draw, deliver, leave, changes: () => changes };
}

describe('RunFeed', () => {
  it('projects a burst once and tells its listeners once', () => {
    const { feed, draw, deliver, changes } = follow();
    for (const event of logs(100)) deliver([event]);
    expect(changes()).toBe(0);
    draw();
    expect(changes()).toBe(1);
    expect(feed.getState().projection.lastSequence).toBe(100);
  });

  it('asks again from its cursor when the carrier was cut in the middle of a batch', () => {
    const { bridge, feed, draw, deliver } = follow();
    const events = logs(10);
    deliver(events.slice(0, 4));
    bridge.become('connecting');
    const old = bridge.subscription.id;
    bridge.become('open');
    expect(bridge.subscription.after).toBe('4');
    // A frame of the cut connection that was still under way must not count.
    deliver(events.slice(7, 10), old);
    deliver(events.slice(4, 10));
    draw();
    expect(feed.getState().projection).toEqual(projectEvents(EMPTY_PROJECTION, events));
  });

  it('mends a hole by subscribing from the beginning, and gives up on one that stays', () => {
    const { bridge, feed, draw, deliver } = follow();
    const events = logs(6);
    deliver(events.slice(0, 2));
    deliver(events.slice(4, 6));
    draw();
    expect(feed.getState().projection.gap).toEqual({ after: 2, next: 5 });
    expect(bridge.sent.filter((frame) => frame.kind === 'unsubscribe')).toHaveLength(1);
    expect(bridge.subscription.after).toBeUndefined();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      deliver(events.toSpliced(2, 2));
      draw();
    }
    expect(feed.getState()).toMatchObject({ closed: true, problem: { code: 'record_incomplete' } });
  });

  it('shows the same run whatever a carrier repeats, reorders or cuts', () => {
    const events = logs(30);
    const whole = projectEvents(EMPTY_PROJECTION, events);
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('slice' as const),
        from: fc.nat({ max: 29 }),
        length: fc.nat({ max: 12 }),
      }),
      fc.record({ kind: fc.constant('cut' as const) }),
      fc.record({ kind: fc.constant('draw' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const { bridge, feed, draw, deliver } = follow();
        for (const action of steps) {
          if (action.kind === 'draw') draw();
          else if (action.kind === 'slice') {
            const slice = events.slice(action.from, action.from + action.length);
            if (slice.length > 0) deliver(slice);
          } else {
            bridge.become('connecting');
            bridge.become('open');
          }
        }
        // However it went, main then answers the open subscription from its cursor, or from the start.
        for (let attempt = 0; attempt < 2 && !feed.getState().closed; attempt += 1) {
          const after = Number(bridge.subscription.after ?? 0);
          if (after < events.length) deliver(events.slice(after));
          draw();
        }
        const { closed, projection } = feed.getState();
        expect(closed ? whole : projection).toEqual(whole);
      }),
    );
  });

  it('says so when main ends the feed, after showing what came before', () => {
    const { bridge, feed, deliver } = follow();
    deliver(logs(3));
    const { id } = bridge.subscription;
    bridge.receive({ kind: 'closed', id });
    expect(feed.getState()).toMatchObject({ closed: true, problem: undefined });
    expect(feed.getState().projection.lastSequence).toBe(3);
  });

  it('leaves no subscription behind when nobody looks, and takes it up again without a gap', () => {
    const { bridge, feed, draw, deliver, leave } = follow();
    const events = logs(5);
    deliver(events.slice(0, 2));
    draw();
    const { id } = bridge.subscription;
    leave();
    expect(bridge.sent.at(-1)).toEqual({ kind: 'unsubscribe', id });
    feed.onChange(() => undefined);
    deliver(events);
    draw();
    expect(feed.getState().projection).toEqual(projectEvents(EMPTY_PROJECTION, events));
  });
});
