import type { IntegrationSource } from '#main/connections/index.ts';
import type { Connection } from '#shared/connections/connection.ts';
import { ProblemError } from '#shared/problem.ts';
import { planRunIntegrations } from '#shared/tools/run-integrations.ts';

/**
 * What all tools of some accounts need of their integrations, as a run would have it.
 * @throws ProblemError `integration_unknown`
 */
export async function planAccounts(
  integrations: IntegrationSource,
  accounts: readonly Connection[],
): Promise<ReturnType<typeof planRunIntegrations>> {
  const choices = await Promise.all(
    [...Map.groupBy(accounts, ({ integrationId }) => integrationId)].map(async ([integrationId, own]) => {
      const integration = await integrations.get(integrationId);
      if (!integration) {
        throw new ProblemError({
          code: 'integration_unknown',
          title: 'This integration cannot be used',
          detail: `${integrationId} is not in the library, or its manifest has errors.`,
        });
      }
      const connections = own.map(({ id, authKey, label, accountId: account }) => ({
        id,
        authKey,
        label,
        account,
      }));
      return { integration, choice: { tools: '*' as const }, connections };
    }),
  );
  return planRunIntegrations(choices);
}
