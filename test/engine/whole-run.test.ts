import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  cut,
  error,
  page,
  refuseKey,
  silence,
  stall,
  startModelProvider,
  type Behaviour,
  type ModelProvider,
} from '#test/peers/model-provider.ts';
import { openTestClient } from '#test/support/engine-harness.ts';
import { SocketProxy } from '#test/support/socket-proxy.ts';
import { WholeApplication, turn, turnEvents } from '#test/support/whole-application.ts';

const MEBIBYTE = 1024 * 1024;
let provider: ModelProvider;
beforeEach(async () => {
  provider = await startModelProvider({ vendor: 'compatible' });
});
afterEach(() => provider[Symbol.asyncDispose]());

/** Plays a run to its end and holds what every ended run must keep to, whatever became of it. */
async function playToTheEnd(whole: WholeApplication, runId: string) {
  const { detail, events } = await whole.record(runId);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  const last = events.at(-1)?.data;
  expect(last).toMatchObject({ type: 'run.ended', status: detail.summary.status });
  expect(events.filter(({ data }) => data.type === 'run.ended')).toHaveLength(1);
  expect(detail.summary.endedAt).toBeGreaterThanOrEqual(detail.summary.createdAt);
  expect(detail.summary.lastSequence).toBe(events.length);
  return { ...detail.summary, events: events.map(({ data }) => data) };
}

/** What the app has in the engine. */
async function left(whole: WholeApplication): Promise<string[]> {
  return [...(await whole.containers()).values(), ...(await whole.volumes())];
}

function bash(command: string): Behaviour {
  return turn([{ tool: 'bash', input: { command } }]);
}

describe('a model endpoint that fails', () => {
  const some = turnEvents('Half of an').slice(0, 1);
  const failures: [string, Behaviour, string, RegExp][] = [
    ['refuses the key', refuseKey('compatible'), 'model_key_refused', /401/],
    [
      'wants no more requests',
      error(429, { error: { message: 'Slow down' } }),
      'model_rate_limited',
      /429.*Slow down/,
    ],
    ['has a fault', error(500, { error: { message: 'Oh no' } }), 'model_server_error', /500.*Oh no/],
    ['answers a web page', page(200), 'model_failed', /web page/],
    ['breaks off', cut(...some), 'model_failed', /broke|cut|ended/],
    ['says nothing at all', silence, 'model_failed', /sent nothing until the time limit/],
    ['says nothing any more', stall(...some), 'model_failed', /nothing more|stopped|silent|went on/],
  ];

  // All at once: most of their time is waiting until Pi tries again.
  const stack = new AsyncDisposableStack();
  const runs = new Map<string, string>();
  let whole: WholeApplication;
  beforeAll(async () => {
    const modelTimeouts = { headersMs: 300, idleMs: 300 };
    whole = stack.use(await WholeApplication.open({ modelTimeouts }));
    const { secrets, settings } = whole.application;
    await secrets.keepInMemory();
    settings.update({ maxConcurrentRuns: failures.length });
    const agent = await whole.writeAgent();
    for (const [does, behaviour] of failures) {
      const endpoint = stack.use(await startModelProvider({ vendor: 'compatible' }));
      endpoint.answer(behaviour);
      const model = await whole.addProvider(endpoint.baseUrl, 'sk-a-key-of-this-test');
      runs.set(does, await whole.start(agent, model));
    }
  });
  afterAll(() => stack.disposeAsync());

  it.each(failures)('that %s ends the run with a reason', async (does, _behaviour, code, reason) => {
    const { status, problem } = await playToTheEnd(whole, runs.get(does) ?? '');
    expect(status).toBe('failed');
    expect(problem?.code).toBe(code);
    expect(problem?.detail).toMatch(reason);
    expect(problem?.action).toBeTruthy();
  });

  it('leaves nothing behind', async () => {
    await Promise.all([...runs.values()].map((runId) => whole.record(runId)));
    expect(await left(whole)).toEqual([]);
  });
});

describe('an agent that misbehaves', () => {
  it('prints 1 GB: the model is given the end of it, and the run goes on', async () => {
    await using whole = await WholeApplication.open();
    provider.answer(bash('yes 0123456789abcdef | head -c 1000000000; echo THE END'), turn('Done.'));
    const runId = await whole.start(await whole.writeAgent(), await whole.addProvider(provider.baseUrl));
    const { status, events } = await playToTheEnd(whole, runId);
    expect(status).toBe('success');
    const result = events.find((event) => event.type === 'tool.ended');
    expect(result).toMatchObject({ isError: false });
    expect(JSON.stringify(result)).toContain('of 1000000008 bytes');
    expect(provider.requests.at(-1)?.body).toContain('THE END');
    expect(provider.requests.at(-1)?.body.length).toBeLessThan(MEBIBYTE);
    expect(await left(whole)).toEqual([]);
  });

  it('writes 100 000 files: some are kept, of the rest the number is told', async () => {
    await using whole = await WholeApplication.open();
    const script =
      "mkdir -p outputs; python3 -c \"for i in range(100000): open(f'outputs/{i}', 'w').write('x')\"";
    provider.answer(bash(script), turn('Done.'));
    const runId = await whole.start(await whole.writeAgent(), await whole.addProvider(provider.baseUrl));
    const { status, events, fileCount } = await playToTheEnd(whole, runId);
    expect(status).toBe('success');
    expect(fileCount).toBeGreaterThan(0);
    expect(fileCount).toBeLessThanOrEqual(200);
    expect(events.length).toBeLessThan(5000);
    expect(events.some((event) => event.type === 'files.omitted' || event.type === 'file.skipped')).toBe(
      true,
    );
    expect(await left(whole)).toEqual([]);
  });

  it('fills its disk: its command fails, and the run goes on', async () => {
    await using whole = await WholeApplication.open();
    provider.answer(
      bash('dd if=/dev/zero of=/workspace/big bs=1M count=2000; rm /workspace/big'),
      turn('Done.'),
    );
    const runId = await whole.start(await whole.writeAgent(), await whole.addProvider(provider.baseUrl));
    const { status, events } = await playToTheEnd(whole, runId);
    expect(status).toBe('success');
    const result = events.find((event) => event.type === 'tool.ended');
    expect(JSON.stringify(result)).toContain('No space left on device');
    expect(await left(whole)).toEqual([]);
  });

  it('takes more memory than there is: the run ends with that reason', async () => {
    await using whole = await WholeApplication.open();
    const greedy = 'python3 -c "x = []\nwhile True: x.append(bytearray(64 << 20))"; tail /dev/zero';
    provider.answer(bash(greedy), turn('Done.'));
    const runId = await whole.start(await whole.writeAgent(), await whole.addProvider(provider.baseUrl));
    const { status, problem, events } = await playToTheEnd(whole, runId);
    // The kernel takes the largest process: the command, which is then told to the model, or the agent itself.
    const isTold = status === 'success' && JSON.stringify(events).includes('Killed');
    expect(isTold ? 'told' : problem?.code).toMatch(/^(told|sandbox_out_of_memory)$/);
    expect(await left(whole)).toEqual([]);
  });

  it('forks without end and takes no notice of signals: Stop ends it', async () => {
    await using whole = await WholeApplication.open();
    provider.answer(
      bash("trap '' TERM INT HUP; bomb() { bomb | bomb & }; bomb 2>/dev/null; echo lit; while :; do :; done"),
      turn('Done.'),
    );
    const runId = await whole.start(await whole.writeAgent(), await whole.addProvider(provider.baseUrl));
    await whole.event(runId, ({ type }) => type === 'tool.started');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await whole.application.runs.stop(runId);
    expect(await playToTheEnd(whole, runId)).toMatchObject({ status: 'cancelled' });
    await vi.waitFor(async () => expect(await left(whole)).toEqual([]), { timeout: 10_000 });
  });

  it('never stops: its time limit ends it', async () => {
    await using whole = await WholeApplication.open();
    provider.answer(bash('sleep 600'), turn('Done.'));
    const runId = await whole.start(await whole.writeAgent(), await whole.addProvider(provider.baseUrl), 2);
    expect(await playToTheEnd(whole, runId)).toMatchObject({
      status: 'timed_out',
      problem: { code: 'run_timed_out' },
    });
    await vi.waitFor(async () => expect(await left(whole)).toEqual([]), { timeout: 10_000 });
  });
});

describe('an engine that stops during a run', () => {
  it('ends the run with that reason, and what it left goes when the engine is back', async () => {
    using client = await openTestClient();
    await using proxy = await SocketProxy.open(client.socketPath);
    await using whole = await WholeApplication.open({ dockerHost: `unix://${proxy.path}` });
    provider.answer(bash('sleep 600'));
    const runId = await whole.start(await whole.writeAgent(), await whole.addProvider(provider.baseUrl));
    await whole.event(runId, ({ type }) => type === 'tool.started');
    await proxy.cut();
    const { status, problem } = await playToTheEnd(whole, runId);
    expect(status).toBe('failed');
    expect(problem?.code).toMatch(/^engine_(gone|unreachable)$/);
    expect(await whole.containers()).not.toEqual(new Map());

    await proxy.restore();
    await whole.application.engines.look();
    await vi.waitFor(async () => expect(await left(whole)).toEqual([]), { timeout: 20_000 });
    provider.answer(turn('Back again.'));
    const next = await whole.start(await whole.writeAgent(), {
      providerId: whole.application.runs.get(runId).summary.model.providerId,
      modelId: 'served-model',
    });
    expect(await playToTheEnd(whole, next)).toMatchObject({ status: 'success' });
  });
});
