import { describe, expect, it } from 'vitest';
import { SOCKET_FOLDER, WORKSPACE_PATH } from '#shared/protocol/layout.ts';
import type { ContainerSpecification } from '../engine.ts';
import { containerOptions, volumeOptions } from './container-options.ts';

const maker = { instanceId: 'instance', hostId: 'host' };
const dialect = {
  sandboxRuntime: undefined,
  needsProcessUlimit: false,
  cpus: 8,
  laterNetwork: undefined,
  knowsHostGateway: true,
};
const specification: ContainerSpecification = {
  name: 'n',
  role: 'sandbox',
  owner: { runId: 'run' },
  image: 'image',
  mounts: [
    { volume: 'w', path: WORKSPACE_PATH, readOnly: false },
    { volume: 's', path: SOCKET_FOLDER, readOnly: true },
  ],
  limits: { memoryBytes: 1 << 30, cpus: 2, processes: 128, openFiles: 512 },
  network: 'none',
};

describe('containerOptions', () => {
  it.each([
    ['sandbox', '1000:1000'],
    ['sidecar', '1001:1001'],
    ['runner', '1002:1002'],
  ] as const)('hardens the %s in every respect', (role, user) => {
    const options = containerOptions({ ...specification, role }, maker, dialect);
    expect(options.User).toBe(user);
    expect(options).toMatchObject({ OpenStdin: true, StdinOnce: true, Tty: false });
    expect(options.HostConfig).toMatchObject({
      Init: true,
      ReadonlyRootfs: true,
      NetworkMode: 'none',
      IpcMode: 'none',
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: 128,
      Memory: 1 << 30,
      MemorySwap: 1 << 30,
      NanoCpus: 2e9,
      LogConfig: { Type: 'none' },
    });
    expect(options.HostConfig).not.toHaveProperty('Privileged');
    expect(options.HostConfig).not.toHaveProperty('Binds');
    expect(options.HostConfig?.Tmpfs?.['/tmp']).toContain('nosuid,nodev');
  });

  it('gives a runner its own folders in memory, which nobody else can look into', () => {
    const runner = { ...specification, role: 'runner', memoryFolders: ['/etc/service'] } as const;
    const { HostConfig } = containerOptions(runner, maker, dialect);
    expect(HostConfig?.Tmpfs?.['/etc/service']).toMatch(/nosuid,nodev.*uid=1002.*mode=0700/);
  });

  it('leads nobody out, and tells where the computer is only who may be led out later', () => {
    expect(containerOptions(specification, maker, dialect).HostConfig).not.toHaveProperty('ExtraHosts');
    const sidecar = { ...specification, role: 'sidecar', network: 'later' } as const;
    expect(containerOptions(sidecar, maker, dialect).HostConfig).toMatchObject({
      NetworkMode: 'none',
      ExtraHosts: ['host.docker.internal:host-gateway'],
    });
    const podman = { ...dialect, laterNetwork: 'egress', knowsHostGateway: false };
    expect(containerOptions(sidecar, maker, podman).HostConfig).toMatchObject({ NetworkMode: 'egress' });
    expect(containerOptions(specification, maker, podman).HostConfig).toMatchObject({ NetworkMode: 'none' });
  });

  it('says whose the container is, and puts nothing else of the run into it', () => {
    const options = containerOptions(specification, maker, dialect);
    expect(options.Labels).toEqual({
      'app.slipway.instance': 'instance',
      'app.slipway.host': 'host',
      'app.slipway.run': 'run',
      'app.slipway.role': 'sandbox',
    });
    expect(options.Env?.map((entry) => entry.split('=')[0]).toSorted()).toEqual([
      'HOME',
      'LANG',
      'NODE_COMPILE_CACHE',
      'NODE_NO_WARNINGS',
      'PI_OFFLINE',
      'PI_SKIP_VERSION_CHECK',
      'PI_TELEMETRY',
      'PYTHONDONTWRITEBYTECODE',
    ]);
  });

  it('asks for no more processors than the engine has, which it would refuse', () => {
    const options = containerOptions(specification, maker, { ...dialect, cpus: 1 });
    expect(options.HostConfig?.NanoCpus).toBe(1e9);
  });

  it("keeps the process ulimit far from the author's own processes of the same user id", () => {
    expect(containerOptions(specification, maker, dialect).HostConfig?.Ulimits).toEqual([
      { Name: 'nofile', Soft: 512, Hard: 512 },
    ]);
    const podman = containerOptions(specification, maker, { ...dialect, needsProcessUlimit: true });
    const limit = podman.HostConfig?.Ulimits?.find(({ Name }) => Name === 'nproc');
    expect(limit?.Hard).toBeGreaterThan(10_000);
  });

  it('gives gVisor the sandbox alone: the sidecar must make the socket on the shared volume', () => {
    const gvisor = { ...dialect, sandboxRuntime: 'runsc' };
    expect(containerOptions(specification, maker, gvisor).HostConfig?.Runtime).toBe('runsc');
    const sidecar = containerOptions({ ...specification, role: 'sidecar' }, maker, gvisor);
    expect(sidecar.HostConfig?.Runtime).toBeUndefined();
  });
});

describe('volumeOptions', () => {
  const volume = { name: 'v', owner: { runId: 'run' }, sizeBytes: 4096, inodes: 10 };

  it('keeps a workspace in memory, bounded, for its user alone', () => {
    const { o } = volumeOptions({ ...volume, userId: 1000 }, maker).DriverOpts ?? {};
    expect(o?.split(',')).toEqual(
      expect.arrayContaining([
        'size=4096',
        'nr_inodes=10',
        'uid=1000',
        'gid=1000',
        'mode=0700',
        'nosuid',
        'nodev',
      ]),
    );
  });

  it("lets the sandbox pass through the sidecar's folder", () => {
    const { o } = volumeOptions({ ...volume, userId: 1001 }, maker).DriverOpts ?? {};
    expect(o?.split(',')).toEqual(expect.arrayContaining(['uid=1001', 'mode=0755', 'noexec']));
  });
});
