import { randomUUID } from 'node:crypto';
import { RUNNER_LIMITS } from '#main/runs/runners/server-runner.ts';
import { never } from '#test/support/engine-harness.ts';
import {
  openServerPlace,
  RelayedServers,
  type GivenServer,
  type ServerPlace,
} from '#test/support/relayed-servers.ts';
import { packOwnServer } from '#test/support/server-bundles.ts';
import { atMost, median, type Measure } from './measure.ts';

const ROUNDS = 5;
const MANY = 10;

/**
 * From the wish for local servers to the list of the last one's tools: ten at the same time against one alone.
 * What the engine itself takes for as many containers of which nothing is wanted stands beside it: on few
 * processors that is most of it. All take turns, so that a slow moment hits each.
 */
export async function measureLocalServers(): Promise<Measure[]> {
  await using place = await openServerPlace();
  const server: GivenServer = { ...(await packOwnServer('ledger.py')), type: 'python' };
  const [one, ten, bareOne, bareTen]: [number[], number[], number[], number[]] = [[], [], [], []];
  await startServers(place, server, 1);
  for (let round = 0; round < ROUNDS; round += 1) {
    one.push(await startServers(place, server, 1));
    ten.push(await startServers(place, server, MANY));
    bareOne.push(await startContainers(place, 1));
    bareTen.push(await startContainers(place, MANY));
  }
  return [
    reference('mcp.one_local_start', median(one), 'ms'),
    reference('mcp.ten_bare_containers', median(bareTen) / median(bareOne), 'ratio'),
    atMost('mcp.ten_local_starts', median(ten) / median(one), 'ratio', 2.5),
  ];
}

function reference(name: string, value: number, unit: string): Measure {
  return { ...atMost(name, value, unit, Number.POSITIVE_INFINITY), ok: true };
}

/** Milliseconds until so many servers have told their tools. */
async function startServers(place: ServerPlace, server: GivenServer, count: number): Promise<number> {
  const began = performance.now();
  await using servers = await RelayedServers.open(place, Array<GivenServer>(count).fill(server));
  await Promise.all(Array.from({ length: count }, (_, index) => servers.connect(`c${index}`)));
  return performance.now() - began;
}

/** Milliseconds until so many containers run whose program waits. */
async function startContainers({ engine, image }: ServerPlace, count: number): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: count }, async () => {
      const container = await engine.createContainer(
        {
          name: `slipway-bench-${randomUUID().slice(0, 8)}`,
          role: 'runner',
          owner: { runId: 'bench' },
          image,
          mounts: [],
          limits: RUNNER_LIMITS,
          network: 'none',
        },
        never,
      );
      stack.defer(() => container.remove());
      await container.attach(never);
      await container.start(never);
    }),
  );
  return performance.now() - began;
}
