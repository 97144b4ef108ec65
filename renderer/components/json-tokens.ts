export interface JsonToken {
  readonly kind: 'key' | 'string' | 'number' | 'literal' | 'plain';
  readonly text: string;
  /** Offset of its first character. */
  readonly start: number;
}

const pattern = /("(?:[^"\\\n]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

/** Splits JSON text into coloured pieces. Text that is not JSON comes back whole, in plain pieces. */
export function highlightJson(text: string): JsonToken[] {
  const tokens: JsonToken[] = [];
  let end = 0;
  const push = (kind: JsonToken['kind'], from: number, to: number) => {
    if (to > from) tokens.push({ kind, text: text.slice(from, to), start: from });
    end = to;
  };
  for (const match of text.matchAll(pattern)) {
    const [whole, string, colon] = match;
    push('plain', end, match.index);
    if (string === undefined)
      push(/^[tfn]/.test(whole) ? 'literal' : 'number', match.index, match.index + whole.length);
    else push(colon === undefined ? 'string' : 'key', match.index, match.index + string.length);
  }
  push('plain', end, text.length);
  return tokens;
}
