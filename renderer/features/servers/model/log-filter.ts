import type { ProtocolEntry } from '#shared/ipc/server-routes.ts';

/** Which entries of the log are shown. */
export type LogKind = 'all' | 'calls' | 'notifications' | 'errors' | 'notes';

const KINDS: Record<Exclude<LogKind, 'all'>, (entry: ProtocolEntry) => boolean> = {
  calls: ({ kind }) => kind === 'request' || kind === 'result' || kind === 'error',
  notifications: ({ kind }) => kind === 'notification',
  errors: ({ kind, saysError }) => kind === 'error' || saysError === true,
  notes: ({ kind }) => kind === 'note',
};

/** Entries of a kind whose method or text has all words of the query, the newest first. */
export function filterLog(entries: readonly ProtocolEntry[], kind: LogKind, query: string): ProtocolEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return entries
    .filter((entry) => kind === 'all' || KINDS[kind](entry))
    .filter(({ method, text }) => {
      if (words.length === 0) return true;
      const said = `${method} ${text}`.toLowerCase();
      return words.every((word) => said.includes(word));
    })
    .toReversed();
}

/** How a request went, by its sequence number; one without an answer is under way, or was cancelled. */
export function answersOf(entries: readonly ProtocolEntry[]): ReadonlyMap<number, ProtocolEntry> {
  return new Map(
    entries.flatMap((entry) => (entry.answers === undefined ? [] : [[entry.answers, entry] as const])),
  );
}

/** A message as a person reads it; what was cut is no JSON any more. */
export function prettyText({ text, kind, isCut }: ProtocolEntry): string {
  if (kind === 'note' || isCut) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
