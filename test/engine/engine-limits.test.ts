import { statfs } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { never, openTestClient } from '#test/support/engine-harness.ts';
import { shareTestEngine } from '#test/support/shared-engine.ts';

const MEBIBYTE = 1024 * 1024;
const tested = shareTestEngine();

describe('an agent that takes all it can get', () => {
  it('runs out of processes, not the computer', async () => {
    await using bench = tested.bench();
    const said = await bench.output(
      async () => {
        const { spawn } = process.getBuiltinModule('node:child_process');
        let started = 0;
        for (let tries = 0; tries < 200; tries += 1) {
          const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
          child.on('error', () => undefined);
          if (child.pid === undefined) break;
          started += 1;
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
        process.stdout.write(String(started));
        process.exit(0);
      },
      undefined,
      { limits: { processes: 40 } },
    );
    expect(Number(said)).toBeGreaterThan(5);
    expect(Number(said)).toBeLessThan(40);
  });

  it('is removed whole in the middle of a fork bomb', async () => {
    await using bench = tested.bench();
    const { container, streams } = await bench.run(() => {
      process
        .getBuiltinModule('node:child_process')
        .spawn('bash', ['-c', 'bomb() { bomb | bomb & }; bomb; wait'], {
          stdio: ['ignore', 'ignore', 'inherit'],
        });
      process.stdin.resume();
    }, undefined);
    streams.stdout.resume();
    // bash says so when it cannot fork any more.
    await new Promise<void>((resolve) => {
      streams.stderr.on('data', (chunk: Buffer) => {
        if (chunk.includes('fork')) resolve();
      });
    });
    await container.stop(100);
    expect(await container.wait()).toMatchObject({ outOfMemory: false });
    await container.remove();
    using client = await openTestClient();
    await expect(client.docker.getContainer(container.name).inspect()).rejects.toMatchObject({
      statusCode: 404,
    });
  });

  it('is killed for memory, and that is told', async () => {
    await using bench = tested.bench();
    const { container, streams } = await bench.run(
      () => {
        const held: Buffer[] = [];
        for (;;) held.push(Buffer.alloc(8 * 1024 * 1024, 1));
      },
      undefined,
      { limits: { memoryBytes: 96 * MEBIBYTE } },
    );
    streams.stdout.resume();
    streams.stderr.resume();
    expect(await container.wait()).toEqual({ code: 137, outOfMemory: true });
  });

  it('fills its workspace to its size and no further', async () => {
    await using bench = tested.bench();
    await bench.volume('workspace', 4 * MEBIBYTE, 64);
    const before = await statfs('/');
    const said = await bench.output(() => {
      const fs = process.getBuiltinModule('node:fs');
      const file = fs.openSync('/workspace/big', 'w');
      let written = 0;
      let code = 'none';
      try {
        for (let round = 0; round < 64; round += 1)
          written += fs.writeSync(file, Buffer.alloc(1024 * 1024, 1));
      } catch (error) {
        code = (error as NodeJS.ErrnoException).code ?? '';
      }
      process.stdout.write(JSON.stringify({ written, code }));
      process.exit(0);
    }, undefined);
    expect(JSON.parse(said)).toEqual({ written: 4 * MEBIBYTE, code: 'ENOSPC' });
    const after = await statfs('/');
    expect(before.bavail - after.bavail).toBeLessThan((32 * MEBIBYTE) / before.bsize);
  });

  it('makes no more files than its workspace may hold', async () => {
    await using bench = tested.bench();
    await bench.volume('workspace', 4 * MEBIBYTE, 64);
    const said = await bench.output(() => {
      const fs = process.getBuiltinModule('node:fs');
      let made = 0;
      try {
        for (; made < 1000; made += 1) fs.writeFileSync(`/workspace/${made}`, '');
        process.stdout.write('no limit');
      } catch (error) {
        process.stdout.write(`${made} ${(error as NodeJS.ErrnoException).code}`);
      }
      process.exit(0);
    }, undefined);
    expect(said).toBe('63 ENOSPC');
  });

  it('writes 100 000 files into a workspace like that of a run, and it goes away with them', async () => {
    const volume = await (async () => {
      await using bench = tested.bench();
      const name = await bench.volume('workspace', 512 * MEBIBYTE, 200_000);
      const said = await bench.output(
        () => {
          const fs = process.getBuiltinModule('node:fs');
          fs.mkdirSync('/workspace/outputs');
          for (let made = 0; made < 100_000; made += 1) fs.writeFileSync(`/workspace/outputs/${made}`, 'x');
          process.stdout.write(String(fs.readdirSync('/workspace/outputs').length));
          process.exit(0);
        },
        undefined,
        { limits: { memoryBytes: 1536 * MEBIBYTE } },
      );
      expect(said).toBe('100000');
      return name;
    })();
    using client = await openTestClient();
    await expect(client.docker.getVolume(volume).inspect()).rejects.toMatchObject({ statusCode: 404 });
  });

  it('fills its temporary folder to its size and no further', async () => {
    await using bench = tested.bench();
    const said = await bench.output(
      () => {
        const fs = process.getBuiltinModule('node:fs');
        const written = ['/tmp', process.env['HOME'] ?? ''].map((folder) => {
          const file = fs.openSync(`${folder}/big`, 'w');
          let megabytes = 0;
          try {
            for (; megabytes < 400; megabytes += 1) fs.writeSync(file, Buffer.alloc(1024 * 1024, 1));
            return 'no limit';
          } catch (error) {
            return `${megabytes} ${(error as NodeJS.ErrnoException).code}`;
          }
        });
        process.stdout.write(written.join(', '));
        process.exit(0);
      },
      undefined,
      { limits: { memoryBytes: 1024 * MEBIBYTE } },
    );
    expect(said).toBe('256 ENOSPC, 64 ENOSPC');
  });

  it('is ended although it takes no notice of being asked', async () => {
    await using bench = tested.bench();
    const { container, streams } = await bench.run(() => {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
      process.stdin.on('end', () => undefined);
      process.stdout.write('deaf');
      for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
    }, undefined);
    await new Promise((resolve) => streams.stdout.once('data', resolve));
    await container.stop(300);
    expect(await container.wait()).toEqual({ code: 137, outOfMemory: false });
  });
});

describe('a program that prints 1 GB', () => {
  const print = (megabytes: number): void => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    let left = megabytes;
    const more = (): void => {
      while (left > 0) {
        left -= 1;
        if (!process.stdout.write(chunk)) {
          process.stdout.once('drain', more);
          return;
        }
      }
      process.stdout.write('', () => process.exit(0));
    };
    more();
  };

  it('reaches the reader whole, and never fills memory', async () => {
    await using bench = tested.bench();
    const before = process.memoryUsage().rss;
    const { container, streams } = await bench.run(print, 1024);
    streams.stderr.resume();
    let bytes = 0;
    let peak = before;
    for await (const chunk of streams.stdout) {
      bytes += (chunk as Buffer).length;
      peak = Math.max(peak, process.memoryUsage.rss());
    }
    expect(bytes).toBe(1024 * MEBIBYTE);
    expect((peak - before) / MEBIBYTE).toBeLessThan(120);
    expect(await container.wait()).toEqual({ code: 0, outOfMemory: false });
  });

  it('waits for a reader who does not read', async () => {
    await using bench = tested.bench();
    const before = process.memoryUsage().rss;
    const { container } = await bench.run(print, 1024);
    const ended = await Promise.race([
      container.wait().then(() => 'ended'),
      new Promise((resolve) => setTimeout(resolve, 1500, 'waiting')),
    ]);
    expect(ended).toBe('waiting');
    expect((process.memoryUsage.rss() - before) / MEBIBYTE).toBeLessThan(60);
    expect(await container.peakMemory()).toBeLessThan(200 * MEBIBYTE);
    // Without an end of its own: what nobody reads must not keep it either.
    await container.stop(100);
    expect(await container.peakMemory()).toBeUndefined();
  });
});

it('tells the most memory a container used', async () => {
  await using bench = tested.bench();
  const { container, streams } = await bench.run(() => {
    const held = Buffer.alloc(100 * 1024 * 1024, 1);
    process.stdout.write(String(held.length));
    process.stdin.resume();
  }, undefined);
  await new Promise((resolve) => streams.stdout.once('data', resolve));
  const peak = await container.peakMemory();
  expect(peak).toBeGreaterThan(100 * MEBIBYTE);
  expect(peak).toBeLessThan(256 * MEBIBYTE);
  await container.stop(0);
  expect(await container.peakMemory()).toBeUndefined();
  await container.remove();
  expect(never.aborted).toBe(false);
});
