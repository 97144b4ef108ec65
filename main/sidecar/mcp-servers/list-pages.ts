import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { z } from 'zod';
import { ProblemError } from '#shared/problem.ts';
import { detached } from './server-link.ts';

/** Pages and items of a list that are read; a server with more wants to exhaust somebody. */
const MAX_PAGES = 100;
const MAX_ITEMS = 1000;
const MAX_LIST_CHARACTERS = 4 * 1024 * 1024;

/** What a server lists, by method; the value names the member of its answers. */
const MEMBERS = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const;

export type ListMethod = keyof typeof MEMBERS;

/** Each item is read on its own, so that one that is malformed takes none with it. */
const pageSchema = z.looseObject({ nextCursor: z.string().optional() });
const itemsSchema = z.array(z.unknown()).default([]);

export interface ListOptions {
  /** Names the server in what a person reads. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** Milliseconds for one page. */
  readonly timeoutMs: number;
}

/**
 * Reads all pages of a list.
 * @throws ProblemError `mcp_list_too_large`, or what the request failed with
 */
export async function listPages(
  client: Client,
  method: ListMethod,
  { name, signal, timeoutMs }: ListOptions,
): Promise<{ readonly items: readonly unknown[]; readonly pages: number }> {
  const items: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let characters = 0;
  let pages = 0;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const page = await detached(signal, (own) =>
      client.request({ method, params }, pageSchema, { signal: own, timeout: timeoutMs }),
    );
    const found = itemsSchema.parse(page[MEMBERS[method]]);
    pages += 1;
    items.push(...found);
    characters += JSON.stringify(found).length;
    cursor = page.nextCursor;
    const repeats = cursor !== undefined && cursors.has(cursor);
    if (
      repeats ||
      cursors.size >= MAX_PAGES ||
      items.length > MAX_ITEMS ||
      characters > MAX_LIST_CHARACTERS
    ) {
      throw tooLarge(name, method);
    }
    if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined);
  return { items, pages };
}

function tooLarge(name: string, method: ListMethod): ProblemError {
  const kind = method === 'resources/templates/list' ? 'templates' : MEMBERS[method];
  return new ProblemError({
    code: 'mcp_list_too_large',
    title: `${name} lists too many ${kind}`,
    detail: `Its list does not end within ${MAX_PAGES} pages, ${MAX_ITEMS} ${kind} or ${MAX_LIST_CHARACTERS / 1024 / 1024} MiB.`,
    action: `Ask whoever runs the server. None of its ${kind} is offered.`,
  });
}
