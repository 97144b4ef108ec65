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

/** The scopes that a run of an integration stands on, held against what the chosen accounts allow. */
export function lackingOf({ candidates }: IntegrationRequirement, chosen: readonly string[]): Set<string> {
  return new Set(
    candidates
      .filter(({ connectionId }) => chosen.includes(connectionId))
      .flatMap(({ missingScopes }) => missingScopes),
  );
}
