import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { TestInstances, openTestClient, openTestEngine } from '#test/support/engine-harness.ts';
import { shareTestEngine } from '#test/support/shared-engine.ts';
import { SocketProxy } from '#test/support/socket-proxy.ts';

const tested = shareTestEngine();

/** An engine behind a socket that a test can cut or freeze. */
async function openFragileEngine(stack: AsyncDisposableStack, instances = new TestInstances()) {
  using client = await openTestClient();
  const proxy = stack.use(await SocketProxy.open(client.socketPath));
  const engine = stack.use(
    await openTestEngine({ endpoint: { kind: 'socket', path: proxy.path }, instances }),
  );
  return { proxy, engine, instances };
}

/** Waits as a run's program does: until its standard input ends. */
function waitForMain(): void {
  process.stdout.write('here');
  process.stdin.resume();
  process.stdin.on('end', () => process.exit(0));
}

async function isRunning(name: string): Promise<boolean> {
  using client = await openTestClient();
  const { State } = await client.docker.getContainer(name).inspect();
  return State.Running;
}

describe('an engine that stops while a program runs', () => {
  it('is noticed at once by everyone who waits, and the program does not go on alone', async () => {
    await using stack = new AsyncDisposableStack();
    const instances = new TestInstances();
    // Everything is removed over the engine that lives.
    const cleaner = stack.use(await openTestEngine({ instances }));
    stack.defer(async () => void (await cleaner.reap({ own: true })));
    const { proxy, engine } = await openFragileEngine(stack, instances);
    const bench = tested.bench(engine);
    const { container, streams } = await bench.run(waitForMain, undefined);
    await new Promise((resolve) => streams.stdout.once('data', resolve));
    const ending = Promise.allSettled([text(streams.stdout), text(streams.stderr)]);

    await proxy.cut();
    await expect(engine.gone).resolves.toMatchObject({ problem: { code: 'engine_unreachable' } });
    await expect(container.wait()).rejects.toMatchObject({ problem: { code: 'engine_unreachable' } });
    await ending;
    await expect(bench.create()).rejects.toMatchObject({ problem: { code: 'engine_unreachable' } });
    await vi.waitFor(async () => expect(await isRunning(container.name)).toBe(false), { timeout: 10_000 });
  });

  it('is noticed when it hangs instead', async () => {
    await using stack = new AsyncDisposableStack();
    const instances = new TestInstances();
    const cleaner = stack.use(await openTestEngine({ instances }));
    stack.defer(async () => void (await cleaner.reap({ own: true })));
    const { proxy, engine } = await openFragileEngine(stack, instances);
    const { container } = await tested.bench(engine).run(waitForMain, undefined);
    proxy.freeze();
    await expect(engine.gone).resolves.toMatchObject({ problem: { code: 'engine_unreachable' } });
    await expect(container.wait()).rejects.toMatchObject({ problem: { code: 'engine_unreachable' } });
  });

  it('is noticed when it hangs before anything runs, too', async () => {
    await using stack = new AsyncDisposableStack();
    const instances = new TestInstances();
    const cleaner = stack.use(await openTestEngine({ instances }));
    stack.defer(async () => void (await cleaner.reap({ own: true })));
    const { proxy, engine } = await openFragileEngine(stack, instances);
    proxy.freeze();
    const creating = tested.bench(engine).create();
    await expect(creating).rejects.toMatchObject({ problem: { code: 'engine_unreachable' } });
  });
});
