import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { TestInstances, openTestClient, openTestEngine, root } from '#test/support/engine-harness.ts';
import { shareTestEngine } from '#test/support/shared-engine.ts';

const tested = shareTestEngine();

async function exists(containerName: string): Promise<boolean> {
  using client = await openTestClient();
  return client.docker
    .getContainer(containerName)
    .inspect()
    .then(
      () => true,
      () => false,
    );
}

async function volumesOf(hostId: string): Promise<number> {
  using client = await openTestClient();
  const { Volumes } = await client.docker.listVolumes({
    filters: { label: [`app.slipway.host=${hostId}`] },
  });
  return (Volumes ?? []).length;
}

describe('the reaper', () => {
  it("takes what a dead instance left, and nothing of a live one, of another machine's or of nobody", async () => {
    const hostId = `test-host-${process.pid}`;
    const instanceOf = (instanceId: string, host = hostId) => new TestInstances(host, instanceId);
    await using reaping = await openTestEngine({
      instances: Object.assign(instanceOf('reaping'), {
        isLive: (id: string) => id === 'reaping' || id === 'live',
      }),
    });
    await using dead = await openTestEngine({ instances: instanceOf('dead') });
    await using live = await openTestEngine({ instances: instanceOf('live') });
    await using elsewhere = await openTestEngine({ instances: instanceOf('dead', 'another-machine') });
    await using own = tested.bench(reaping);
    await using left = tested.bench(dead);
    await using used = tested.bench(live);
    await using foreign = tested.bench(elsewhere);
    using client = await openTestClient();
    const stranger = await client.docker.createContainer({ Image: tested.image, Cmd: ['true'] });
    try {
      const [ours, abandoned, theirs, remote] = await Promise.all(
        [own, left, used, foreign].map(async (bench) => (await bench.create()).name),
      );
      expect(await reaping.reap()).toEqual({ containers: 1, volumes: 2, networks: 0 });
      expect(await exists(abandoned!)).toBe(false);
      for (const name of [ours!, theirs!, remote!, stranger.id]) expect(await exists(name)).toBe(true);

      expect(await reaping.reap({ own: true })).toEqual({ containers: 1, volumes: 2, networks: 0 });
      expect(await exists(ours!)).toBe(false);
      for (const name of [theirs!, remote!, stranger.id]) expect(await exists(name)).toBe(true);
    } finally {
      await stranger.remove({ force: true });
    }
  });

  it('knows a volume that the engine made anew, since it was gone when its container was made', async () => {
    const hostId = `test-anew-${process.pid}`;
    await using engine = await openTestEngine({ instances: new TestInstances(hostId) });
    await using bench = tested.bench(engine);
    await engine.removeVolume(await bench.volume('socket'));
    await engine.removeVolume(await bench.volume('workspace'));
    await bench.create();
    expect(await volumesOf(hostId)).toBe(2);
    expect(await engine.reap({ own: true })).toEqual({ containers: 1, volumes: 2, networks: 0 });
    expect(await volumesOf(hostId)).toBe(0);
  });

  it('has nothing to take of a start that was given up, whenever that was', async () => {
    const hostId = `test-given-up-${process.pid}`;
    await using engine = await openTestEngine({ instances: new TestInstances(hostId) });
    for (let round = 0; round < 10; round += 1) {
      const bench = tested.bench(engine);
      const volumes = [await bench.volume('socket'), await bench.volume('workspace')];
      const abort = new AbortController();
      const creating = bench.create('sandbox', {}, abort.signal);
      await new Promise((resolve) => setTimeout(resolve, round));
      abort.abort(new Error('given up'));
      await creating.then(
        (container) => container.remove(),
        () => undefined,
      );
      await Promise.all(volumes.map((name) => engine.removeVolume(name)));
    }
    await vi.waitFor(async () => expect(await volumesOf(hostId)).toBe(0), { timeout: 10_000 });
    expect(await engine.reap({ own: true })).toEqual({ containers: 0, volumes: 0, networks: 0 });
  });

  it('clears up after an app that was killed', async () => {
    const hostId = `test-killed-${process.pid}`;
    const holder = spawn(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        join(root, 'test', 'support', 'engine-holder.ts'),
        tested.image,
        hostId,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [said] = (await once(holder.stdout.setEncoding('utf8'), 'data')) as [string];
    const name = said.trim();
    expect(await exists(name)).toBe(true);
    expect(await volumesOf(hostId)).toBe(2);
    holder.kill('SIGKILL');
    await once(holder, 'exit');

    // Its standard input ended with the app, and it left by itself.
    using client = await openTestClient();
    await vi.waitFor(
      async () => {
        const { State } = await client.docker.getContainer(name).inspect();
        expect(State).toMatchObject({ Running: false, ExitCode: 0 });
      },
      { timeout: 10_000 },
    );
    await using next = await openTestEngine({ instances: new TestInstances(hostId) });
    expect(await next.reap()).toEqual({ containers: 1, volumes: 2, networks: 0 });
    expect(await exists(name)).toBe(false);
    expect(await volumesOf(hostId)).toBe(0);
  });
});
