import { z } from 'zod';
import type { IsolationCheck } from '#shared/engines/engine-report.ts';

/** What a probe inside a sandbox found. */
export const probeFactsSchema = z.object({
  userId: z.number(),
  effectiveCapabilities: z.string(),
  boundingCapabilities: z.string(),
  noNewPrivileges: z.string(),
  seccomp: z.string(),
  rootWrite: z.array(z.string()),
  interfaces: z.array(z.string()),
  devices: z.array(z.string()),
  routes: z.array(z.string()),
  reached: z.array(
    z.object({ check: z.enum(['internet', 'metadata', 'host']), address: z.string(), outcome: z.string() }),
  ),
  resolved: z.array(z.object({ name: z.string(), outcome: z.string() })),
  sidecar: z.string(),
  sidecarWrite: z.string(),
  engineSocket: z.array(z.string()),
});
export type ProbeFacts = z.infer<typeof probeFactsSchema>;

/** Devices that Linux puts into every network namespace, down and without a way out. */
const IDLE_DEVICES = /^(lo|tunl0|sit0|gre0|gretap0|erspan0|ip_vti0|ip6_vti0|ip6tnl0|ip6gre0|dummy0)$/;
/** Outcomes that mean no packet left. A refusal would mean that one arrived. */
const UNREACHED = new Set([
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
  'ETIMEDOUT',
  'EAFNOSUPPORT',
]);
const REFUSED_WRITE = new Set(['EROFS', 'EACCES', 'EPERM']);

/** What the kernel under the sandbox is: gVisor's own does not show Linux's seccomp state. */
export interface SandboxKernel {
  readonly gvisor: boolean;
}

/** Holds what a probe found against what DESIGN section 4 promises; one check for each promise. */
export function evaluateProbe(facts: ProbeFacts, kernel: SandboxKernel): IsolationCheck[] {
  const noCapabilities = /^0+$/;
  const capabilities =
    noCapabilities.test(facts.effectiveCapabilities) && noCapabilities.test(facts.boundingCapabilities);
  const devices = facts.devices.filter((name) => !IDLE_DEVICES.test(name));
  const strangers = [...new Set([...facts.interfaces, ...devices])];
  const rootRefused = facts.rootWrite.every((outcome) => outcome === 'EROFS');
  const resolved = facts.resolved.filter(({ outcome }) => outcome === 'resolved').map(({ name }) => name);
  return [
    check('user', 'Runs as an ordinary user', facts.userId > 0, {
      passed: `The program's user id is ${facts.userId}.`,
      failed: "The sandbox's program runs as root.",
    }),
    check('capabilities', 'Holds no capability', capabilities, {
      passed: 'Neither the program nor anything it starts can hold a capability.',
      failed: `Capabilities are left: effective ${facts.effectiveCapabilities || 'unknown'}, bounding ${facts.boundingCapabilities || 'unknown'}.`,
    }),
    check('privileges', 'Cannot gain privileges', facts.noNewPrivileges === '1', {
      passed: 'The no-new-privileges flag is set.',
      failed: 'The no-new-privileges flag is not set: a set-user-id program could gain privileges.',
    }),
    check('system-calls', 'System calls are filtered', facts.seccomp === '2' || kernel.gvisor, {
      passed: kernel.gvisor
        ? "gVisor's own kernel takes the system calls."
        : "The engine's seccomp profile is in force.",
      failed: 'No seccomp profile is in force: every system call of the kernel can be reached.',
    }),
    check('root', 'Root file system is read-only', rootRefused, {
      passed: 'Writing outside the workspace and the temporary folders is refused.',
      failed: `Writing to the root file system was not refused as read-only (${facts.rootWrite.join(', ')}).`,
    }),
    check('interfaces', 'Has no network interface', strangers.length === 0, {
      passed: 'There is no interface but loopback.',
      failed: `There are interfaces beside loopback: ${strangers.join(', ')}.`,
    }),
    check('routes', 'Has no route', facts.routes.length === 0, {
      passed: 'The routing table is empty.',
      failed: `There are ${facts.routes.length} routes.`,
    }),
    unreached(facts, 'internet', 'Cannot reach the internet', 'An address of the internet'),
    unreached(facts, 'metadata', "Cannot reach a cloud's metadata", 'The metadata address'),
    unreached(facts, 'host', 'Cannot reach this computer', 'An address of this computer'),
    check('names', 'Cannot look up names', resolved.length === 0, {
      passed: 'Looking up a name fails.',
      failed: `Names were resolved: ${resolved.join(', ')}.`,
    }),
    check('sidecar', 'Reaches its sidecar', facts.sidecar === 'connected', {
      passed: "The sidecar's socket is the only door, and it opens.",
      failed: `The sidecar's socket cannot be reached (${facts.sidecar}).`,
    }),
    check('sidecar-mount', "Cannot change the sidecar's folder", REFUSED_WRITE.has(facts.sidecarWrite), {
      passed: 'The folder with the socket is read-only.',
      failed: `Writing to the folder with the socket was not refused (${facts.sidecarWrite}).`,
    }),
    check('engine', 'Cannot reach the engine', facts.engineSocket.length === 0, {
      passed: "The engine's own socket is not inside.",
      failed: `The engine's own socket is inside: ${facts.engineSocket.join(', ')}.`,
    }),
  ];
}

/** The single failed check of a probe that could not be run at all. */
export function probeFailed(detail: string): IsolationCheck[] {
  return [{ id: 'probe', title: 'Can be probed', passed: false, detail }];
}

function check(
  id: string,
  title: string,
  passed: boolean,
  sentences: { passed: string; failed: string },
): IsolationCheck {
  return { id, title, passed, detail: passed ? sentences.passed : sentences.failed };
}

function unreached(
  facts: ProbeFacts,
  id: 'internet' | 'metadata' | 'host',
  title: string,
  what: string,
): IsolationCheck {
  const tries = facts.reached.filter((target) => target.check === id);
  const reached = tries.filter(({ outcome }) => !UNREACHED.has(outcome));
  return check(id, title, reached.length === 0, {
    passed: `${tries.map(({ address, outcome }) => `${address} ${outcome}`).join(', ') || 'Nothing to try'}.`,
    failed: `${what} answered: ${reached.map(({ address, outcome }) => `${address} (${outcome})`).join(', ')}.`,
  });
}
