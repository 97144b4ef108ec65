import type { ConnectionState } from '#main/connections/index.ts';
import type { ChosenConnections } from '#shared/ipc/connection-routes.ts';
import { ProblemError } from '#shared/problem.ts';

/** Labels shown to one that named another. */
const SHOWN_LABELS = 20;

/**
 * Finds the connections that `--connection integration=label` names, each by its label, account or id.
 * @throws ProblemError `connection_option_invalid`, `connection_unknown`, `connection_ambiguous`
 */
export function chooseConnections(
  options: readonly string[],
  connections: ConnectionState['connections'],
): ChosenConnections {
  const chosen: Record<string, string[]> = {};
  for (const option of options) {
    const [, integrationId, name] = /^(@[^=/]+\/[^=]+)=(.+)$/s.exec(option) ?? [];
    if (integrationId === undefined || name === undefined) throw invalid(option);
    const own = connections.filter((connection) => connection.integrationId === integrationId);
    // A label is unique among those of an integration; an account may be connected twice.
    const found =
      own.find(({ label, id }) => label === name || id === name) ??
      single(own.filter(({ accountId }) => accountId === name));
    if (found === 'several') throw ambiguous(integrationId, name);
    if (found === undefined) throw unknown(integrationId, name, own);
    const ids = (chosen[integrationId] ??= []);
    if (!ids.includes(found.id)) ids.push(found.id);
  }
  return chosen;
}

function single<T>(found: readonly T[]): T | 'several' | undefined {
  return found.length > 1 ? 'several' : found[0];
}

function invalid(option: string): ProblemError {
  return new ProblemError({
    code: 'connection_option_invalid',
    title: 'No such choice',
    detail: `--connection takes integration=label, such as @acme/mail=Work, not "${option}".`,
  });
}

function ambiguous(integrationId: string, name: string): ProblemError {
  return new ProblemError({
    code: 'connection_ambiguous',
    title: 'More than one account',
    detail: `The account "${name}" of ${integrationId} is connected more than once.`,
    action: 'Name the connection by its label.',
  });
}

function unknown(integrationId: string, name: string, own: ConnectionState['connections']): ProblemError {
  const labels = own.slice(0, SHOWN_LABELS).map(({ label }) => `"${label}"`);
  return new ProblemError({
    code: 'connection_unknown',
    title: 'No such connection',
    detail:
      labels.length === 0
        ? `Nothing of ${integrationId} is connected.`
        : `There is no connection "${name}" of ${integrationId}; there are ${labels.join(', ')}.`,
    action: labels.length === 0 ? 'Connect it in the app first.' : 'Choose one of these.',
  });
}
