import { describe, expect, it } from 'vitest';
import { ModelSilence } from './model-silence.ts';

const response = (body: AsyncIterable<Uint8Array>) => ({ status: 200, headers: {}, body });

function clock() {
  let time = 1000;
  return { now: () => time, pass: (milliseconds: number) => void (time += milliseconds) };
}

describe('the silence of a model', () => {
  it('counts while the head is waited for, the longest of two requests, and no failed one', async () => {
    const { now, pass } = clock();
    const silence = new ModelSilence(now);
    expect(silence.milliseconds).toBe(0);
    const first = Promise.withResolvers<never>();
    const failed = silence.watch(first.promise);
    pass(500);
    const second = silence.watch(new Promise(() => undefined));
    void second;
    pass(70);
    expect(silence.milliseconds).toBe(570);
    first.reject(new Error('refused'));
    await expect(failed).rejects.toThrow('refused');
    expect(silence.milliseconds).toBe(70);
  });

  it('begins anew with each piece, and does not count the time of its reader', async () => {
    const { now, pass } = clock();
    const silence = new ModelSilence(now);
    const next = [Promise.withResolvers<Uint8Array>(), Promise.withResolvers<Uint8Array>()];
    const { body } = await silence.watch(
      Promise.resolve(
        response(
          (async function* () {
            for (const { promise } of next) yield await promise;
          })(),
        ),
      ),
    );
    const reader = body[Symbol.asyncIterator]();
    const piece = reader.next();
    pass(30);
    expect(silence.milliseconds).toBe(30);
    next[0]?.resolve(new Uint8Array([1]));
    expect(await piece).toEqual({ done: false, value: new Uint8Array([1]) });
    pass(10_000);
    expect(silence.milliseconds).toBe(0);
    const last = reader.next();
    pass(4);
    expect(silence.milliseconds).toBe(4);
    next[1]?.resolve(new Uint8Array([2]));
    await last;
    expect(await reader.next()).toEqual({ done: true, value: undefined });
    expect(silence.milliseconds).toBe(0);
  });

  it('lets go of the answer when its reader does', async () => {
    let isLetGo = false;
    const silence = new ModelSilence();
    const { body } = await silence.watch(
      Promise.resolve(
        response(
          (async function* () {
            try {
              for (;;) yield new Uint8Array(1);
            } finally {
              isLetGo = true;
            }
          })(),
        ),
      ),
    );
    for await (const _piece of body) break;
    expect(isLetGo).toBe(true);
  });
});
