import { createHash } from 'node:crypto';
import type { MemoryService } from '#main/memory/index.ts';
import type { TopicMessage } from '#shared/ipc/topics.ts';
import { Revision } from './revision.ts';

/** Notes that the topic tells; more than an agent may have in all its scopes. */
const TOLD_NOTES = 500;

/** What an agent remembers, whole, whenever it is other than what the cursor stands for. */
export async function* followMemory(
  memory: MemoryService,
  agentId: string,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<{ cursor: string; data: TopicMessage<'memory'> }> {
  const news = new Revision('');
  const stop = memory.onChange((changed) => {
    if (changed === undefined || changed === agentId) news.advance();
  });
  let known = after;
  try {
    while (!signal.aborted) {
      const seen = news.number;
      const data = memory.read(agentId, { limit: TOLD_NOTES });
      const cursor = createHash('sha256').update(JSON.stringify(data)).digest('base64url');
      if (cursor !== known) {
        known = cursor;
        yield { cursor, data };
      }
      await news.after(seen, signal);
    }
  } finally {
    stop();
  }
}
