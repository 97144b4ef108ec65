import { pointerOf } from '#shared/manifest/json-pointer.ts';
import type { StartedFile } from '#renderer/state/started-runs.ts';
import type { Draft, DraftOf } from './draft.ts';
import type { FormField } from './fields.ts';

/** Errors by JSON pointer into the input (RFC 6901). */
export type FormErrors = ReadonlyMap<string, readonly string[]>;

export interface CollectedForm {
  readonly input: Record<string, unknown>;
  readonly files: readonly StartedFile[];
  readonly errors: FormErrors;
  /** The alternative of the schema that the person chose, by pointer. */
  readonly alternatives: ReadonlyMap<string, number>;
  /** Values typed as JSON, by pointer. */
  readonly raw: ReadonlySet<string>;
}

/** The input that the form stands for, and what is wrong with it before any schema is asked. */
export function collectForm(fields: readonly FormField[], form: DraftOf<'group'>): CollectedForm {
  const errors = new Map<string, string[]>();
  const files: StartedFile[] = [];
  const alternatives = new Map<string, number>();
  const raw = new Set<string>();
  const notes: Notes = {
    error: (pointer, error) => void errors.set(pointer, [...(errors.get(pointer) ?? []), error]),
    alternative: (pointer, index) => void alternatives.set(pointer, index),
    raw: (pointer) => void raw.add(pointer),
  };
  const input: Record<string, unknown> = {};
  for (const field of fields) {
    const draft = form.fields[field.key];
    if (!draft) continue;
    const pointer = pointerOf([field.key]);
    if (field.kind === 'file' && draft.kind === 'file') {
      files.push(...collectFiles(field.key, draft));
      const count = draft.files.filter((file) => !file.error).length;
      if (count < field.minFiles)
        notes.error(
          pointer,
          field.minFiles === 1 ? 'Choose a file.' : `Choose at least ${field.minFiles} files.`,
        );
      if (count > field.maxFiles) notes.error(pointer, `At most ${field.maxFiles} can be given.`);
      continue;
    }
    const value = collect(field, draft, pointer, notes);
    if (value !== undefined) input[field.key] = value;
  }
  return { input, files, errors, alternatives, raw };
}

function collectFiles(field: string, draft: DraftOf<'file'>): StartedFile[] {
  return draft.files.flatMap(({ name, size, source, error }) =>
    source && !error ? [{ field, name, size, source }] : [],
  );
}

/** What is to be said of the form besides its value. */
interface Notes {
  error(pointer: string, error: string): void;
  alternative(pointer: string, index: number): void;
  raw(pointer: string): void;
}

/** A field's value; `undefined` when the person left it out, which is an error when it is required. */
function collect(field: FormField, draft: Draft, pointer: string, notes: Notes): unknown {
  const value = readDraft(field, draft, pointer, notes);
  if (value === undefined && field.required) notes.error(pointer, 'This is required.');
  return value === INVALID ? undefined : value;
}

/** Stands for a value that is there but wrong, and reported. */
const INVALID = Symbol('invalid');

function readDraft(field: FormField, draft: Draft, pointer: string, notes: Notes): unknown {
  switch (draft.kind) {
    case 'text':
      return draft.text === '' ? undefined : textValue(field, draft.text);
    case 'number': {
      if (draft.text.trim() === '') return undefined;
      const value = Number(draft.text);
      if (Number.isFinite(value)) return value;
      notes.error(pointer, 'This is not a number.');
      return INVALID;
    }
    case 'boolean':
      return draft.value ?? (field.required ? false : undefined);
    case 'choice':
      return field.kind === 'choice' && draft.option !== undefined
        ? field.options[draft.option]?.value
        : undefined;
    case 'choices': {
      if (field.kind !== 'choices' || (draft.options.length === 0 && !field.required)) return undefined;
      return [...draft.options].sort((a, b) => a - b).map((option) => field.options[option]?.value);
    }
    case 'list': {
      if (field.kind !== 'list' || (draft.items.length === 0 && !field.required)) return undefined;
      return draft.items.map((item, index) => {
        const value = collect(field.item, item.draft, pointer + pointerOf([String(index)]), notes);
        // A hole in a list would move what follows it to a wrong place.
        return value ?? null;
      });
    }
    case 'group': {
      if (field.kind !== 'group') return undefined;
      return collectGroup(field.fields, draft, field.required, pointer, notes);
    }
    case 'variant': {
      const variant = field.kind === 'variant' ? field.variants[draft.selected] : undefined;
      const inner = draft.drafts[draft.selected];
      if (!variant || !inner) return undefined;
      notes.alternative(pointer, variant.index);
      const optional = { ...variant.field, required: field.required };
      return readDraft(optional, inner, pointer, notes);
    }
    case 'json': {
      if (draft.text.trim() === '') return undefined;
      notes.raw(pointer);
      try {
        return JSON.parse(draft.text) as unknown;
      } catch (error) {
        notes.error(
          pointer,
          `This is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.`,
        );
        return INVALID;
      }
    }
    case 'file':
      return undefined;
  }
}

/** An optional group of which nothing was entered is left out, with what it requires. */
function collectGroup(
  fields: readonly FormField[],
  draft: DraftOf<'group'>,
  required: boolean,
  pointer: string,
  notes: Notes,
): unknown {
  const found: [string, string][] = [];
  const entries = fields.flatMap((field) => {
    const part = draft.fields[field.key];
    if (!part) return [];
    const place = pointer + pointerOf([field.key]);
    const value = collect(field, part, place, {
      ...notes,
      error: (at, error) => void found.push([at, error]),
    });
    return value === undefined ? [] : [[field.key, value] as const];
  });
  const entered = entries.some(([key, value]) => !isUntouched(fields, draft, key, value));
  const wrong = found.some(([, error]) => error !== 'This is required.');
  if (!required && !entered && !wrong) return undefined;
  for (const [at, error] of found) notes.error(at, error);
  return Object.fromEntries(entries);
}

/** A required check box counts as `false` without anybody having touched it. */
function isUntouched(
  fields: readonly FormField[],
  draft: DraftOf<'group'>,
  key: string,
  value: unknown,
): boolean {
  const part = draft.fields[key];
  if (part?.kind === 'boolean') return part.value === undefined;
  const field = fields.find((candidate) => candidate.key === key);
  return field?.kind === 'choice' && field.options.length === 1 && value === field.options[0]?.value;
}

/** A date and time as a browser writes it has no zone; JSON Schema wants one. */
function textValue(field: FormField, text: string): string {
  if (field.kind !== 'text' || field.format !== 'date-time') return text;
  if (/(?:Z|[+-]\d\d:\d\d)$/i.test(text)) return text;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}
