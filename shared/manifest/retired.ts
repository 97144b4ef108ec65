import { editJson } from './json-edit.ts';
import type { Fix } from './finding.ts';
import { isRecord, itemsOf } from './plain.ts';
import { currentRuntimeTool } from './runtime-tools.ts';

/** Kinds of dependencies that no longer exist. */
const RETIRED_KINDS = ['tools', 'providers'];

/** Ids in a manifest's `runtime_tools` that no tool has any more. */
export function retiredRuntimeTools(manifest: unknown): string[] {
  const chosen = isRecord(manifest) ? itemsOf(manifest['runtime_tools']) : [];
  return chosen.filter((id): id is string => typeof id === 'string' && currentRuntimeTool(id) === undefined);
}

/**
 * The text of a good manifest without what was withdrawn since it was published, so that it can be edited
 * again under the rules of today. All else stays as it was written.
 */
export function withoutRetired(text: string): { readonly text: string; readonly dropped: readonly string[] } {
  const manifest: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
  const edits: Fix['edits'] = [];
  const tools = retiredRuntimeTools(manifest);
  const dropped = tools.map((id) => `runtime_tools: ${id}`);
  if (tools.length > 0 && isRecord(manifest)) {
    const kept = itemsOf(manifest['runtime_tools']).filter((id) => !tools.includes(String(id)));
    edits.push({ pointer: '/runtime_tools', ...(kept.length > 0 ? { value: kept } : { remove: true }) });
  }
  const dependencies = isRecord(manifest) ? manifest['dependencies'] : undefined;
  for (const kind of RETIRED_KINDS) {
    if (!isRecord(dependencies) || !Object.hasOwn(dependencies, kind)) continue;
    edits.push({ pointer: `/dependencies/${kind}`, remove: true });
    dropped.push(`dependencies.${kind}`);
  }
  return { text: edits.length > 0 ? editJson(text, edits) : text, dropped };
}
