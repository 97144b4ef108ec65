/** Average characters of a token, as the platform's spill rules assume (reference: sidecar, section 1.15). */
const CHARACTERS_PER_TOKEN = 3.5;

/** Estimated tokens of a text. An estimate only: it undercounts dense JSON by up to a third. */
export function estimateTokens(text: string): number {
  return estimateTokensOfLength(text.length);
}

/** Estimated tokens of a text of so many UTF-16 units. */
export function estimateTokensOfLength(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
