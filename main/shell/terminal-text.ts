/* eslint-disable-next-line no-control-regex -- control characters are what is looked for */
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g;

/**
 * Text of a model, an agent or a file, safe to print: control characters could move the cursor, change the
 * title or hide what was written before.
 */
export function terminalText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(CONTROL_CHARACTERS, '\uFFFD');
}

/** The beginning of a text on one line. */
export function oneLine(text: string, length: number): string {
  const line = terminalText(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
