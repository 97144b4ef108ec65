const MAX_NAME_BYTES = 200;

/**
 * Names for a run's input files in the workspace: the person's own names, made safe and distinct.
 * Blanks, quotes and emoji stay; path separators, control characters and leading dots do not.
 */
export function documentNames(originalNames: readonly string[]): string[] {
  const taken = new Set<string>();
  return originalNames.map((original) => {
    const name = safeName(original);
    const { stem, extension } = splitExtension(name);
    let candidate = name;
    for (let copy = 2; taken.has(candidate.toLowerCase()); copy += 1) {
      candidate = `${stem} (${copy})${extension}`;
    }
    taken.add(candidate.toLowerCase());
    return candidate;
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

function splitExtension(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.');
  if (dot <= 0 || Buffer.byteLength(name.slice(dot)) > 20) return { stem: name, extension: '' };
  return { stem: name.slice(0, dot), extension: name.slice(dot) };
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
