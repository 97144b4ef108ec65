/** Characters that are coloured without slowing the page down. */
export const COLOURED_CHARACTERS = 20_000;

/** Whether a text is JSON in whole, and small enough to be coloured. */
export function isColouredJson(text: string): boolean {
  if (text.length > COLOURED_CHARACTERS || !/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
