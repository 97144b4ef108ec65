import { ShieldOff } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { ConfirmDialog } from '#renderer/components/dialog.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { EngineReport } from '#shared/engines/engine-report.ts';

/** The way to run agents as plain processes, with a plain word on what that means. */
export function ProcessConsent({ process }: { process: EngineReport['process'] }) {
  const [asking, setAsking] = useState(false);
  const consent = useAction('engine.consent');
  return (
    <section aria-label="Running without isolation">
      <h3 className="flex items-center gap-2 font-semibold">
        <ShieldOff size={15} aria-hidden="true" className="text-caution" />
        Run without isolation
      </h3>
      <p className="mt-1 text-ink-soft">
        {process.bubblewrap
          ? 'Agents run as programs on this computer, held in a bubblewrap sandbox that is weaker than a container.'
          : 'Agents run as programs on this computer. They can read your files, use your network, and change what you can change.'}
      </p>
      <div className="mt-2.5">
        {process.consented ? (
          <Button busy={consent.isPending} onClick={() => consent.mutate({ granted: false })}>
            Withdraw consent
          </Button>
        ) : (
          <Button
            unavailable={
              process.available ? undefined : 'The process engine is not available on this computer.'
            }
            busy={consent.isPending}
            onClick={() => setAsking(true)}
          >
            Run without isolation…
          </Button>
        )}
      </div>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Run agents without isolation?"
        confirm="I understand, allow it"
        dangerous
        onConfirm={() => consent.mutate({ granted: true })}
      >
        <p>
          Without a container engine, an agent is a program like any other on this computer. A mistake of the
          model, or a text that misleads it, can delete or send away your files.
        </p>
        <p>
          Allow it only for agents you trust with everything you can reach. You can withdraw this at any time.
        </p>
      </ConfirmDialog>
    </section>
  );
}
