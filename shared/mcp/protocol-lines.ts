import type { ProtocolEntry } from '../ipc/server-routes.ts';

/** The entries as JSON lines: one object for each, with its message as JSON where it is whole. */
export function exportLines(entries: readonly ProtocolEntry[]): string {
  return entries
    .map(({ text, at, ...entry }) => {
      const facts = { ...entry, at: new Date(at).toISOString() };
      const isMessage = entry.kind !== 'note' && !entry.isCut;
      return `${JSON.stringify({ ...facts, ...(isMessage ? { message: parsed(text) } : { text }) })}\n`;
    })
    .join('');
}

/** What redacting may have made no JSON stays a text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
