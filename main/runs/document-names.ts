import { freeName, splitExtension } from './free-name.ts';

const MAX_NAME_BYTES = 200;

/**
 * Names for a run's input files in the workspace: the person's own names, made safe and distinct.
 * Blanks, quotes and emoji stay; path separators, control characters and leading dots do not.
 */
export function documentNames(originalNames: readonly string[]): string[] {
  const taken = new Set<string>();
  return originalNames.map((original) => {
    const name = freeName(safeName(original), (candidate) => taken.has(candidate.toLowerCase()));
    taken.add(name.toLowerCase());
    return name;
  });
}

function safeName(original: string): string {
  const last = original.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  // Control, line-separator and bidirectional-override characters could hide what a name really is.
  const visible = last.replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '').trim();
  const name = visible.replace(/^\.+/, '');
  const { stem, extension } = splitExtension(name === '' ? 'file' : name);
  return `${cutToBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(extension))}${extension}`;
}

function cutToBytes(text: string, bytes: number): string {
  let result = '';
  let used = 0;
  for (const character of text.toWellFormed()) {
    used += Buffer.byteLength(character);
    if (used > bytes) break;
    result += character;
  }
  return result;
}
