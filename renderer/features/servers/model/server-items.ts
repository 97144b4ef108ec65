import { fieldsOf, type ArgumentField } from '#renderer/features/playground/index.ts';
import type { ServerList, ServerRequest } from '#shared/ipc/server-routes.ts';
import { isRecord } from '#shared/manifest/plain.ts';

/** What a server lists, as the page shows and asks for it. */
export interface ServerItem {
  /** Tells it from the others of its list. */
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly fields: readonly ArgumentField[];
  /** The request for what was typed in. */
  readonly request: (given: Readonly<Record<string, unknown>>) => ServerRequest;
  /** All that the server says of it. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** The items of a list; what has no name or address of its own cannot be asked for and is left out. */
export function itemsOf(list: ServerList, items: readonly Readonly<Record<string, unknown>>[]): ServerItem[] {
  return items.flatMap((raw) => {
    const item = itemOf(list, raw);
    return item ? [item] : [];
  });
}

function itemOf(list: ServerList, raw: Readonly<Record<string, unknown>>): ServerItem | undefined {
  const text = (key: string) => (typeof raw[key] === 'string' ? raw[key] : '');
  const name = text('name');
  const common = { title: text('title') || name, description: text('description'), raw };
  switch (list) {
    case 'tools': {
      if (name === '') return undefined;
      const schema = isRecord(raw['inputSchema']) ? raw['inputSchema'] : {};
      return {
        ...common,
        key: name,
        fields: fieldsOf(schema),
        request: (given) => ({ kind: 'tool', name, arguments: { ...given } }),
      };
    }
    case 'prompts':
      if (name === '') return undefined;
      return {
        ...common,
        key: name,
        fields: promptFields(raw['arguments']),
        request: (given) => ({ kind: 'prompt', name, arguments: textsOf(given) }),
      };
    case 'resources': {
      const uri = text('uri');
      if (uri === '') return undefined;
      return { ...common, key: uri, fields: [], request: () => ({ kind: 'resource', uri }) };
    }
    case 'templates': {
      const template = text('uriTemplate');
      if (template === '') return undefined;
      return {
        ...common,
        key: template,
        fields: variablesOf(template).map((variable) => ({
          kind: 'text',
          name: variable,
          description: '',
          isRequired: true,
        })),
        request: (given) => ({ kind: 'resource', uri: expandTemplate(template, textsOf(given)) }),
      };
    }
  }
}

function promptFields(given: unknown): ArgumentField[] {
  if (!Array.isArray(given)) return [];
  return given.filter(isRecord).flatMap((argument): ArgumentField[] => {
    const { name, description, required } = argument;
    if (typeof name !== 'string' || name === '') return [];
    return [
      {
        kind: 'text',
        name,
        description: typeof description === 'string' ? description : '',
        isRequired: required === true,
      },
    ];
  });
}

function textsOf(given: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g;

/** The variables of an address template (RFC 6570), each once. */
export function variablesOf(template: string): string[] {
  return [
    ...new Set(
      [...template.matchAll(EXPRESSION)].flatMap(([, , names = '']) => names.split(',').map(plainName)),
    ),
  ];
}

/** Fills an address template with texts (RFC 6570, without lists). */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(EXPRESSION, (_, operator: string, names: string) => {
    const encode = operator === '+' || operator === '#' ? encodeURI : encodeURIComponent;
    const parts = names.split(',').flatMap((variable) => {
      const name = plainName(variable);
      const value = values[name];
      if (value === undefined) return [];
      const length = /:(\d+)$/.exec(variable)?.[1];
      const text = encode(length === undefined ? value : value.slice(0, Number(length)));
      return [/[;?&]/.test(operator) ? `${name}=${text}` : text];
    });
    if (parts.length === 0) return '';
    const first = { '': '', '+': '' }[operator] ?? operator;
    const between = /[?&]/.test(operator) ? '&' : /[./;]/.test(operator) ? operator : ',';
    return first + parts.join(between);
  });
}

function plainName(variable: string): string {
  return variable.trim().replace(/(\*|:\d+)$/, '');
}
