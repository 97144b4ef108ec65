import type { ServerService } from '#main/direct-calls/index.ts';
import type { TopicMessage } from '#shared/ipc/topics.ts';
import { Revision } from './revision.ts';

/** Entries in one message, so that opening a long log blocks neither the carrier nor the page. */
const BATCH_ENTRIES = 200;
/** Characters of messages in one message of the topic. */
const BATCH_CHARACTERS = 2 * 1024 * 1024;

/**
 * The protocol log of a session after the cursor, which is the last sequence number. While somebody follows
 * it, the session counts as shown.
 * @throws ProblemError `server_session_unknown`
 */
export async function* followServerLog(
  servers: ServerService,
  sessionId: string,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<{ cursor: string; data: TopicMessage<'serverLog'> }> {
  const log = servers.log(sessionId);
  // A cursor of another process is of another session, whose id is not known here.
  let sequence = /^\d{1,15}$/.test(after ?? '') ? Number(after) : 0;
  const news = new Revision('');
  using _shown = log.watch();
  const stop = log.onEntry(() => void news.advance());
  try {
    while (!signal.aborted) {
      const seen = news.number;
      const entries = batchOf(log.after(sequence, BATCH_ENTRIES));
      const last = entries.at(-1);
      if (last === undefined) {
        await news.after(seen, signal);
        continue;
      }
      sequence = last.sequence;
      yield { cursor: String(sequence), data: { entries } };
    }
  } finally {
    stop();
  }
}

function batchOf<E extends { readonly text: string }>(entries: readonly E[]): E[] {
  let characters = 0;
  const batch: E[] = [];
  for (const entry of entries) {
    characters += entry.text.length;
    if (batch.length > 0 && characters > BATCH_CHARACTERS) break;
    batch.push(entry);
  }
  return batch;
}
