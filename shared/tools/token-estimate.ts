/** Average characters of a token, as the platform's spill rules assume (reference: sidecar, section 1.15). */
const CHARACTERS_PER_TOKEN = 3.5;

/** Estimated tokens of a text. An estimate only: it undercounts dense JSON by up to a third. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
