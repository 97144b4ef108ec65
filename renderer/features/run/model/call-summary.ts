import { shorten } from '#renderer/format/format.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import type { CallItem } from '#shared/runs/projection.ts';

/** Characters of a call's one line. */
const LIMIT = 200;

/** What a call was asked to do, in one line. */
export function summarizeCall({ tool, arguments: input }: Pick<CallItem, 'tool' | 'arguments'>): string {
  return shorten(oneLine(describe(tool, input)), LIMIT);
}

function describe(tool: string, input: unknown): string {
  if (!isRecord(input)) return input === undefined ? '' : (JSON.stringify(input) ?? '');
  const text = (key: string) => (typeof input[key] === 'string' ? input[key] : '');
  switch (tool) {
    case 'bash':
      return text('command');
    case 'read': {
      const first = typeof input['offset'] === 'number' ? input['offset'] : undefined;
      return first === undefined ? text('path') : `${text('path')} from line ${first}`;
    }
    case 'write': {
      const lines = text('content').split('\n').length;
      return `${text('path')} (${lines} ${lines === 1 ? 'line' : 'lines'})`;
    }
    case 'edit':
      return text('path');
    case 'grep':
    case 'find':
      return [text('pattern'), text('path') && `in ${text('path')}`].filter(Boolean).join(' ');
    case 'ls':
      return text('path') || '.';
    case 'log':
      return text('message');
    default:
      return Object.entries(input)
        .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : (JSON.stringify(value) ?? '')}`)
        .join(', ');
  }
}

function oneLine(text: string): string {
  return text
    .slice(0, LIMIT * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
}
