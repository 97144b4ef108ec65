import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameGuard } from './frame-guard.ts';

function frame(body: string): Buffer {
  return Buffer.from(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

async function pass(chunks: readonly Buffer[], limit: number): Promise<Buffer> {
  const guard = new FrameGuard(limit);
  const received: Buffer[] = [];
  await pipeline(Readable.from(chunks), guard, async (source) => {
    for await (const chunk of source as AsyncIterable<Buffer>) received.push(chunk);
  });
  return Buffer.concat(received);
}

describe('FrameGuard', () => {
  it('changes nothing of proper messages, wherever the stream was cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ maxLength: 40 })), fc.array(fc.nat(60)), async (bodies, cuts) => {
        const whole = Buffer.concat(bodies.map(frame));
        const chunks: Buffer[] = [];
        let offset = 0;
        for (const cut of cuts) {
          chunks.push(whole.subarray(offset, offset + cut));
          offset += cut;
        }
        chunks.push(whole.subarray(offset));
        expect(await pass(chunks, 1000)).toEqual(whole);
      }),
    );
  });

  it('takes no more until a reader of one message a turn has had its time', async () => {
    const guard = new FrameGuard();
    guard.resume();
    let turns = 0;
    let timer = setImmediate(function count() {
      turns += 1;
      timer = setImmediate(count);
    });
    await new Promise((resolve) => guard.write(Buffer.concat(Array(500).fill(frame('{}'))), resolve));
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(490);
  });

  it.each([
    ['a length beyond the limit', 'Content-Length: 1001\r\n\r\n'],
    ['no length', 'Content-Type: x\r\n\r\n'],
    ['a negative length', 'Content-Length: -5\r\n\r\n'],
    ['plain output of a program', 'hello '.repeat(300)],
  ])('fails on %s before it is gathered', async (_case, text) => {
    await expect(pass([frame('ok'), Buffer.from(text)], 1000)).rejects.toThrow(/message/);
  });
});
