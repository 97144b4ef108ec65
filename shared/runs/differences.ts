import { z } from 'zod';
import type { RunEvent, RunEventData } from '../events/run-event.ts';
import { canonicalJson } from '../text/canonical-json.ts';

/** Differences told of two runs; more help nobody. */
const MAX_DIFFERENCES = 50;

/** One place where two runs part. What one of them has not is absent. */
export const runDifferenceSchema = z.object({
  /** `conversation`: messages and calls; `told`: log, output and memory; `files`; `end`. */
  part: z.enum(['conversation', 'told', 'files', 'end']),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});
export type RunDifference = z.infer<typeof runDifferenceSchema>;

type Part = RunDifference['part'];

/**
 * Where a replay came out otherwise than the run it replays, in what matters: what was said, called and
 * answered, what the agent delivered, and how it ended. Times, sizes of steps and names by chance do not.
 */
export function differencesOf(before: readonly RunEvent[], after: readonly RunEvent[]): RunDifference[] {
  const [one, other] = [partsOf(before), partsOf(after)];
  const differences: RunDifference[] = [];
  for (const part of ['conversation', 'told', 'files', 'end'] as const) {
    const [first, second] = [one[part], other[part]];
    for (let index = 0; index < Math.max(first.length, second.length); index += 1) {
      const [was, is] = [first[index], second[index]];
      if (canonicalJson(was) === canonicalJson(is)) continue;
      differences.push({
        part,
        ...(was !== undefined && { before: was }),
        ...(is !== undefined && { after: is }),
      });
      if (differences.length === MAX_DIFFERENCES) return differences;
    }
  }
  return differences;
}

/** What matters of a run, each part in an order of its own: the streams that tell of them keep none together. */
function partsOf(events: readonly RunEvent[]): Record<Part, unknown[]> {
  const parts: Record<Part, unknown[]> = { conversation: [], told: [], files: [], end: [] };
  const files = new Map<string, string>();
  const calls = new Map<string, Record<string, unknown>>();
  for (const { data } of events) {
    if (data.type === 'tool.started') {
      // Calls of one turn end in any order, and their ids may be of chance.
      const call = { tool: data.tool, arguments: data.arguments };
      calls.set(data.callId, call);
      parts.conversation.push(call);
    } else if (data.type === 'tool.ended') {
      const { content, bytes, isError } = data;
      Object.assign(calls.get(data.callId) ?? {}, { content, bytes, isError });
    }
    if (data.type === 'file.kept') files.set(data.path, data.sha256);
    else if (data.type === 'file.removed') files.delete(data.path);
    const matters = matterOf(data);
    if (matters !== undefined) parts[matters[0]].push(matters[1]);
  }
  parts.files = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, sha256]) => ({ path, sha256 }));
  return parts;
}

function matterOf(data: RunEventData): [Part, unknown] | undefined {
  switch (data.type) {
    case 'message.ended':
      return ['conversation', data];
    case 'log.written':
    case 'output.emitted':
    case 'memory.prompted':
    case 'memory.recalled':
    case 'memory.added':
    case 'pinned.set':
    case 'file.published':
      return ['told', data];
    case 'run.ended':
      return ['end', { status: data.status, code: data.problem?.code }];
    default:
      return undefined;
  }
}
