import type { ConnectionState } from '#main/connections/index.ts';
import type { ChosenConnections } from '#shared/ipc/connection-routes.ts';
import { ProblemError } from '#shared/problem.ts';
import { findConnection } from './find-connection.ts';

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
    const found = findConnection(connections, integrationId, name);
    const ids = (chosen[integrationId] ??= []);
    if (!ids.includes(found.id)) ids.push(found.id);
  }
  return chosen;
}

function invalid(option: string): ProblemError {
  return new ProblemError({
    code: 'connection_option_invalid',
    title: 'No such choice',
    detail: `--connection takes integration=label, such as @acme/mail=Work, not "${option}".`,
  });
}
