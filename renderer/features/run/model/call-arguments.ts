import { isRecord } from '#shared/manifest/plain.ts';

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
}

/** A call's arguments in the form that shows them best. */
export type ShownArguments =
  | { readonly kind: 'command'; readonly command: string; readonly rest: Record<string, unknown> }
  | { readonly kind: 'content'; readonly path: string; readonly content: string }
  | { readonly kind: 'edits'; readonly path: string; readonly edits: readonly Replacement[] }
  | { readonly kind: 'json'; readonly value: unknown };

/** Chooses the form; arguments that are not what the tool takes are shown as they came. */
export function shownArguments(tool: string, input: unknown): ShownArguments {
  const json: ShownArguments = { kind: 'json', value: input };
  if (!isRecord(input)) return json;
  if (tool === 'bash' && typeof input['command'] === 'string') {
    const { command, ...rest } = input;
    return { kind: 'command', command, rest };
  }
  const { path } = input;
  if (typeof path !== 'string') return json;
  if (tool === 'write' && typeof input['content'] === 'string')
    return { kind: 'content', path, content: input['content'] };
  if (tool === 'edit') {
    const single = isReplacement(input) ? [input] : [];
    const edits = Array.isArray(input['edits']) ? input['edits'] : single;
    if (edits.length > 0 && edits.every(isReplacement)) return { kind: 'edits', path, edits };
  }
  return json;
}

function isReplacement(value: unknown): value is { oldText: string; newText: string } {
  return isRecord(value) && typeof value['oldText'] === 'string' && typeof value['newText'] === 'string';
}
