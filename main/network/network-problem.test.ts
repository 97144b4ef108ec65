import { describe, expect, test } from 'vitest';
import { toProblem } from '#shared/problem.ts';
import { networkProblem } from './network-problem.ts';

/** What the HTTP client throws where a name leads nowhere. */
const unresolved = new TypeError('fetch failed', {
  cause: Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }),
});

describe('a name that leads nowhere', () => {
  test('sends whoever tries a service of this computer to a run, and not to the proxy', () => {
    const problem = networkProblem(unresolved, new URL('http://host.docker.internal:9799/v1'), undefined);
    expect(toProblem(problem)).toMatchObject({
      code: 'network_unreachable',
      detail: 'host.docker.internal is the name of this computer inside a run, and no name outside of it.',
      action: expect.stringContaining('Run an agent') as string,
    });
  });

  test('is told with the proxy for any other host', () => {
    const problem = networkProblem(unresolved, new URL('https://api.harbour.example'), undefined);
    expect(toProblem(problem)).toMatchObject({
      detail: 'The name api.harbour.example cannot be resolved.',
      action: expect.stringContaining('proxy') as string,
    });
  });
});
