import { describe, expect, it } from 'vitest';
import { judge, judgeTimeout, requiredFieldsOf, type VerdictFacts } from './verdict.ts';

const good: VerdictFacts = {
  outcome: { stopReason: 'stop', aborted: false, turns: 3 },
  modelRequests: 3,
  lastModelFailure: undefined,
  modelName: 'Model',
  outputRequired: true,
  hasOutput: true,
  requiredFields: ['rows', 'a/b'],
};

describe('judge', () => {
  it('does not call a run a success that never reached its model', () => {
    expect(judge({ ...good, modelRequests: 0 })).toMatchObject({
      status: 'failed',
      problem: { code: 'model_never_called' },
    });
  });

  it('names the fields of an output that is owed', () => {
    expect(judge({ ...good, hasOutput: false })).toMatchObject({
      status: 'failed',
      problem: {
        code: 'output_missing',
        detail: expect.stringContaining('rows, a/b') as string,
        causes: [{ pointer: '/rows' }, { pointer: '/a~1b' }],
      },
    });
  });

  it('does not hold an earlier, recovered failure of the model against a run that ended well', () => {
    expect(judge({ ...good, lastModelFailure: { status: 429, detail: 'slow down' } }).status).toBe('success');
  });

  it.each([
    [401, 'model_key_refused'],
    [403, 'model_key_refused'],
    [429, 'model_rate_limited'],
    [500, 'model_server_error'],
    [529, 'model_server_error'],
    [0, 'model_failed'],
  ])('tells a provider’s %i apart', (status, code) => {
    const verdict = judge({
      ...good,
      outcome: { stopReason: 'error', aborted: false, errorMessage: 'x', turns: 1 },
      lastModelFailure: { status, detail: 'what it said' },
    });
    expect(verdict.problem?.code).toBe(code);
    expect(verdict.problem?.detail).toContain('what it said');
  });
});

it('takes a key for refused where the provider says so with another status', () => {
  const { problem } = judge({
    ...good,
    outcome: { stopReason: 'error', aborted: false, errorMessage: 'x', turns: 1 },
    lastModelFailure: { status: 400, detail: 'API key not valid.', isKeyRefused: true },
  });
  expect(problem).toMatchObject({
    code: 'model_key_refused',
    detail: expect.stringContaining('400') as string,
  });
});

describe('judgeTimeout', () => {
  it.each([
    [300, 299_400, true],
    [1800, 60_000, true],
    [1800, 59_000, false],
    [10, 5_000, true],
    [10, 4_000, false],
    [300, 0, false],
  ])('of %i s, of which the model kept the last %i ms waiting', (timeoutSeconds, silentMs, isNamed) => {
    const { status, problem } = judgeTimeout({ timeoutSeconds, silentMs, modelName: 'Slow one' });
    expect(status).toBe('timed_out');
    expect(problem?.code).toBe('run_timed_out');
    expect(problem?.detail.includes('Slow one had sent nothing')).toBe(isNamed);
    expect(problem?.detail).toContain(`${timeoutSeconds} seconds`);
  });
});

describe('requiredFieldsOf', () => {
  it('is not misled by a malformed schema', () => {
    expect(requiredFieldsOf({ required: ['a', 1, null] })).toEqual(['a']);
    expect(requiredFieldsOf({ required: 'a' })).toEqual([]);
    expect(requiredFieldsOf(undefined)).toEqual([]);
  });
});
