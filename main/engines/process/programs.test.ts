import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bubblewrapArguments, isSystemPath } from './bubblewrap.ts';
import { selectDoomed } from './process-tree.ts';
import { programVariables } from './program-variables.ts';

describe('programVariables', () => {
  const own = { home: '/h', temporary: '/t', marker: 'i/1' };

  it('hands on nothing of the app but what programs need to start', () => {
    const secrets = [
      'ANTHROPIC_API_KEY',
      'AWS_SECRET_ACCESS_KEY',
      'NODE_OPTIONS',
      'LD_PRELOAD',
      'SSH_AUTH_SOCK',
    ];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...secrets), fc.string({ minLength: 1 })), (variables) => {
        const given = programVariables({ ...variables, PATH: '/bin' }, own);
        for (const name of secrets) expect(given).not.toHaveProperty(name);
        expect(given['PATH']).toBe('/bin');
      }),
    );
  });

  it("gives a home of its own, never the author's", () => {
    expect(programVariables({ HOME: '/home/ada', TMPDIR: '/tmp' }, own)).toMatchObject({
      HOME: '/h',
      TMPDIR: '/t',
      SLIPWAY_CONTAINER: 'i/1',
    });
  });
});

describe('bubblewrapArguments', () => {
  const options = {
    bubblewrap: { path: 'bwrap', version: '0.8.0', system: ['--ro-bind', '/usr', '/usr'] },
    bindings: [
      { source: '/x/v1', target: '/workspace', readOnly: false },
      { source: '/x/v2', target: '/run/slipway', readOnly: true },
    ],
    variables: { HOME: '/home/agent' },
    userId: 1000,
    home: '/home/agent',
    workingFolder: '/workspace',
    sharesNetwork: false,
    hostname: 'sandbox',
    command: ['/usr/bin/node', 'x.js'],
  };

  it('unshares everything, dies with its parent and clears the environment', () => {
    const given = bubblewrapArguments(options);
    for (const flag of ['--unshare-all', '--die-with-parent', '--clearenv', '--remount-ro'])
      expect(given).toContain(flag);
    expect(given).not.toContain('--share-net');
    expect(given.slice(given.indexOf('--') + 1)).toEqual(['/usr/bin/node', 'x.js']);
  });

  it('lets only the workspace be written', () => {
    const given = bubblewrapArguments(options);
    const writable = given.flatMap((flag, index) => (flag === '--bind' ? [given[index + 2]] : []));
    expect(writable).toEqual(['/workspace']);
  });
});

describe('isSystemPath', () => {
  it.each([
    ['/usr/bin/node', true],
    ['/usr', true],
    ['/usrlocal/node', false],
    ['/home/ada/node', false],
    ['/', false],
  ])('%s: %s', (path, expected) => {
    expect(isSystemPath(path)).toBe(expected);
  });
});

describe('selectDoomed', () => {
  const process = (pid: number, parent: number, marked = false) => ({ pid, parent, marked });

  it('takes the whole tree, and marked ones that left it with all below them', () => {
    const processes = [
      process(1, 0),
      process(10, 1),
      process(11, 10),
      process(12, 11),
      process(20, 1, true),
      process(21, 20),
      process(30, 1),
    ];
    expect(selectDoomed(processes, 10).toSorted((a, b) => a - b)).toEqual([10, 11, 12, 20, 21]);
  });

  it('takes none of the others when the root is gone already', () => {
    expect(selectDoomed([process(1, 0), process(30, 1)], 10)).toEqual([]);
  });
});
