import { Play } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { Dialog } from '#renderer/components/dialog.tsx';
import { Loading } from '#renderer/components/empty-state.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { VaultDoor } from '#renderer/features/vault/index.ts';
import { useApp, useServices } from '#renderer/state/app-context.tsx';
import { useRequest } from '#renderer/state/requests.ts';
import type { ChosenConnections } from '#shared/ipc/connection-routes.ts';
import { toProblem } from '#shared/problem.ts';
import type { RunQuestion } from '../hooks/requirement-sheet.tsx';
import { useAccountsVersion } from '../hooks/use-accounts-version.ts';
import { blockerOf, chosenFor } from '../model/run-choice.ts';
import { RequirementRow } from './requirement-row.tsx';

/** Stands before a run: what the agent may reach, by which accounts, and what is missing. */
export function OpenRequirementSheet({ question, onClose }: { question: RunQuestion; onClose: () => void }) {
  const { agentId, run } = question;
  const [picked, setPicked] = useState<ChosenConnections>({});
  const vault = useApp((state) => state.vault);
  const version = useAccountsVersion(agentId);
  const name = useApp(
    ({ library }) => library?.packages.find((entry) => entry.name === agentId)?.displayName ?? agentId,
  );
  const looked = useRequest(
    'connections.requirements',
    { agentId, chosen: picked },
    { version, keepsPrevious: true },
  );
  const requirements = looked.data ?? question.requirements;
  const used = requirements.integrations.filter(({ status }) => status !== 'inert');
  const blocker =
    vault?.state === 'open' ? blockerOf(requirements, picked) : 'The vault is closed: open it first.';
  const { client, notices } = useServices();
  const start = () => {
    onClose();
    run?.(chosenFor(requirements, picked));
  };
  const keep = () => {
    onClose();
    Promise.all(
      Object.entries(picked).map(([integrationId, connectionIds]) =>
        client.request('connections.choose', { agentId, integrationId, connectionIds }),
      ),
    ).catch((error: unknown) => notices.report(toProblem(error)));
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={run ? `Before ${name} runs` : `Accounts of ${name}`}
      description="What it may reach, and by which accounts. The agent remembers your choice."
      width="max-w-170"
    >
      <div className="min-h-0 space-y-4 overflow-auto px-5 pb-4">
        {looked.isError && <ProblemCard problem={looked.error.problem} />}
        {vault && vault.state !== 'open' && (
          <section aria-label="Vault" className="space-y-3">
            <p className="text-ink-soft">
              Accounts are kept in the vault, and no run can use them until it is open.
            </p>
            <VaultDoor vault={vault} />
          </section>
        )}
        {!looked.data && looked.isPending && <Loading label="Looking up what the agent needs" />}
        <ul aria-label="Integrations of the agent" className="divide-y divide-line border-y border-line">
          {used.map((requirement) => (
            <RequirementRow
              key={requirement.integrationId}
              requirement={requirement}
              chosen={picked[requirement.integrationId] ?? requirement.chosen}
              onChoose={(ids) => setPicked((known) => ({ ...known, [requirement.integrationId]: [...ids] }))}
              onLeave={onClose}
            />
          ))}
        </ul>
      </div>
      <footer className="flex items-center justify-end gap-3 border-t border-line px-5 py-3">
        {blocker !== undefined && <p className="min-w-0 flex-1 text-sm text-ink-soft">{blocker}</p>}
        <Button onClick={onClose}>Cancel</Button>
        {run ? (
          <Button variant="primary" icon={<Play size={14} />} unavailable={blocker} onClick={start}>
            Run
          </Button>
        ) : (
          <Button
            variant="primary"
            unavailable={Object.keys(picked).length === 0 ? 'Nothing has changed.' : undefined}
            onClick={keep}
          >
            Remember the choice
          </Button>
        )}
      </footer>
    </Dialog>
  );
}
