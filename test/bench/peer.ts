import Docker from 'dockerode';
import { pack } from 'tar-stream';
import type { TimedModelEndpoint } from './model-endpoint.ts';

const docker = new Docker();

/** Address at which a container on the default bridge reaches this machine. */
export async function bridgeGateway(): Promise<string> {
  const network = (await docker.getNetwork('bridge').inspect()) as {
    IPAM?: { Config?: { Gateway?: string }[] };
  };
  return network.IPAM?.Config?.[0]?.Gateway ?? '172.17.0.1';
}

export interface PeerRun {
  /** Milliseconds from creating the container to its first request to the model. */
  readonly firstRequestMs: number;
  /** Highest memory of the container, in bytes. */
  readonly peakMemory: number;
}

/**
 * What Slipway is measured against: Pi's own command line in one container of the same image, hardened
 * alike but with a network, asked for one answer.
 */
export async function runPeer(
  image: string,
  endpoint: TimedModelEndpoint,
  gateway: string,
): Promise<PeerRun> {
  const models = JSON.stringify({
    providers: {
      timed: {
        baseUrl: `http://${gateway}:${endpoint.port}/v1`,
        api: 'openai-completions',
        apiKey: 'none',
        models: [{ id: 'timed', contextWindow: 128_000, maxTokens: 4096 }],
      },
    },
  });
  const requested = endpoint.nextRequest();
  const release = endpoint.hold();
  const began = performance.now();
  const container = await docker.createContainer({
    Image: image,
    User: '1000:1000',
    WorkingDir: '/workspace',
    Env: [
      'PI_CODING_AGENT_DIR=/workspace/.agent',
      'PI_OFFLINE=1',
      'PI_SKIP_VERSION_CHECK=1',
      'PI_TELEMETRY=0',
    ],
    Entrypoint: ['node'],
    Cmd: [
      '/opt/slipway/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js',
      '--mode',
      'json',
      '--provider',
      'timed',
      '--model',
      'timed',
      '--no-session',
      '-p',
      'Say that you are done.',
    ],
    HostConfig: {
      ReadonlyRootfs: true,
      Tmpfs: {
        '/tmp': 'rw,exec,nosuid,nodev,size=256m,mode=1777',
        '/home/agent': 'rw,exec,nosuid,nodev,size=64m,uid=1000,gid=1000,mode=0700',
      },
      Mounts: [{ Type: 'volume', Source: '', Target: '/workspace' }],
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: 256,
      Memory: 1536 * 1024 * 1024,
      MemorySwap: 1536 * 1024 * 1024,
      NanoCpus: 2e9,
      Init: true,
      NetworkMode: 'bridge',
      LogConfig: { Type: 'none', Config: {} },
    },
  });
  try {
    const archive = pack();
    const owner = { uid: 1000, gid: 1000 };
    archive.entry({ name: '.agent/', type: 'directory', mode: 0o755, ...owner });
    archive.entry({ name: '.agent/models.json', mode: 0o644, ...owner }, models);
    archive.finalize();
    const tar: Buffer[] = [];
    for await (const chunk of archive) tar.push(chunk as Buffer);
    await container.putArchive(Buffer.concat(tar), { path: '/workspace' });
    await container.start();
    const firstRequestMs = (await requested) - began;
    return { firstRequestMs, peakMemory: await peakMemory(container.id) };
  } finally {
    release();
    await container.remove({ force: true, v: true });
  }
}

/** Highest memory of a running container in bytes, page cache included. */
export async function peakMemory(id: string): Promise<number> {
  const container = docker.getContainer(id);
  const stats = (await container.stats({ stream: false, 'one-shot': true })) as unknown as {
    memory_stats: { max_usage?: number; usage?: number };
  };
  return stats.memory_stats.max_usage ?? stats.memory_stats.usage ?? 0;
}
