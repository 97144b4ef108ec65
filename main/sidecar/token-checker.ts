import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares in constant time; digests make the lengths equal. */
export function tokenChecker(token: string): (presented: string | undefined) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(token);
  return (presented) => presented !== undefined && timingSafeEqual(digest(presented), expected);
}
