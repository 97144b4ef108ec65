import { describe, expect, it } from 'vitest';
import { evaluateProbe, type ProbeFacts } from './checks.ts';

const isolated: ProbeFacts = {
  userId: 1000,
  effectiveCapabilities: '0000000000000000',
  boundingCapabilities: '0000000000000000',
  noNewPrivileges: '1',
  seccomp: '2',
  rootWrite: ['EROFS', 'EROFS', 'EROFS'],
  interfaces: [],
  devices: ['lo', 'tunl0', 'sit0'],
  routes: [],
  reached: [
    { check: 'internet', address: '1.1.1.1', outcome: 'ENETUNREACH' },
    { check: 'metadata', address: '169.254.169.254', outcome: 'ENETUNREACH' },
    { check: 'host', address: '192.0.2.1', outcome: 'EHOSTUNREACH' },
  ],
  resolved: [{ name: 'example.com', outcome: 'EAI_AGAIN' }],
  sidecar: 'connected',
  sidecarWrite: 'EROFS',
  engineSocket: [],
};

const failed = (facts: Partial<ProbeFacts>, gvisor = false): string[] =>
  evaluateProbe({ ...isolated, ...facts }, { gvisor })
    .filter(({ passed }) => !passed)
    .map(({ id }) => id);

describe('evaluateProbe', () => {
  it('passes a sandbox that keeps every promise', () => {
    expect(failed({})).toEqual([]);
  });

  it.each([
    ['user', { userId: 0 }],
    ['capabilities', { effectiveCapabilities: '00000000a80425fb' }],
    ['capabilities', { boundingCapabilities: '0000000000000001' }],
    ['capabilities', { effectiveCapabilities: '' }],
    ['privileges', { noNewPrivileges: '0' }],
    ['privileges', { noNewPrivileges: '' }],
    ['system-calls', { seccomp: '0' }],
    ['root', { rootWrite: ['EROFS', 'EACCES', 'EROFS'] }],
    ['root', { rootWrite: ['written'] }],
    ['interfaces', { interfaces: ['eth0'] }],
    ['interfaces', { devices: ['lo', 'eth0'] }],
    ['routes', { routes: ['eth0\t00000000\t010011AC'] }],
    ['names', { resolved: [{ name: 'example.com', outcome: 'resolved' }] }],
    ['sidecar', { sidecar: 'ENOENT' }],
    ['sidecar-mount', { sidecarWrite: 'written' }],
    ['engine', { engineSocket: ['/var/run/docker.sock'] }],
  ] as [string, Partial<ProbeFacts>][])('fails %s alone for %j', (id, facts) => {
    expect(failed(facts)).toEqual([id]);
  });

  it('takes a refused connection for one that arrived', () => {
    for (const outcome of ['ECONNREFUSED', 'connected', 'ECONNRESET'])
      expect(failed({ reached: [{ check: 'host', address: '192.0.2.1', outcome }] })).toEqual(['host']);
  });

  it("does not ask gVisor for Linux's seccomp", () => {
    expect(failed({ seccomp: '0' }, true)).toEqual([]);
  });
});
