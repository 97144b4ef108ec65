import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { PackageArchive } from './package-archive.ts';
import { bufferUpTo } from './bounded-buffer.ts';

const tooLarge = (): Error => new Error('too large');

test('a stream of just the bytes that are allowed is read whole', async () => {
  const stream = Readable.from([Buffer.from('ab'), Buffer.from('cd')]);
  expect(String(await bufferUpTo(stream, 4, tooLarge))).toBe('abcd');
});

test('a stream without end is closed at the first byte too many', async () => {
  let given = 0;
  const endless = (function* () {
    for (;;) {
      given += 1;
      yield Buffer.from('x');
    }
  })();
  const stream = Readable.from(endless, { highWaterMark: 1 });
  await expect(bufferUpTo(stream, 4, tooLarge)).rejects.toThrow('too large');
  expect(stream.destroyed).toBe(true);
  expect(given).toBeLessThan(10);
});

test.skipIf(process.platform === 'win32')('a device is no archive, and fills no memory', async () => {
  await expect(PackageArchive.at('/dev/zero')).rejects.toMatchObject({
    problem: { code: 'archive_too_large' },
  });
});
