import { Button } from '#renderer/components/button.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { useServices } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { VaultState } from '#shared/ipc/routes.ts';
import { VaultForm } from './vault-form.tsx';

/** Every way into the vault that is open to the author now; nothing while keys are kept and readable. */
export function VaultDoor({ vault }: { vault: VaultState }) {
  const { notices } = useServices();
  const keepInMemory = useAction('vault.keepInMemory');
  const setAside = useAction('vault.setAside', {
    onDone: ({ keptAs }) =>
      notices.say(`The old vault lies beside the new one as ${keptAs}. Enter your keys again.`),
  });
  if (vault.state === 'open' && vault.backend !== 'memory') return null;
  const isUnreadable = vault.state === 'locked' && vault.problem !== undefined;
  return (
    <div className="space-y-4">
      {vault.problem && (
        <ProblemCard problem={vault.problem} tone={isUnreadable ? 'danger' : 'caution'}>
          {isUnreadable && (
            <Button busy={setAside.isPending} onClick={() => setAside.mutate({})}>
              Set it aside and begin anew
            </Button>
          )}
        </ProblemCard>
      )}
      {!isUnreadable && <VaultForm vault={vault} />}
      {vault.state === 'locked' && !isUnreadable && (
        <p className="text-ink-soft">
          Forgotten?{' '}
          <button
            type="button"
            onClick={() => setAside.mutate({})}
            className="text-accent underline underline-offset-2"
          >
            Set the vault aside
          </button>{' '}
          and begin with an empty one. The old file is kept under another name.
        </p>
      )}
      {vault.backend !== 'memory' && (
        <p className="text-ink-soft">
          Or{' '}
          <button
            type="button"
            onClick={() => keepInMemory.mutate({})}
            className="text-accent underline underline-offset-2"
          >
            keep keys in memory only
          </button>
          : nothing is written, and they are gone when Slipway closes.
        </p>
      )}
    </div>
  );
}
