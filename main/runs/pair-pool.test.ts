import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Engine } from '#main/engines/engine.ts';
import { silentLogger } from '#main/logging/logger.ts';
import { PairPool } from './pair-pool.ts';
import type { Pair } from './pair.ts';

const never = new AbortController().signal;
const engine = {} as Engine;

/** A pool whose pairs are made when the test says so, and what became of each. */
function poolOfFakes() {
  const launches: { finish(): void; isRemoved: boolean; pair: Pair }[] = [];
  const pool = new PairPool({
    logger: silentLogger,
    wantsWarmPair: () => true,
    launch: (_engine, image, _logger, signal) =>
      new Promise((resolve, reject) => {
        const connection = { peer: { isClosed: false, notify: () => Promise.resolve() } };
        const launch = { finish: () => resolve(pair), isRemoved: false, pair: {} as Pair };
        const pair = {
          engine,
          image,
          sandbox: { connection },
          sidecar: { connection },
          failure: new Promise(() => undefined),
          remove: async () => {
            await nextTurn();
            launch.isRemoved = true;
          },
        } as unknown as Pair;
        launch.pair = pair;
        launches.push(launch);
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      }),
  });
  return { pool, launches };
}

it('leaves the idle pair to the next run when the first is stopped before the pair is there', async () => {
  const { pool, launches } = poolOfFakes();
  pool.prepare(engine, 'image');
  const stopped = new AbortController();
  const first = pool.take(engine, 'image', stopped.signal);
  stopped.abort(new Error('stopped'));
  await expect(first).rejects.toThrow('stopped');
  launches[0]?.finish();
  expect(await pool.take(engine, 'image', never)).toBe(launches[0]?.pair);
  expect(launches).toHaveLength(1);
});

it('removes a pair that nobody will take: of another image, or of a run that was stopped after a new one', async () => {
  const { pool, launches } = poolOfFakes();
  pool.prepare(engine, 'old');
  launches[0]?.finish();
  const stopped = new AbortController();
  const first = pool.take(engine, 'old', stopped.signal);
  await first;
  pool.prepare(engine, 'old');
  const second = pool.take(engine, 'old', stopped.signal);
  pool.prepare(engine, 'new');
  stopped.abort(new Error('stopped'));
  await expect(second).rejects.toThrow('stopped');
  launches[1]?.finish();
  await expect.poll(() => launches[1]?.isRemoved).toBe(true);
  expect(launches.map(({ isRemoved }) => isRemoved)).toEqual([false, true, false]);
});

it('ends no sooner than the last pair that it gave up is removed', async () => {
  const { pool, launches } = poolOfFakes();
  pool.prepare(engine, 'old');
  launches[0]?.finish();
  const taken = pool.take(engine, 'new', never);
  launches[1]?.finish();
  await taken;
  expect(launches[0]?.isRemoved).toBe(false);
  await pool[Symbol.asyncDispose]();
  expect(launches.map(({ isRemoved }) => isRemoved)).toEqual([true, false]);
});

it('ends no sooner than the pair of a run is removed whose verdict did not wait for it', async () => {
  const { pool, launches } = poolOfFakes();
  const taking = pool.take(engine, 'image', never);
  launches[0]?.finish();
  void pool.remove(await taking);
  expect(launches[0]?.isRemoved).toBe(false);
  await pool[Symbol.asyncDispose]();
  expect(launches[0]?.isRemoved).toBe(true);
});
