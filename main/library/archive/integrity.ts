import { createHash, timingSafeEqual } from 'node:crypto';

/** Subresource-integrity text of some bytes: `sha256-` and their digest in base64. */
export function integrityOf(bytes: Uint8Array): string {
  return `sha256-${createHash('sha256').update(bytes).digest('base64')}`;
}

/** Whether bytes are those that an integrity text stands for. */
export function hasIntegrity(bytes: Uint8Array, integrity: string): boolean {
  const expected = Buffer.from(integrity);
  const actual = Buffer.from(integrityOf(bytes));
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
