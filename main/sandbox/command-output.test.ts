import { readFile, rm } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommandOutput } from './command-output.ts';

const NOTICE = /\n\n\[Showing the last (\d+) of (\d+) bytes\. (.*)\]$/;

async function gather(parts: readonly Buffer[]) {
  const output = new CommandOutput();
  for (const part of parts) output.append(part);
  return output.finish();
}

describe('CommandOutput', () => {
  it('gives a short output as it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary' })), async (texts) => {
        expect(await gather(texts.map((text) => Buffer.from(text)))).toBe(
          Buffer.from(texts.join('')).toString(),
        );
      }),
    );
  });

  it('shows the end of a long one and keeps all of it in a file, however it is cut up', async () => {
    const line = '0123456789 éé 🚢\n';
    const whole = Buffer.from(line.repeat(20_000));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1000, max: 200_000 }), async (step) => {
        const parts: Buffer[] = [];
        for (let start = 0; start < whole.length; start += step)
          parts.push(whole.subarray(start, start + step));
        const text = await gather(parts);
        const notice = NOTICE.exec(text);
        const shown = text.slice(0, notice?.index);
        expect(whole.toString().endsWith(shown)).toBe(true);
        // Pi cuts at 50 KB and 2000 lines; what it is given must be below, notice included.
        expect(Buffer.byteLength(text)).toBeLessThan(50 * 1024);
        expect(text.split('\n').length).toBeLessThan(2000);
        expect(notice?.slice(1, 3)).toEqual([`${Buffer.byteLength(shown)}`, `${whole.length}`]);
        const path = notice?.[3]?.replace('Full output: ', '') ?? '';
        expect((await readFile(path)).equals(whole)).toBe(true);
        await rm(path);
      }),
      { numRuns: 8 },
    );
  });

  it('shows as progress the newest bytes, within no character', () => {
    const output = new CommandOutput();
    output.append(Buffer.from('aéé'));
    expect(output.latest(3)).toBe('é');
    expect(output.latest(100)).toBe('aéé');
  });
});
