import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partSizeFor, UPLOAD_PROTOCOLS, type UploadProtocol } from './upload-protocols.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const size = (protocol: UploadProtocol, wanted: unknown, file: number, cap = 10 * MIB) => {
  const result = partSizeFor(protocol, wanted, file, cap);
  return result.ok ? result.bytes : result.error;
};

describe('parts', () => {
  test.each<[UploadProtocol, unknown, number, number | RegExp]>([
    ['google-resumable', undefined, 20 * MIB, 8 * MIB],
    ['google-resumable', 256 * KIB, 20 * MIB, 256 * KIB],
    ['google-resumable', 256 * KIB + 1, 20 * MIB, /multiple of 262144/],
    ['google-resumable', MIB + 1, MIB, MIB],
    ['google-resumable', 1000, 1000, 1000],
    ['google-resumable', 1000, 1001, /multiple of 262144/],
    ['s3-multipart', undefined, 6 * MIB, 5 * MIB],
    ['s3-multipart', 5 * MIB - 1, 6 * MIB, /at least 5242880/],
    ['s3-multipart', 5 * MIB - 1, 5 * MIB - 1, 5 * MIB - 1],
    ['s3-multipart', 1, 1, 1],
    ['tus', undefined, 100 * MIB, 4 * MIB],
    ['tus', 1, 3, 1],
    ['tus', 7 * MIB, 3, 3],
    ['ms-resumable', undefined, 100 * MIB, 5 * MIB],
    ['ms-resumable', 320 * KIB, 1 * MIB, 320 * KIB],
    ['ms-resumable', 320 * KIB + 1, 1 * MIB, /multiple of 327680/],
    ['ms-resumable', 61 * MIB, 100 * MIB, /multiple|at most/],
    ['ms-resumable', 200 * 320 * KIB, 100 * MIB, /at most 62914560/],
    ['tus', 10 * MIB, 20 * MIB, 10 * MIB],
    ['tus', 10 * MIB + 1, 20 * MIB, /SIDECAR_MAX_REQUEST_BODY_BYTES/],
    ['ms-resumable', 60 * MIB, 100 * MIB, /SIDECAR_MAX_REQUEST_BODY_BYTES/],
    ['tus', 0, 5, /at least 1/],
    ['tus', -1, 5, /at least 1/],
    ['tus', 1.5, 5, /at least 1/],
    ['tus', '5', 5, /at least 1/],
    ['tus', Number.POSITIVE_INFINITY, 5, /at least 1/],
  ])('%s with %s of a file of %i', (protocol, wanted, file, expected) => {
    const pattern = typeof expected === 'number' ? new RegExp(`^${expected}$`) : expected;
    expect(String(size(protocol, wanted, file))).toMatch(pattern);
  });

  test('of no wish are made smaller under a lower cap, where the protocol allows it', () => {
    const limits = MIB + 5;
    expect(size('google-resumable', undefined, 20 * MIB, limits)).toBe(MIB);
    expect(size('ms-resumable', undefined, 20 * MIB, limits)).toBe(3 * 320 * KIB);
    expect(size('s3-multipart', undefined, 20 * MIB, limits)).toMatch(/SIDECAR_MAX_REQUEST_BODY_BYTES/);
  });

  test('that are accepted cover the file and keep to the cap', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...UPLOAD_PROTOCOLS),
        fc.option(fc.integer({ min: -5, max: 64 * MIB }), { nil: undefined }),
        fc.integer({ min: 1, max: 100 * MIB }),
        (protocol, wanted, file) => {
          const result = partSizeFor(protocol, wanted, file, 10 * MIB);
          fc.pre(result.ok);
          expect(result.bytes).toBeGreaterThan(0);
          expect(result.bytes).toBeLessThanOrEqual(Math.min(file, 10 * MIB));
        },
      ),
    );
  });
});
