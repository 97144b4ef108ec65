import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { silentLogger } from '#main/logging/logger.ts';
import { IpcClient } from '#shared/ipc/client.ts';
import type { ProblemError } from '#shared/problem.ts';
import { FakeApplication } from '#test/support/fake-application.ts';
import { MemoryLink } from '#test/support/memory-link.ts';
import { SessionFiles } from './file-handles.ts';
import { createRouter } from './router.ts';

const noShell = {
  kind: 'browser' as const,
  canReveal: false,
  openExternal: async () => undefined,
  saveFile: async () => undefined,
  revealFolder: async () => undefined,
};

function setUp() {
  const application = new FakeApplication();
  const router = createRouter({ application, shell: noShell, logger: silentLogger, checkOutputs: true });
  const link = new MemoryLink({ router, files: new SessionFiles(), logger: silentLogger });
  const client = new IpcClient(link);
  disposables.push(client, router);
  return { application, link, client };
}

const disposables: Disposable[] = [];
afterEach(() => {
  for (const disposable of disposables.splice(0)) disposable[Symbol.dispose]();
});

const logLine = (message: string) => ({ type: 'log.written' as const, level: 'info' as const, message });

/** One thing that may happen between a client and main. */
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), count: fc.nat(30) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('deliver' as const), count: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('burst' as const), count: fc.nat(1300) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'cut' as const, count: 0 }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'open' as const, count: 0 }) },
);

describe('subscriptions', () => {
  test('a run is seen whole and once, whatever is cut when', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 40, size: 'max' }), async (happenings) => {
        const { application, link, client } = setUp();
        const { id: runId } = application.runs.create();
        const seen: number[] = [];
        client.subscribe('run', { runId }, ({ events }) =>
          seen.push(...events.map((event) => event.sequence)),
        );
        for (const { kind, count } of happenings) {
          if (kind === 'open') link.open();
          else if (kind === 'cut') link.cut();
          else if (kind === 'deliver') await link.deliver(count);
          else application.runs.append(runId, ...Array.from({ length: count }, () => logLine('x')));
        }
        link.open();
        await link.drain();
        const all = application.runs.events(runId, 0, Number.MAX_SAFE_INTEGER).map((event) => event.sequence);
        expect(seen).toEqual(all);
      }),
      { numRuns: 150 },
    );
  });

  test('the list of runs ends up as main has it, whatever is cut when', async () => {
    const change = fc.record({
      kind: fc.constantFrom('create', 'change', 'remove', 'deliver', 'cut', 'open'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 60, size: 'max' }),
        fc.infiniteStream(fc.nat()),
        async (steps, picks) => {
          const { application, link, client } = setUp();
          const { runs } = application;
          const known = new Map<string, string>();
          client.subscribe('runs', {}, (message) => {
            if (message.kind === 'reset') known.clear();
            else for (const id of message.removed) known.delete(id);
            for (const run of message.runs) known.set(run.id, run.status);
          });
          const pick = () => {
            const all = runs.list({ limit: 1000 }).runs;
            return all[(picks.next().value ?? 0) % all.length];
          };
          for (const { kind } of steps) {
            const run = kind === 'change' || kind === 'remove' ? pick() : undefined;
            if (kind === 'create') runs.create();
            else if (kind === 'change' && run) runs.change(run.id, { status: 'success' });
            else if (kind === 'remove' && run) await runs.remove(run.id);
            else if (kind === 'deliver') await link.deliver(2);
            else if (kind === 'cut') link.cut();
            else if (kind === 'open') link.open();
          }
          link.open();
          await link.drain();
          const truth = runs.list({ limit: 1000 }).runs.map((run) => [run.id, run.status] as const);
          expect(known).toEqual(new Map(truth));
        },
      ),
      { numRuns: 150 },
    );
  });

  test('a slow carrier gets batches of at most 500 events, one at a time', async () => {
    const { application, link, client } = setUp();
    const { id: runId } = application.runs.create();
    application.runs.append(runId, ...Array.from({ length: 1201 }, () => logLine('x')));
    const sizes: number[] = [];
    client.subscribe('run', { runId }, ({ events }) => sizes.push(events.length));
    link.open();
    await link.deliver(1);
    expect(link.waiting.length).toBeLessThanOrEqual(1);
    await link.drain();
    expect(sizes).toEqual([500, 500, 201]);
  });

  test('a slow carrier skips the states it was too slow for', async () => {
    const { application, link, client } = setUp();
    const seen: string[] = [];
    client.subscribe('engine', {}, ({ image }) => seen.push(image.step ?? ''));
    link.open();
    await link.deliver(1);
    for (let step = 1; step <= 100; step += 1) {
      application.engines.set({ image: { state: 'building', step: `step ${step}`, lines: [] } });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await link.drain();
    expect(seen).toHaveLength(3);
    expect(seen.at(-1)).toBe('step 100');
  });

  test('a state that did not change is not sent again after a reconnect', async () => {
    const { application, link, client } = setUp();
    let messages = 0;
    client.subscribe('settings', {}, () => (messages += 1));
    link.open();
    await link.drain();
    link.cut();
    application.settings.update({});
    link.open();
    await link.drain();
    expect(messages).toBe(1);
    link.cut();
    application.settings.update({ density: 'compact' });
    link.open();
    await link.drain();
    expect(messages).toBe(2);
  });

  test('a cursor of an earlier process gets everything anew', async () => {
    const first = setUp();
    first.application.runs.create();
    const cursors: string[] = [];
    first.link.onFrame((frame) => cursors.push((frame as { cursor: string }).cursor));
    first.client.subscribe('runs', {}, () => undefined);
    first.link.open();
    await first.link.drain();

    const second = setUp();
    second.link.open();
    const frames: unknown[] = [];
    second.link.onFrame((frame) => frames.push(frame));
    second.link.send({ kind: 'subscribe', id: 1, topic: 'runs', parameters: {}, after: cursors[0] ?? '' });
    await second.link.drain();
    expect(frames).toMatchObject([{ kind: 'message', data: { kind: 'reset', runs: [] } }]);
  });

  test('a removed run closes its subscription, an unknown one at once with the reason', async () => {
    const { application, link, client } = setUp();
    const { id: runId } = application.runs.create();
    const closed: unknown[] = [];
    client.subscribe(
      'run',
      { runId },
      () => undefined,
      (problem) => closed.push(problem),
    );
    client.subscribe(
      'run',
      { runId: 'nope' },
      () => undefined,
      (problem) => closed.push(problem?.code),
    );
    link.open();
    await link.drain();
    expect(closed).toEqual(['run_unknown']);
    await application.runs.remove(runId);
    await link.drain();
    expect(closed).toEqual(['run_unknown', undefined]);
  });

  test('nothing listens any more once a connection is gone', async () => {
    const { application, link, client } = setUp();
    const before = application.runs.listenerCount;
    const { id: runId } = application.runs.create();
    const stop = client.subscribe('run', { runId }, () => undefined);
    link.open();
    await link.drain();
    expect(application.runs.listenerCount).toBeGreaterThan(before);
    link.cut();
    await link.drain();
    expect(application.runs.listenerCount).toBe(before);
    link.open();
    await link.drain();
    stop();
    await link.drain();
    expect(application.runs.listenerCount).toBe(before);
  });
});

describe('requests', () => {
  test('a cancelled request is aborted in the service', async () => {
    const { link, client } = setUp();
    link.open();
    const controller = new AbortController();
    const answer = client.request('models.test', { kind: 'openai' }, { signal: controller.signal });
    await link.drain();
    controller.abort();
    await expect(answer).rejects.toMatchObject({ problem: { code: 'cancelled' } });
    await link.drain();
    // The service's own abort was answered too, so nothing is left in flight.
    expect(link.waiting).toEqual([]);
  });

  test('what only reads is asked again after a cut; what changes something is not', async () => {
    const { application, link, client } = setUp();
    link.open();
    const reading = client.request('runs.list', {});
    const starting = client.request('runs.start', { agentId: '@fake/agent', input: {}, files: [] });
    link.cut();
    await expect(starting).rejects.toMatchObject({ problem: { code: 'connection_lost' } });
    link.open();
    await link.drain();
    await expect(reading).resolves.toMatchObject({ hasMore: false });
    expect(application.runs.started.length).toBeLessThanOrEqual(1);
  });

  test('a request made while the carrier is down waits for it, and fails when it is down for good', async () => {
    const { link, client } = setUp();
    const waiting = client.request('settings.get', {});
    link.open();
    await link.drain();
    await expect(waiting).resolves.toMatchObject({ appearance: 'system' });
    link.cut('closed');
    await expect(client.request('settings.get', {})).rejects.toMatchObject({
      problem: { code: 'connection_lost' },
    });
  });

  test('a flood is refused and the connection lives on', async () => {
    const { link, client } = setUp();
    link.open();
    const answers = Array.from({ length: 100 }, () => client.request('models.test', { kind: 'openai' }));
    const outcomes = Promise.allSettled(answers);
    await link.drain();
    link.cut('closed');
    const codes = (await outcomes).map((outcome) =>
      outcome.status === 'rejected' ? (outcome.reason as ProblemError).problem.code : 'answered',
    );
    expect(codes.filter((code) => code === 'too_many_requests')).toHaveLength(36);
  });

  test('frames of any form never throw, and those with an id are answered', async () => {
    const { link } = setUp();
    link.open();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.anything(),
          fc.record({
            kind: fc.constantFrom('request', 'cancel', 'subscribe', 'unsubscribe', 'x'),
            id: fc.anything(),
            route: fc.anything(),
            topic: fc.anything(),
            input: fc.anything(),
          }),
        ),
        async (frame) => {
          let copy: unknown;
          try {
            copy = structuredClone(frame);
          } catch {
            return;
          }
          link.sendRaw(copy);
          await link.drain();
        },
      ),
    );
    const answers: unknown[] = [];
    link.onFrame((frame) => answers.push(frame));
    link.sendRaw({ kind: 'request', id: 7, route: 12 });
    link.sendRaw({ kind: 'subscribe', id: 8, topic: {} });
    link.sendRaw({ kind: 'subscribe', id: 9, topic: 'toString', parameters: {} });
    link.sendRaw({ kind: 'request', id: 10, route: '__proto__', input: {} });
    await link.drain();
    expect(answers).toMatchObject([
      { kind: 'response', id: 7, result: { ok: false, error: { code: 'frame_invalid' } } },
      { kind: 'closed', id: 8, error: { code: 'frame_invalid' } },
      { kind: 'closed', id: 9, error: { code: 'topic_unknown' } },
      { kind: 'response', id: 10, result: { ok: false, error: { code: 'route_unknown' } } },
    ]);
  });

  test('an id in flight is not answered twice', async () => {
    const { link } = setUp();
    link.open();
    const answers: unknown[] = [];
    link.onFrame((frame) => answers.push(frame));
    link.send({ kind: 'request', id: 1, route: 'models.test', input: { kind: 'openai' } });
    link.send({ kind: 'request', id: 1, route: 'settings.get', input: {} });
    await link.drain();
    expect(answers).toEqual([]);
  });
});
