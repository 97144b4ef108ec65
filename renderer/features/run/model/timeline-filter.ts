import { isRecord } from '#shared/manifest/plain.ts';
import type { TimelineItem } from '#shared/runs/projection.ts';
import { summarizeCall } from './call-summary.ts';

export const TIMELINE_KINDS = ['delivered', 'tools', 'text', 'notices'] as const;
/** What a person may want to see: what was delivered, the tool calls, the model's text, or notices. */
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

export interface TimelineFilter {
  readonly kinds: readonly TimelineKind[];
  readonly query: string;
}

export const NO_FILTER: TimelineFilter = { kinds: TIMELINE_KINDS, query: '' };

/** The items that pass, with the heading of each turn that still has something under it. */
export function filterTimeline(
  items: readonly TimelineItem[],
  { kinds, query }: TimelineFilter,
): readonly TimelineItem[] {
  if (kinds.length === TIMELINE_KINDS.length && query.trim() === '') return items;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const shown: TimelineItem[] = [];
  let heading: TimelineItem | undefined;
  for (const item of items) {
    if (item.kind === 'turn') {
      heading = item;
      continue;
    }
    if (!kinds.includes(kindOf(item)) || !hasWords(item, words)) continue;
    if (heading) shown.push(heading);
    heading = undefined;
    shown.push(item);
  }
  return shown;
}

function kindOf(item: Exclude<TimelineItem, { kind: 'turn' }>): TimelineKind {
  switch (item.kind) {
    case 'message':
      return 'text';
    case 'call':
      return 'tools';
    case 'log':
    case 'output':
      return 'delivered';
    case 'nudge':
    case 'retry':
    case 'compaction':
    case 'warning':
    case 'end':
      return 'notices';
  }
}

function hasWords(item: TimelineItem, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = searchText(item).toLowerCase();
  return words.every((word) => text.includes(word));
}

function searchText(item: TimelineItem): string {
  switch (item.kind) {
    case 'turn':
      return '';
    case 'message':
      return `${item.text}\n${item.thinking}\n${item.errorMessage ?? ''}`;
    case 'call': {
      const result = item.result?.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      const input = isRecord(item.arguments) ? JSON.stringify(item.arguments) : '';
      return `${item.tool}\n${summarizeCall(item)}\n${input}\n${result ?? ''}`;
    }
    case 'log':
      return `${item.level}\n${item.message}`;
    case 'output':
      return JSON.stringify(item.data) ?? '';
    case 'nudge':
    case 'retry':
      return item.detail;
    case 'compaction':
      return item.reason;
    case 'warning':
      return `${item.problem.title}\n${item.problem.detail}`;
    case 'end':
      return item.status;
  }
}
