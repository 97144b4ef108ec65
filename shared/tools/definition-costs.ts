import { estimateTokensOfLength } from './token-estimate.ts';

/**
 * Characters of the definitions that the platform itself offers a model: name, description and schema. A
 * test holds them to within a twentieth of the definitions of Pi and of the sidecar, which are not at hand where an author
 * chooses tools.
 */
export const DEFINITION_CHARACTERS = {
  read: 611,
  write: 357,
  edit: 1106,
  bash: 470,
  grep: 1034,
  find: 594,
  ls: 399,
  run_history: 525,
  recall_memory: 387,
  log: 461,
  note: 554,
  pin: 652,
  publish_file: 672,
  /** Without the schema of the result. */
  output: 233,
  /** Without its name, the name of the service, and its addresses. */
  api_call: 2984,
  /** Without its name, the name of the service, and its protocols. */
  api_upload: 1205,
} as const;
export type CountedTool = keyof typeof DEFINITION_CHARACTERS;

/** Estimated tokens of a definition of the platform, with what it says beyond its fixed part. */
export function definitionTokens(tool: CountedTool, further = ''): number {
  return estimateTokensOfLength(DEFINITION_CHARACTERS[tool] + further.length);
}
