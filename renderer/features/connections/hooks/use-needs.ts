import type { UseQueryResult } from '@tanstack/react-query';
import { useApp } from '#renderer/state/app-context.tsx';
import { useRequest } from '#renderer/state/requests.ts';
import type { IntegrationNeeds } from '#shared/connections/requirements.ts';
import type { ProblemError } from '#shared/problem.ts';

/** What connecting an integration takes; asked for again when its package or its connections have changed. */
export function useNeeds(integrationId: string): UseQueryResult<IntegrationNeeds, ProblemError> {
  const version = useApp(({ library, connections }) => {
    const entry = library?.packages.find(({ name }) => name === integrationId);
    const own = connections?.connections.filter((one) => one.integrationId === integrationId) ?? [];
    return [
      entry && `${entry.updatedAt} ${entry.latestVersion} ${entry.draftVersion}`,
      ...own.map(({ id, updatedAt }) => `${id} ${updatedAt}`),
    ].join('\n');
  });
  return useRequest('connections.describe', { integrationId }, { version, keepsPrevious: true });
}
