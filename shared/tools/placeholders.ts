/** Stands for what is put into the credential's header. No field's name can begin like it. */
export const CREDENTIAL_PLACEHOLDER = '__appstrate_credential_proxy_token__';

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

/** A text with its placeholders filled, and what could not be filled. */
export interface Filled {
  readonly text: string;
  readonly unresolved: readonly string[];
}

/** Whether a placeholder in the text names one of the fields. */
export function namesField(text: string, fields: Readonly<Record<string, string>>): boolean {
  return [...text.matchAll(PLACEHOLDER)].some(([, name = '']) => Object.hasOwn(fields, name));
}

/** Puts fields in the place of `{{name}}`. What a field holds is not looked into again. */
export function fillPlaceholders(text: string, fields: Readonly<Record<string, string>>): Filled {
  const unresolved: string[] = [];
  const filled = text.replaceAll(PLACEHOLDER, (whole, name: string) => {
    if (Object.hasOwn(fields, name)) return fields[name] ?? '';
    unresolved.push(name);
    return whole;
  });
  return { text: filled, unresolved };
}

/** Fills every text in a JSON value before it is written, so that a quote in a secret breaks nothing. */
export function fillJson(
  value: unknown,
  fields: Readonly<Record<string, string>>,
): { readonly value: unknown; readonly unresolved: readonly string[] } {
  const unresolved: string[] = [];
  const fill = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const filled = fillPlaceholders(part, fields);
      unresolved.push(...filled.unresolved);
      return filled.text;
    }
    if (Array.isArray(part)) return part.map(fill);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, fill(member)]));
  };
  return { value: fill(value), unresolved };
}

/** Models forget the space of `Bearer {{token}}`; a resolved value is never touched like that. */
export function spacedScheme(headerName: string, value: string): string {
  if (!/^(proxy-)?authorization$/i.test(headerName)) return value;
  return value.replace(/^(bearer|basic|token)\{\{/i, '$1 {{');
}
