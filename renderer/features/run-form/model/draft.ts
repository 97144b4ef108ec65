import { isRecord } from '#shared/manifest/plain.ts';
import type { StartedFile } from '#renderer/state/started-runs.ts';
import type { FileField, FormField } from './fields.ts';

/** A file in the form, from the moment it was chosen. */
export interface ChosenFile {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  /** Present once main knows the file; until then it is being handed over. */
  readonly source: StartedFile['source'] | undefined;
  /** 0 to 1 of the way to main. */
  readonly progress: number | undefined;
  readonly error: string | undefined;
}

/** What the person has entered so far, in the form in which it was entered. */
export type Draft =
  | { readonly kind: 'text' | 'number' | 'json'; readonly text: string }
  | { readonly kind: 'boolean'; readonly value: boolean | undefined }
  /** Position of the option, so that values of any type can be chosen. */
  | { readonly kind: 'choice'; readonly option: number | undefined }
  | { readonly kind: 'choices'; readonly options: readonly number[] }
  | { readonly kind: 'list'; readonly items: readonly { readonly id: number; readonly draft: Draft }[] }
  | { readonly kind: 'group'; readonly fields: Readonly<Record<string, Draft>> }
  | { readonly kind: 'variant'; readonly selected: number; readonly drafts: readonly Draft[] }
  | { readonly kind: 'file'; readonly files: readonly ChosenFile[] };

export type DraftOf<K extends Draft['kind']> = Extract<Draft, { kind: K }>;
export type ChangeDraft = (update: (draft: Draft) => Draft) => void;

let nextId = 1;

/** Identity of an entry of a list or a file; entries have no other. */
export function newId(): number {
  return nextId++;
}

/** The form as it first stands: the given value, else the schema's default, else empty. */
export function startDraft(field: FormField, value: unknown = field.default): Draft {
  switch (field.kind) {
    case 'text':
      return { kind: 'text', text: typeof value === 'string' ? value : '' };
    case 'number':
      return { kind: 'number', text: typeof value === 'number' ? String(value) : '' };
    case 'boolean':
      return { kind: 'boolean', value: typeof value === 'boolean' ? value : undefined };
    case 'choice': {
      const option = findOption(field.options, value);
      return { kind: 'choice', option: option === -1 ? undefined : option };
    }
    case 'choices': {
      const values = Array.isArray(value) ? value : [];
      return {
        kind: 'choices',
        options: values.map((entry) => findOption(field.options, entry)).filter((index) => index !== -1),
      };
    }
    case 'list':
      return {
        kind: 'list',
        items: (Array.isArray(value) ? value : []).map((entry: unknown) => ({
          id: newId(),
          draft: startDraft(field.item, entry),
        })),
      };
    case 'group': {
      const values = isRecord(value) ? value : {};
      return {
        kind: 'group',
        fields: Object.fromEntries(
          field.fields.map((inner) => [inner.key, startDraft(inner, values[inner.key])]),
        ),
      };
    }
    case 'variant': {
      const fitting = field.variants.findIndex((variant) => fits(variant.field, value));
      const selected = Math.max(0, fitting);
      return {
        kind: 'variant',
        selected,
        drafts: field.variants.map((variant, index) =>
          startDraft(variant.field, index === fitting ? value : variant.field.default),
        ),
      };
    }
    case 'file':
      return { kind: 'file', files: [] };
    case 'json':
      return { kind: 'json', text: value === undefined ? '' : JSON.stringify(value, null, 2) };
  }
}

/** The form as a group: what {@link startDraft} gives for all its fields. */
export function startForm(
  fields: readonly FormField[],
  values: Readonly<Record<string, unknown>>,
): DraftOf<'group'> {
  return {
    kind: 'group',
    fields: Object.fromEntries(fields.map((field) => [field.key, startDraft(field, values[field.key])])),
  };
}

/** Why a file may not be chosen for a field; `undefined` when it may. */
export function refuseFile(
  field: Pick<FileField, 'accept' | 'maxSize'>,
  file: { name: string; type: string; size: number },
  formatSize: (bytes: number) => string,
): string | undefined {
  if (field.maxSize !== undefined && file.size > field.maxSize)
    return `“${file.name}” has ${formatSize(file.size)}; at most ${formatSize(field.maxSize)} are allowed.`;
  if (field.accept && !accepts(field.accept, file))
    return `“${file.name}” is not one of the kinds allowed: ${field.accept}.`;
  return undefined;
}

/** Whether a file matches a list as HTML's `accept` has it. A file without a known type is let through to main. */
export function accepts(accept: string, file: { name: string; type: string }): boolean {
  const patterns = accept
    .split(',')
    .map((pattern) => pattern.trim().toLowerCase())
    .filter(Boolean);
  if (patterns.length === 0) return true;
  const name = file.name.toLowerCase();
  const type = file.type.toLowerCase();
  return patterns.some((pattern) => {
    if (pattern === '*' || pattern === '*/*') return true;
    if (pattern.startsWith('.')) return name.endsWith(pattern);
    if (type === '') return !patterns.some((other) => other.startsWith('.'));
    return pattern.endsWith('/*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
  });
}

/** Whether a value could have been made by a field, to find the variant it belongs to. */
function fits(field: FormField, value: unknown): boolean {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return findOption(field.options, value) !== -1;
    case 'choices':
    case 'list':
      return Array.isArray(value);
    case 'group':
      if (!isRecord(value)) return false;
      return field.fields.every((inner) => {
        const part = value[inner.key];
        if (part === undefined) return !inner.required;
        return inner.kind !== 'choice' || findOption(inner.options, part) !== -1;
      });
    case 'variant':
      return field.variants.some((variant) => fits(variant.field, value));
    case 'json':
      return value !== undefined;
    case 'file':
      return false;
  }
}

function findOption(options: readonly { value: unknown }[], value: unknown): number {
  const text = JSON.stringify(value);
  return text === undefined ? -1 : options.findIndex((option) => JSON.stringify(option.value) === text);
}
