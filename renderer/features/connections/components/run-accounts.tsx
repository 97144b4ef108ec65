import { CircleCheck, CircleDashed } from 'lucide-react';
import { Button } from '#renderer/components/button.tsx';
import { useRequest } from '#renderer/state/requests.ts';
import type { IntegrationRequirement } from '#shared/connections/requirements.ts';
import { useRequirementDesk } from '../hooks/requirement-sheet.tsx';
import { useAccountsVersion } from '../hooks/use-accounts-version.ts';

/** By which accounts the next run of an agent would reach its services; nothing where it needs none. */
export function RunAccounts({ agentId }: { agentId: string }) {
  const version = useAccountsVersion(agentId);
  const { ask } = useRequirementDesk();
  const { data } = useRequest('connections.requirements', { agentId }, { version, keepsPrevious: true });
  const used = data?.integrations.filter(({ status }) => status !== 'inert') ?? [];
  if (!data || used.length === 0) return null;
  return (
    <section aria-label="Accounts">
      <div className="mb-1 flex items-baseline gap-2">
        <h3 className="font-medium">Accounts</h3>
        <Button
          variant="ghost"
          size="small"
          className="ml-auto"
          onClick={() => ask({ agentId, requirements: data })}
        >
          {data.isReady ? 'Change' : 'Connect and choose'}
        </Button>
      </div>
      <ul className="divide-y divide-line border-y border-line">
        {used.map((requirement) => (
          <li key={requirement.integrationId} className="flex items-baseline gap-2 py-1.5">
            {requirement.status === 'ready' ? (
              <CircleCheck size={13} role="img" aria-label="Ready" className="self-center text-success" />
            ) : (
              <CircleDashed
                size={13}
                role="img"
                aria-label="Not ready"
                className="self-center text-caution"
              />
            )}
            <span>{requirement.displayName}</span>
            <span className="min-w-0 flex-1 truncate text-right text-ink-soft">
              {accountWords(requirement)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function accountWords({ status, detail, candidates, chosen }: IntegrationRequirement): string {
  if (status !== 'ready') return detail;
  return candidates
    .filter(({ connectionId }) => chosen.includes(connectionId))
    .map(({ label }) => label)
    .join(', ');
}
