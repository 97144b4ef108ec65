import { createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { evaluateProbe, probeFactsSchema } from '#main/engines/isolation/checks.ts';
import { probeProgram, scriptOf } from '#main/engines/isolation/probe-script.ts';
import { type TestBench, never, openTestClient, ownAddresses } from '#test/support/engine-harness.ts';
import { shareTestEngine } from '#test/support/shared-engine.ts';

const tested = shareTestEngine();

/** Runs shell commands in a container; gives each one's exit code and what it said. */
function shell(commands: readonly string[]): void {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const results = commands.map((command) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    return { status, said: stdout + stderr };
  });
  process.stdout.write(JSON.stringify(results));
  process.exit(0);
}

async function runShell(
  bench: TestBench,
  commands: readonly string[],
  role: 'sandbox' | 'sidecar' = 'sandbox',
): Promise<{ status: number; said: string }[]> {
  return JSON.parse(await bench.output(shell, commands, { role })) as { status: number; said: string }[];
}

describe.each(['sandbox', 'sidecar'] as const)('a %s from inside', (role) => {
  it('holds no privilege and can gain none', async () => {
    await using bench = tested.bench();
    const [status, id, unshare, mount, su, chown] = await runShell(
      bench,
      [
        'cat /proc/self/status',
        'id -u; id -g; id -G',
        'unshare -U true',
        'mount -t tmpfs none /tmp',
        'su -c true',
        'touch /tmp/file && chown 0 /tmp/file',
      ],
      role,
    );
    for (const line of [
      'CapEff:\t0{16}',
      'CapBnd:\t0{16}',
      'CapPrm:\t0{16}',
      'NoNewPrivs:\t1',
      'Seccomp:\t2',
    ])
      expect(status?.said).toMatch(new RegExp(`^${line}$`, 'm'));
    const user = role === 'sandbox' ? '1000' : '1001';
    expect(id?.said.split('\n').slice(0, 3)).toEqual([user, user, user]);
    for (const attempt of [unshare, mount, su, chown]) expect(attempt?.status).not.toBe(0);
  });

  it('can write to its own folders alone', async () => {
    await using bench = tested.bench();
    const [root, usr, programs, home, temporary, executable] = await runShell(
      bench,
      [
        'touch /x',
        'touch /usr/x',
        'touch /opt/slipway/programs/x',
        'touch ~/x',
        'touch /tmp/x',
        'printf "#!/bin/sh\\necho ran" > /tmp/x && chmod +x /tmp/x && /tmp/x',
      ],
      role,
    );
    for (const refused of [root, usr, programs]) expect(refused?.said).toContain('Read-only file system');
    expect([home?.status, temporary?.status]).toEqual([0, 0]);
    expect(executable?.said).toBe('ran\n');
  });
});

describe('a sandbox', () => {
  it("reaches its sidecar's socket, and nothing else", async () => {
    await using bench = tested.bench();
    const sidecar = await bench.run(
      (path) => {
        const server = process
          .getBuiltinModule('node:net')
          .createServer((socket) => socket.end('from the sidecar'));
        server.listen({ path, readableAll: true, writableAll: true }, () =>
          process.stdout.write('listening'),
        );
      },
      '/run/slipway/sidecar.sock',
      { role: 'sidecar' },
    );
    await new Promise((resolve) => sidecar.streams.stdout.once('data', resolve));
    const said = await bench.output(async (path) => {
      const net = process.getBuiltinModule('node:net');
      const fs = process.getBuiltinModule('node:fs');
      const answer = await new Promise((resolve) => {
        net
          .connect({ path })
          .on('data', (data) => resolve(String(data)))
          .on('error', (error) => resolve(error.message));
      });
      const tries = ['unlinkSync', 'chmodSync'].map((name) => {
        try {
          if (name === 'unlinkSync') fs.unlinkSync(path);
          else fs.chmodSync(path, 0o777);
          return 'done';
        } catch (error) {
          return (error as NodeJS.ErrnoException).code;
        }
      });
      process.stdout.write(JSON.stringify({ answer, tries }));
      process.exit(0);
    }, '/run/slipway/sidecar.sock');
    expect(JSON.parse(said)).toEqual({ answer: 'from the sidecar', tries: ['EROFS', 'EROFS'] });
  });

  it('has no interface but loopback, and no way to whatever listens on this computer', async () => {
    const met: string[] = [];
    const server = createServer((socket) => {
      met.push(socket.remoteAddress ?? 'unknown');
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '::', resolve));
    const { port } = server.address() as AddressInfo;
    await using bench = tested.bench();
    const targets = [...ownAddresses(), '172.17.0.1', '169.254.169.254', '1.1.1.1', '2606:4700:4700::1111'];
    try {
      const said = await bench.output(
        async ([to, at]) => {
          const net = process.getBuiltinModule('node:net');
          const tries = to.map(
            (host) =>
              new Promise((resolve) => {
                const socket = net.connect({ host, port: at });
                socket.setTimeout(5000, () => resolve('ETIMEDOUT'));
                socket.on('connect', () => resolve('connected'));
                socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
              }),
          );
          const interfaces = Object.keys(process.getBuiltinModule('node:os').networkInterfaces());
          process.stdout.write(JSON.stringify({ interfaces, outcomes: await Promise.all(tries) }));
          process.exit(0);
        },
        [targets, port] as const,
      );
      const { interfaces, outcomes } = JSON.parse(said) as { interfaces: string[]; outcomes: string[] };
      expect(interfaces).toEqual(['lo']);
      expect(targets.length).toBeGreaterThan(4);
      // IPv6 is off inside, so its addresses cannot even be used.
      for (const outcome of outcomes) expect(['ENETUNREACH', 'EADDRNOTAVAIL']).toContain(outcome);
      expect(met).toEqual([]);
    } finally {
      server.close();
    }
  });

  it('has the tools agents expect, and Pi', async () => {
    await using bench = tested.bench();
    const results = await runShell(bench, [
      'python3 -c "import openpyxl, pandas, requests, PyPDF2"',
      'rg --version && fd --version && git --version && jq --version && unzip -v && zip -v && file --version',
      'pi --version',
      'node -e "import(\'/opt/slipway/node_modules/@earendil-works/pi-coding-agent/dist/bundle/index.js\').then((pi) => console.log(typeof pi.createAgentSession))"',
      'test -s /etc/ssl/certs/ca-certificates.crt',
    ]);
    expect(results.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0]);
    expect(results[2]?.said.trim()).toMatch(/^\d+\.\d+\.\d+$/);
    expect(results[3]?.said).toBe('function\n');
  });

  it("leaves nothing in the engine but what its labels name: no log, no secret, no host's folder", async () => {
    await using bench = tested.bench();
    const { container, streams } = await bench.run(() => {
      process.stdout.write('said');
      process.stdin.resume();
    }, undefined);
    await new Promise((resolve) => streams.stdout.once('data', resolve));
    using client = await openTestClient();
    const inspection = await client.docker.getContainer(container.name).inspect();
    expect(inspection.LogPath).toBe('');
    expect(inspection.HostConfig.LogConfig?.Type).toBe('none');
    expect(inspection.HostConfig.Binds).toBeNull();
    expect(inspection.Mounts.map(({ Type }) => Type)).toEqual(['volume', 'volume']);
    expect(Object.keys(inspection.NetworkSettings.Networks)).toEqual(['none']);
  });
});

describe('the isolation probe', () => {
  it('passes every check on a sandbox made as a run makes it, and leaves nothing behind', async () => {
    const checks = await tested.engine.probeIsolation(tested.image, never);
    for (const address of ownAddresses())
      expect(checks.find(({ id }) => id === 'host')?.detail).toContain(`${address} ENETUNREACH`);
    expect(checks.filter(({ passed }) => !passed)).toEqual([]);
    expect(checks.length).toBeGreaterThan(10);
    using client = await openTestClient();
    const left = await client.docker.listContainers({ all: true, filters: { name: ['slipway-probe'] } });
    expect(left).toEqual([]);
  });

  it('notices a container that is not isolated', async () => {
    using client = await openTestClient();
    const container = await client.docker.createContainer({
      Image: tested.image,
      Cmd: [
        'node',
        '-e',
        scriptOf(probeProgram, {
          socketPath: '/run/slipway/sidecar.sock',
          targets: ownAddresses().map((address) => ({ check: 'host' as const, address })),
          names: [],
          deadlineMs: 500,
        }),
      ],
      User: '0',
    });
    try {
      const streams = await container.attach({ stream: true, stdout: true });
      await container.start();
      const said = await text(streams);
      const facts = probeFactsSchema.parse(JSON.parse(said.slice(said.indexOf('{'))));
      const failed = evaluateProbe(facts, { gvisor: false }).filter(({ passed }) => !passed);
      expect(failed.map(({ id }) => id)).toEqual(
        expect.arrayContaining([
          'user',
          'capabilities',
          'privileges',
          'root',
          'interfaces',
          'routes',
          'host',
          'sidecar',
        ]),
      );
    } finally {
      await container.remove({ force: true });
    }
  });
});
