/** What of a text fits into a number of UTF-8 bytes. */
export interface CutText {
  readonly text: string;
  readonly isCut: boolean;
  /** UTF-8 bytes of the whole text. */
  readonly bytes: number;
}

/** Bytes of a text in UTF-8. A lone surrogate counts as the three bytes of its replacement. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    bytes += unitBytes(text, index);
  }
  return bytes;
}

/** Cuts a text to its first `maxBytes` of UTF-8, never within a character. */
export function cutText(text: string, maxBytes: number): CutText {
  let bytes = 0;
  let end = text.length;
  for (let index = 0; index < text.length; index += 1) {
    bytes += unitBytes(text, index);
    if (bytes > maxBytes && end === text.length) {
      end = index;
    }
  }
  if (bytes <= maxBytes) return { text, isCut: false, bytes };
  const isPairSplit = isHighSurrogate(text.charCodeAt(end - 1)) && isLowSurrogate(text.charCodeAt(end));
  return { text: text.slice(0, isPairSplit ? end - 1 : end), isCut: true, bytes };
}

/** Bytes that one unit adds: a surrogate pair takes four, counted as one and three. */
function unitBytes(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1))) return 1;
  return 3;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
