import { useDocumentTitle } from '#renderer/state/use-document-title.ts';
import type { VaultState } from '#shared/ipc/routes.ts';
import { VaultDoor } from './vault-door.tsx';

/** Stands in place of the first screen while the default model's key is locked away. */
export function VaultLockedScreen({ vault, onSkip }: { vault: VaultState; onSkip: () => void }) {
  useDocumentTitle('The vault is locked');
  return (
    <main id="content" tabIndex={-1} className="relative flex-1 overflow-auto px-8 py-10 focus:outline-none">
      <div className="mx-auto max-w-130">
        <h1 className="text-2xl font-semibold tracking-[-0.01em]">The vault is locked</h1>
        <p className="mt-2 mb-6 text-lg text-ink-soft">
          Your model keys are encrypted on this computer. Unlock them to run agents on your default model.
        </p>
        <VaultDoor vault={vault} />
        {!vault.problem && <p className="mt-6 text-ink-soft">{vault.detail}</p>}
        <p className="mt-4 text-ink-soft">
          Or{' '}
          <button type="button" onClick={onSkip} className="text-accent underline underline-offset-2">
            go on without them
          </button>
          : the walkthrough and local models need no key.
        </p>
      </div>
    </main>
  );
}
