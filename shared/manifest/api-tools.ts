/** Longest key of an authentication method that stands in a tool's name as it is. */
const LONGEST_PLAIN_KEY = 17;

/**
 * The part of a tool's name that tells which authentication method it uses (reference: sidecar,
 * section 3.3). A long key becomes its FNV-1a hash, so that the name stays within its limit.
 */
export function apiToolToken(authKey: string): string {
  return authKey.length <= LONGEST_PLAIN_KEY ? authKey : `h0${fnv1a64(authKey)}`;
}

/** The name of `api_call` or `api_upload` for one of the methods that have it. */
export function apiToolName(
  kind: 'api_call' | 'api_upload',
  authKey: string,
  allKeys: readonly string[],
): string {
  return allKeys.length === 1 ? kind : `${kind}__${apiToolToken(authKey)}`;
}

/**
 * The names a selection may use for a tool of the pair: the call grants the upload and the reverse, and a
 * long key may stand unhashed, as older selections have it.
 */
export function apiToolAliases(authKey: string, allKeys: readonly string[]): string[] {
  const kinds = ['api_call', 'api_upload'] as const;
  return kinds.flatMap((kind) => [
    apiToolName(kind, authKey, allKeys),
    ...(allKeys.length === 1 ? [] : [`${kind}__${authKey}`]),
  ]);
}

/** FNV-1a, 64 bits, of ASCII text: keys have no other characters. */
function fnv1a64(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const character of text) {
    hash ^= BigInt(character.codePointAt(0) ?? 0);
    hash = BigInt.asUintN(64, hash * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, '0');
}
