import { useApp } from '#renderer/state/app-context.tsx';

/** Another text whenever an agent's needs may be met in another way: its package, accounts, choices, the vault. */
export function useAccountsVersion(agentId: string): string {
  return useApp(({ connections, library, vault }) => {
    const entry = library?.packages.find(({ name }) => name === agentId);
    const chosen = Object.entries(connections?.uses ?? {})
      .filter(([, agents]) => agents.includes(agentId))
      .map(([id]) => id);
    return [
      vault?.state,
      entry && `${entry.updatedAt} ${entry.latestVersion} ${entry.draftVersion}`,
      ...(connections?.connections ?? []).map(({ id, updatedAt }) => `${id} ${updatedAt}`),
      ...chosen,
    ].join('\n');
  });
}
