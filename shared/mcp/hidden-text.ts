/**
 * Characters that a person does not see and a model reads: controls, directions of writing, characters of no
 * width, tags, selectors of variants, private use and lone surrogates. Line feed and tab are seen.
 */
const HIDDEN =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class -- these are what is looked for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}\u{F0000}-\u{10FFFF}\uE000-\uF8FF\p{Cs}]/gu;

/**
 * What only a platform writes: the ends of turns in models' own templates, and the sidecar's status lines
 * and addresses. A server that writes them wants to be taken for somebody else.
 */
const FORGED = [
  /<\|[^|<>]{0,60}\|>/g,
  /<\/?(?:system|assistant|human|function_calls|function_results|tool_call|tool_response)(?:\s[^<>]{0,60})?>/gi,
  /\[\/?INST\]|<<\/?SYS>>/gi,
  /\[api_call status=[^\]\n]{0,60}\]/gi,
  /appstrate:\/\/api-response\//gi,
];
/** Times a text is looked through again, since taking one mark out may leave another. */
const MAX_ROUNDS = 8;

/** Whether a text has characters that a person does not see. */
export function hasHiddenText(text: string): boolean {
  return text.search(HIDDEN) !== -1;
}

/**
 * JSON of somebody else's, as it may be put before a model: what is not seen is escaped, and so are marks that
 * only a platform writes. The value stays the same.
 */
export function escapeHidden(json: string): string {
  const seen = json.replaceAll(HIDDEN, (character) =>
    Array.from({ length: character.length }, (_, unit) => escaped(character.charCodeAt(unit))).join(''),
  );
  return FORGED.reduce(
    (rest, mark) => rest.replaceAll(mark, (found) => `${escaped(found.charCodeAt(0))}${found.slice(1)}`),
    seen,
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** A text of somebody else's, as it may be put before a model: what is not seen is gone, and forged marks are too. */
export function cleanText(text: string): string {
  let cleaned = text.replaceAll('\r\n', '\n').replaceAll(HIDDEN, '');
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const next = FORGED.reduce((rest, mark) => rest.replaceAll(mark, ''), cleaned);
    if (next === cleaned) return cleaned;
    cleaned = next;
  }
  // Nested so deep, it can only be meant to get through.
  return cleaned.replaceAll(/[<>[\]|]/g, '').replaceAll(/appstrate:/gi, '');
}
