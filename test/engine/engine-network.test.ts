import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Container } from '#main/engines/engine.ts';
import {
  type TestBench,
  TestInstances,
  never,
  openTestClient,
  openTestEngine,
} from '#test/support/engine-harness.ts';
import { shareTestEngine } from '#test/support/shared-engine.ts';

const tested = shareTestEngine();
let host: Server;
let port: number;

beforeAll(async () => {
  host = createServer((_, response) => response.end('the host')).listen(0, '0.0.0.0');
  await once(host, 'listening');
  ({ port } = host.address() as AddressInfo);
});
afterAll(async () => {
  host.closeAllConnections();
  host.close();
});

async function networksOf(instanceId: string): Promise<string[]> {
  using client = await openTestClient();
  const filters = { label: [`app.slipway.instance=${instanceId}`] };
  const networks = await client.docker.listNetworks({ filters });
  return networks.map(({ Name }) => Name);
}

/** Waits for its first line, then tells its address, what the host says, and what a neighbour says. */
async function lookAround({ port, neighbour }: { port: number; neighbour: string }): Promise<void> {
  const os = process.getBuiltinModule('node:os');
  const http = process.getBuiltinModule('node:http');
  http.createServer((_, response) => response.end('a neighbour')).listen(8080);
  const ask = (address: string) =>
    fetch(address, { signal: AbortSignal.timeout(3000) }).then(
      (response) => response.text(),
      () => 'nothing',
    );
  for (let round = 0; round < 100; round += 1) {
    const [own] = Object.values(os.networkInterfaces())
      .flat()
      .filter((entry) => entry !== undefined && !entry.internal);
    if (own !== undefined) {
      const said = await ask(`http://host.docker.internal:${port}/`);
      const heard = neighbour === '' ? '' : await ask(`http://${neighbour}:8080/`);
      process.stdout.write(`${JSON.stringify({ address: own.address, said, heard })}\n`);
      if (neighbour !== '') process.exit(0);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  process.stdout.write('no network\n');
  process.exit(0);
}

async function start(
  bench: TestBench,
  neighbour: string,
): Promise<{ container: Container; stdout: AsyncIterator<Buffer> }> {
  const container = await bench.create('sidecar', {}, never, 'later');
  const streams = await container.attach(never);
  await container.start(never);
  const argument = { port, neighbour };
  streams.stdin.write(`${JSON.stringify({ source: lookAround.toString(), argument })}\n`);
  return { container, stdout: streams.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer> };
}

describe('the network that leads out', () => {
  it('takes in a sidecar that already runs, keeps sidecars apart, and goes with its engine', async () => {
    const instances = new TestInstances();
    const { instanceId } = instances;
    {
      await using engine = await openTestEngine({ instances });
      await using bench = tested.bench(engine);
      expect(await networksOf(instanceId)).toEqual([]);
      const first = await start(bench, '');
      await first.container.openNetwork(never);
      await first.container.openNetwork(never);
      const seen = JSON.parse(String((await first.stdout.next()).value)) as { address: string; said: string };
      expect(seen.said).toBe('the host');
      const second = await start(bench, seen.address);
      await second.container.openNetwork(never);
      expect(JSON.parse(String((await second.stdout.next()).value))).toMatchObject({
        said: 'the host',
        heard: 'nothing',
      });
      expect(await networksOf(instanceId)).toEqual([`slipway-egress-${instanceId}`]);
    }
    expect(await networksOf(instanceId)).toEqual([]);
  });

  it('is made anew when somebody pruned it', async () => {
    const instances = new TestInstances();
    await using engine = await openTestEngine({ instances });
    await using bench = tested.bench(engine);
    const gone = await start(bench, '');
    await gone.container.openNetwork(never);
    await gone.container.remove();
    {
      using client = await openTestClient();
      await client.docker.getNetwork(`slipway-egress-${instances.instanceId}`).remove();
    }
    const next = await start(bench, '');
    await next.container.openNetwork(never);
    expect(String((await next.stdout.next()).value)).toContain('the host');
  });

  it('never takes a sandbox in', async () => {
    await using engine = await openTestEngine();
    await using bench = tested.bench(engine);
    const { container, streams } = await bench.run(() => {
      const os = process.getBuiltinModule('node:os');
      setTimeout(() => process.stdout.write(Object.keys(os.networkInterfaces()).join()), 500);
      setTimeout(() => process.exit(0), 600);
    }, undefined);
    await expect(container.openNetwork(never)).rejects.toThrow(/no network/);
    expect(await text(streams.stdout)).toBe('lo');
  });

  it('is reaped when its instance died', async () => {
    const dead = new TestInstances();
    const engine = await openTestEngine({ instances: dead });
    const bench = tested.bench(engine);
    const { container } = await start(bench, '');
    await container.openNetwork(never);
    const reaping = new TestInstances(dead.hostId);
    await using reaper = await openTestEngine({ instances: reaping });
    expect(await reaper.reap()).toMatchObject({ containers: 1, networks: 1 });
    expect(await networksOf(dead.instanceId)).toEqual([]);
    await bench[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
  });
});
