import type { Connection } from '#shared/connections/connection.ts';
import { ProblemError } from '#shared/problem.ts';

const SHOWN_LABELS = 20;

/**
 * Finds the connection of an integration that a label, an account or an id names; without a name, the only one.
 * @throws ProblemError `connection_unknown`, `connection_ambiguous`
 */
export function findConnection(
  connections: readonly Connection[],
  integrationId: string,
  name: string | undefined,
): Connection {
  const own = connections.filter((connection) => connection.integrationId === integrationId);
  const exact = own.find(({ label, id }) => label === name || id === name);
  if (exact) return exact;
  // A label is unique among those of an integration; an account may be connected twice.
  const fitting = name === undefined ? own : own.filter(({ accountId }) => accountId === name);
  const [only, ...others] = fitting;
  if (only && others.length === 0) return only;
  if (only) throw ambiguous(integrationId, name, fitting);
  throw unknown(integrationId, name, own);
}

function ambiguous(
  integrationId: string,
  name: string | undefined,
  fitting: readonly Connection[],
): ProblemError {
  return new ProblemError({
    code: 'connection_ambiguous',
    title: 'More than one account',
    detail:
      name === undefined
        ? `${integrationId} has several connections: ${labelsOf(fitting)}.`
        : `The account "${name}" of ${integrationId} is connected more than once.`,
    action: 'Name the connection by its label.',
  });
}

function unknown(integrationId: string, name: string | undefined, own: readonly Connection[]): ProblemError {
  return new ProblemError({
    code: 'connection_unknown',
    title: 'No such connection',
    detail:
      own.length === 0
        ? `Nothing of ${integrationId} is connected.`
        : `There is no connection "${name}" of ${integrationId}; there are ${labelsOf(own)}.`,
    action: own.length === 0 ? `Connect it with "slipway connect ${integrationId}".` : 'Choose one of these.',
  });
}

function labelsOf(connections: readonly Connection[]): string {
  return connections
    .slice(0, SHOWN_LABELS)
    .map(({ label }) => `"${label}"`)
    .join(', ');
}
