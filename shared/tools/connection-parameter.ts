import type { BoundConnection } from '../protocol/integrations.ts';

/** The parameter by which a model says which account a call acts on (the page: Several connections). */
export const CONNECTION_PARAMETER = 'connection';

type Schema = Readonly<Record<string, unknown>>;

/** Gives every connection a label of its own: the second `name` becomes `name (2)`. */
export function distinctLabels(labels: readonly string[]): string[] {
  const wanted = new Set(labels);
  const taken = new Set<string>();
  return labels.map((label) => {
    let candidate = label;
    for (let count = 2; taken.has(candidate) || (candidate !== label && wanted.has(candidate)); count += 1) {
      candidate = `${label} (${count})`;
    }
    taken.add(candidate);
    return candidate;
  });
}

/**
 * A tool's schema with the parameter, where there is more than one connection in its namespace. A parameter
 * of the tool's own of that name gives way.
 */
export function withConnectionParameter(schema: Schema, connections: readonly BoundConnection[]): Schema {
  const accounts = connections.map(({ label, account }) =>
    account === undefined || account === label ? `"${label}"` : `"${label}" is ${account}`,
  );
  const properties = (schema['properties'] ?? {}) as Schema;
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  return {
    ...schema,
    properties: {
      ...properties,
      [CONNECTION_PARAMETER]: {
        type: 'string',
        enum: connections.map(({ label }) => label),
        description: `Which account this acts on: ${accounts.join('; ')}.`,
      },
    },
    required: [...required.filter((name) => name !== CONNECTION_PARAMETER), CONNECTION_PARAMETER],
  };
}

/** Which connection a call means, and its arguments without saying so. */
export type ChosenConnection =
  | {
      readonly ok: true;
      readonly connection: BoundConnection;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | { readonly ok: false; readonly error: string };

/**
 * Reads the parameter and takes it out.
 * @param connections those this tool can use
 * @param isSingle whether the namespace has but one connection, so that there is no parameter
 */
export function chooseConnection(
  input: Readonly<Record<string, unknown>>,
  connections: readonly BoundConnection[],
  isSingle: boolean,
): ChosenConnection {
  const [only] = connections;
  if (isSingle && only !== undefined) return { ok: true, connection: only, input };
  const { [CONNECTION_PARAMETER]: label, ...rest } = input;
  const connection = connections.find((candidate) => candidate.label === label);
  if (connection !== undefined) return { ok: true, connection, input: rest };
  const valid = connections.map((candidate) => JSON.stringify(candidate.label)).join(', ');
  const wrong =
    typeof label === 'string'
      ? `there is no connection ${JSON.stringify(label.slice(0, 100))}`
      : "'connection' is required and must be a text";
  return { ok: false, error: `${wrong}. Valid connections: ${valid || 'none'}.` };
}
