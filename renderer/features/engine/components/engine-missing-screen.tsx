import { RefreshCw } from 'lucide-react';
import { useEffect } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { Spinner } from '#renderer/components/spinner.tsx';
import { useDocumentTitle } from '#renderer/state/use-document-title.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { EngineReport } from '#shared/engines/engine-report.ts';
import { AttemptList } from './attempt-list.tsx';
import { InstallSteps } from './install-steps.tsx';
import { ProcessConsent } from './process-consent.tsx';

/** Stands in place of the first screen while there is nowhere to run an agent. */
export function EngineMissingScreen({ engine, onBrowse }: { engine: EngineReport; onBrowse: () => void }) {
  useDocumentTitle('No container engine');
  const look = useAction('engine.look');
  const { mutate } = look;
  useEffect(() => {
    const onFocus = () => mutate({});
    window.addEventListener('focus', onFocus);
    return () => window.removeEventListener('focus', onFocus);
  }, [mutate]);
  return (
    <main id="content" tabIndex={-1} className="relative flex-1 overflow-auto px-8 py-10 focus:outline-none">
      <div className="mx-auto max-w-220">
        <h1 className="text-2xl font-semibold tracking-[-0.01em]">No container engine answers</h1>
        <p className="mt-2 max-w-150 text-lg text-ink-soft">
          Slipway runs every agent in a throw-away container without network or credentials. For that it needs
          a container engine on this computer.
        </p>
        <p role="status" className="mt-4 flex items-center gap-2 font-medium text-accent">
          <Spinner />
          This page continues by itself when an engine appears.
        </p>
        {/* Consent has a place of its own beside the list; here it would read as the first thing to do. */}
        {engine.problem && engine.state !== 'needs_consent' && (
          <div className="mt-5 max-w-150">
            <ProblemCard problem={engine.problem} tone="caution" />
          </div>
        )}
        <div className="mt-8 grid gap-x-12 gap-y-8 lg:grid-cols-[1fr_20rem]">
          <section aria-label="What was tried">
            <div className="mb-2 flex items-center">
              <h2 className="flex-1 font-semibold">What was tried</h2>
              <Button
                size="small"
                icon={<RefreshCw size={13} />}
                busy={look.isPending}
                onClick={() => look.mutate({})}
              >
                Look again
              </Button>
            </div>
            <AttemptList attempts={engine.attempts} />
          </section>
          <div className="space-y-8">
            <InstallSteps />
            <ProcessConsent process={engine.process} />
            <p className="text-ink-soft">
              Or{' '}
              <button type="button" onClick={onBrowse} className="text-accent underline underline-offset-2">
                look at the agents first
              </button>
              ; only running them waits for an engine.
            </p>
          </div>
        </div>
      </div>
    </main>
  );
}
