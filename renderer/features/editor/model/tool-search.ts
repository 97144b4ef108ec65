import type { PlannedTool, ToolSource } from './tool-plan.ts';

/** The sources and tools that have every word of a search; all of them for an empty one. */
export function searchTools(sources: readonly ToolSource[], search: string): readonly ToolSource[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return sources;
  return sources.flatMap((source) => {
    const of = `${source.title} ${source.id} ${source.kind}`;
    const tools = source.tools.filter((tool) => has(`${of} ${textOf(tool)}`, words));
    return tools.length === 0 ? [] : [{ ...source, tools }];
  });
}

function textOf({ id, wireNames, description, scopes }: PlannedTool): string {
  return [id, ...wireNames, description, ...scopes.flatMap((needed) => needed.scopes)].join(' ');
}

function has(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}
