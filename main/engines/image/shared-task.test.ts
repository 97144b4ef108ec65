import { describe, expect, it } from 'vitest';
import { SharedTask } from './shared-task.ts';

const never = new AbortController().signal;

function controlled(): {
  task: SharedTask<string, number>;
  tell: (progress: number) => void;
  finish: (result: string) => void;
  fail: (error: Error) => void;
  aborted: () => boolean;
} {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let tell: (progress: number) => void = () => undefined;
  let signal: AbortSignal = never;
  const task = new SharedTask<string, number>((given, report) => {
    signal = given;
    tell = report;
    return promise;
  });
  return { task, tell: (n) => tell(n), finish: resolve, fail: reject, aborted: () => signal.aborted };
}

describe('SharedTask', () => {
  it('tells who joins late how far it is, and everyone what follows', async () => {
    const { task, tell, finish } = controlled();
    const early: number[] = [];
    const late: number[] = [];
    const first = task.join(never, (n) => early.push(n));
    tell(1);
    const second = task.join(never, (n) => late.push(n));
    tell(2);
    finish('done');
    expect(await Promise.all([first, second])).toEqual(['done', 'done']);
    expect([early, late]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('goes on for the others when one gives up, and is aborted when the last does', async () => {
    const { task, aborted } = controlled();
    const [one, two] = [new AbortController(), new AbortController()];
    const joined = [one, two].map(({ signal }) => task.join(signal, () => undefined));
    one.abort(new Error('one left'));
    await expect(joined[0]).rejects.toThrow('one left');
    expect(aborted()).toBe(false);
    two.abort(new Error('two left'));
    await expect(joined[1]).rejects.toThrow('two left');
    expect(aborted()).toBe(true);
    expect(task.over).toBe(true);
  });

  it('gives its failure to all, and is over then', async () => {
    const { task, fail } = controlled();
    const joined = [task.join(never, () => undefined), task.join(never, () => undefined)];
    fail(new Error('broken'));
    for (const each of joined) await expect(each).rejects.toThrow('broken');
    expect(task.over).toBe(true);
  });
});
