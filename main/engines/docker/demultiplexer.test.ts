import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Demultiplexer } from './demultiplexer.ts';

function frame(stream: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

/** Cuts bytes at the places given, wherever they fall. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

describe('Demultiplexer', () => {
  it('gives back each stream whole, however the frames are cut into chunks', async () => {
    const frames = fc.array(
      fc.record({ stream: fc.constantFrom(0, 1, 2, 3), payload: fc.uint8Array({ maxLength: 40_000 }) }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(frames, fc.array(fc.nat(400_000), { maxLength: 30 }), async (sent, places) => {
        const outputs = new Demultiplexer();
        const wire = Buffer.concat(sent.map(({ stream, payload }) => frame(stream, payload)));
        const [, out, err] = await Promise.all([
          pipeline(Readable.from(cut(wire, places).filter(({ length }) => length > 0)), outputs),
          buffer(outputs.stdout),
          buffer(outputs.stderr),
        ]);
        const expected = (numbers: number[]): Buffer =>
          Buffer.concat(sent.filter(({ stream }) => numbers.includes(stream)).map(({ payload }) => payload));
        expect(out.equals(expected([0, 1]))).toBe(true);
        expect(err.equals(expected([2, 3]))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('takes in no more than its buffers hold while nobody reads', async () => {
    let given = 0;
    const endless = new Readable({
      read() {
        given += 1;
        this.push(frame(1, Buffer.alloc(16 * 1024)));
      },
    });
    const outputs = new Demultiplexer();
    const running = pipeline(endless, outputs).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const bytes = given * 16 * 1024;
    endless.destroy();
    await running;
    expect(bytes).toBeLessThan(512 * 1024);
  });

  it('goes on with one output when the other was given up', async () => {
    const outputs = new Demultiplexer();
    outputs.stderr.destroy();
    const frames = Array.from({ length: 64 }, (_, index) =>
      frame(1 + (index % 2), Buffer.alloc(8192, index)),
    );
    const [out] = await Promise.all([buffer(outputs.stdout), pipeline(Readable.from(frames), outputs)]);
    expect(out.length).toBe(32 * 8192);
  });

  it('breaks both outputs where the bytes are not frames, as of a terminal', async () => {
    const outputs = new Demultiplexer();
    await expect(pipeline(Readable.from([Buffer.from('hello, terminal')]), outputs)).rejects.toThrow(
      /multiplexed/,
    );
    expect(outputs.stdout.destroyed && outputs.stderr.destroyed).toBe(true);
  });

  it('tells a stream that was cut in a frame from one that ended', async () => {
    const outputs = new Demultiplexer();
    outputs.stdout.resume();
    const cutFrame = frame(1, Buffer.from('12345678')).subarray(0, 12);
    await expect(pipeline(Readable.from([cutFrame]), outputs)).rejects.toThrow(/middle of a frame/);
  });
});
