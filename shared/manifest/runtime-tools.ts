import { runtimeToolSchema, type RuntimeTool } from '../protocol/sidecar.ts';

/** Ids an author may choose in `runtime_tools`. */
export const RUNTIME_TOOL_IDS = runtimeToolSchema.options;

/** Ids that mean another one today: renamed, and still accepted. */
const RENAMED: ReadonlyMap<string, string> = new Map([['publish_document', 'publish_file']]);

/** Withdrawn ids whose work another tool does. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ['add-memory', 'note'],
  ['add_memory', 'note'],
  ['set-state', 'pin'],
  ['set_state', 'pin'],
]);

/** The id a name stands for today, or undefined when no tool has it. */
export function currentRuntimeTool(id: string): RuntimeTool | undefined {
  const current = RENAMED.get(id) ?? id;
  return RUNTIME_TOOL_IDS.find((tool) => tool === current);
}

/** What does the work of a withdrawn id: another id, or a sentence. */
export function replacementOf(id: string): { readonly id?: string; readonly advice: string } {
  const bare = id.replace(/^@[^/]*\//, '');
  const replacement = currentRuntimeTool(bare) ?? REPLACEMENTS.get(bare);
  if (replacement !== undefined) return { id: replacement, advice: `Use "${replacement}" instead.` };
  if (bare === 'report') {
    return { advice: 'Remove it and let the agent write a file, such as outputs/report.md.' };
  }
  return { advice: `Remove it, or choose one of ${RUNTIME_TOOL_IDS.join(', ')}.` };
}
