import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { IsolationCheck } from '#shared/engines/engine-report.ts';
import {
  SANDBOX_USER_ID,
  SIDECAR_USER_ID,
  SOCKET_FOLDER,
  SOCKET_PATH,
  WORKSPACE_PATH,
} from '#shared/protocol/layout.ts';
import type { Container, ContainerSpecification, ResourceLimits, VolumeSpecification } from '../engine.ts';
import { evaluateProbe, probeFactsSchema, probeFailed, type SandboxKernel } from './checks.ts';
import { listenerProgram, probeProgram, scriptOf } from './probe-script.ts';

/** What a probe needs of an engine. */
export interface ProbeHost {
  readonly kernel: SandboxKernel;
  createVolume(specification: VolumeSpecification, signal: AbortSignal): Promise<void>;
  removeVolume(name: string): Promise<void>;
  /** A container made exactly like a run's, but running a script that it reads from its standard input. */
  createScripted(specification: ContainerSpecification, signal: AbortSignal): Promise<Container>;
}

const LIMITS: ResourceLimits = {
  memoryBytes: 256 * 1024 * 1024,
  cpus: 1,
  processes: 64,
  openFiles: 1024,
};
const DEADLINE_MS = 3000;
/** Milliseconds for the whole probe, on a slow machine. */
const PROBE_MS = 60_000;
const OUTPUT_BYTES = 64 * 1024;
const INTERNET_ADDRESSES = ['1.1.1.1', '2606:4700:4700::1111'];
const METADATA_ADDRESSES = ['169.254.169.254', 'fd00:ec2::254'];
/** Where Docker's bridge and Docker Desktop's machine usually show this computer. */
const ENGINE_ADDRESSES = ['172.17.0.1', '192.168.65.254'];
const NAMES = ['example.com', 'host.docker.internal'];

/**
 * Looks from inside a throw-away sandbox, beside a stand-in for the sidecar, whether the engine isolates
 * as it must.
 * @param hostAddresses this computer's own addresses, none of which the sandbox may reach
 */
export async function runProbe(
  host: ProbeHost,
  image: string,
  hostAddresses: readonly string[],
  signal: AbortSignal,
): Promise<IsolationCheck[]> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]);
  const name = `slipway-probe-${randomUUID().slice(0, 8)}`;
  const owner = { runId: name };
  const socket = `${name}-socket`;
  const workspace = `${name}-workspace`;
  const containers: Container[] = [];
  const make = async (role: 'sandbox' | 'sidecar'): Promise<Container> => {
    const mounts = [
      { volume: socket, path: SOCKET_FOLDER, readOnly: role === 'sandbox' },
      ...(role === 'sandbox' ? [{ volume: workspace, path: WORKSPACE_PATH, readOnly: false }] : []),
    ];
    const specification = { name: `${name}-${role}`, role, owner, image, mounts, limits: LIMITS } as const;
    const container = await host.createScripted({ ...specification, network: 'none' }, deadline);
    containers.push(container);
    return container;
  };
  try {
    const small = { owner, sizeBytes: 1024 * 1024, inodes: 64 };
    await Promise.all([
      host.createVolume({ ...small, name: socket, userId: SIDECAR_USER_ID }, deadline),
      host.createVolume({ ...small, name: workspace, userId: SANDBOX_USER_ID }, deadline),
    ]);
    const [sidecar, sandbox] = await Promise.all([make('sidecar'), make('sandbox')]);
    await runScript(sidecar, scriptOf(listenerProgram, sidecar.resolve(SOCKET_PATH)), deadline);
    const parameters = {
      socketPath: sandbox.resolve(SOCKET_PATH),
      targets: [
        ...INTERNET_ADDRESSES.map((address) => ({ check: 'internet' as const, address })),
        ...METADATA_ADDRESSES.map((address) => ({ check: 'metadata' as const, address })),
        ...[...new Set([...hostAddresses, ...ENGINE_ADDRESSES])].map((address) => ({
          check: 'host' as const,
          address,
        })),
      ],
      names: NAMES,
      deadlineMs: DEADLINE_MS,
    };
    const output = await runScript(sandbox, scriptOf(probeProgram, parameters), deadline);
    const text = await readBounded(output.stdout, deadline);
    deadline.throwIfAborted();
    return evaluate(text, await output.stderr, host.kernel);
  } catch (error) {
    if (deadline.aborted && !signal.aborted)
      return probeFailed(`The probe did not end within ${PROBE_MS / 1000} s.`);
    throw error;
  } finally {
    await Promise.allSettled(containers.map((container) => container.remove()));
    await Promise.allSettled([host.removeVolume(socket), host.removeVolume(workspace)]);
  }
}

function evaluate(text: string, errors: string, kernel: SandboxKernel): IsolationCheck[] {
  try {
    return evaluateProbe(probeFactsSchema.parse(JSON.parse(text)), kernel);
  } catch {
    const said = (errors.trim() || text.trim()).split('\n').at(-1) ?? '';
    return probeFailed(
      `The probe inside the sandbox did not report. It said: ${said.slice(0, 300) || 'nothing'}`,
    );
  }
}

async function runScript(
  container: Container,
  script: string,
  signal: AbortSignal,
): Promise<{ stdout: Readable; stderr: Promise<string> }> {
  const streams = await container.attach(signal);
  const stderr = readBounded(streams.stderr, signal);
  await container.start(signal);
  streams.stdin.end(script);
  await once(streams.stdin, 'finish', { signal });
  return { stdout: streams.stdout, stderr };
}

/** Text of a stream to its end, the first of it kept. A stream that breaks ends. */
async function readBounded(stream: Readable, signal: AbortSignal): Promise<string> {
  const stop = (): void => void stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  let text = '';
  try {
    for await (const chunk of stream) if (text.length < OUTPUT_BYTES) text += String(chunk);
  } catch {
    // What was said until then is what there is.
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return text;
}
