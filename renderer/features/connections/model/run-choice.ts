import type { IntegrationRequirement, RunRequirements } from '#shared/connections/requirements.ts';
import type { ChosenConnections } from '#shared/ipc/connection-routes.ts';

/** Why a run cannot begin with what is chosen now; undefined when it can. */
export function blockerOf(requirements: RunRequirements, picked: ChosenConnections): string | undefined {
  for (const { integrationId, displayName, status, detail, candidates } of requirements.integrations) {
    if (status === 'inert') continue;
    // Main takes an empty choice for none and falls back; here it means that all were unticked.
    if (candidates.length > 0 && picked[integrationId]?.length === 0)
      return `Choose which account of ${displayName} to use.`;
    if (status !== 'ready') return detail;
  }
  return undefined;
}

/** What a start is given: every account that was seen and left as it is, or picked. */
export function chosenFor(requirements: RunRequirements, picked: ChosenConnections): ChosenConnections {
  return Object.fromEntries(
    requirements.integrations
      .filter(({ status, chosen }) => status === 'ready' && chosen.length > 0)
      .map(({ integrationId, chosen }) => [integrationId, picked[integrationId] ?? chosen]),
  );
}

/** Whether each chosen account of a sign-in works and allows a scope; an account that has ended allows none. */
export function isGranted(
  { candidates }: Pick<IntegrationRequirement, 'candidates'>,
  chosen: readonly string[],
  authKey: string,
  scope: string,
): boolean {
  const own = candidates.filter((one) => one.authKey === authKey && chosen.includes(one.connectionId));
  return (
    own.length > 0 &&
    own.every(({ state, missingScopes }) => state === 'connected' && !missingScopes.includes(scope))
  );
}
