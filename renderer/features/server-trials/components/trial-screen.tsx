import { ChevronLeft, Save } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { ConfirmDialog } from '#renderer/components/dialog.tsx';
import { EmptyState, Loading } from '#renderer/components/empty-state.tsx';
import { PageHeader } from '#renderer/components/page-header.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { ServerPage, useServers } from '#renderer/features/servers/index.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { goTo, placeLink, type Place } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import { useDocumentTitle } from '#renderer/state/use-document-title.ts';
import type { ServerState, ServerTrial } from '#shared/ipc/server-routes.ts';
import { AddressForm } from './address-form.tsx';
import { BundleForm } from './bundle-form.tsx';
import { SaveDialog } from './save-dialog.tsx';

/** MCP servers that are tried before they are in the library. */
export function TrialScreen({ place }: { place: Extract<Place, { name: 'try' }> }) {
  const { state, problem } = useServers();
  const trial = state?.trials.find(({ integrationId }) => integrationId === place.integrationId);
  useDocumentTitle(trial?.displayName ?? 'Try an MCP server');
  if (place.integrationId === undefined) return <Choice state={state} />;
  return trial ? (
    <OneTrial trial={trial} state={state} />
  ) : (
    <>
      <PageHeader title="Try an MCP server" before={<Back />} />
      <main id="content" tabIndex={-1} className="px-6 focus:outline-none">
        {problem && <ProblemCard problem={problem} />}
        {state ? (
          <EmptyState
            title="This server is not tried any more"
            action={<Button onClick={() => goTo({ name: 'try' })}>Try a server</Button>}
          >
            It was saved or forgotten, or Slipway was started again since its bundle was dropped.
          </EmptyState>
        ) : (
          !problem && <Loading label="Loading the server" />
        )}
      </main>
    </>
  );
}

function Back() {
  return (
    <a href={placeLink({ name: 'try' })} className="inline-flex items-center gap-0.5 hover:text-ink">
      <ChevronLeft size={13} aria-hidden="true" />
      Try an MCP server
    </a>
  );
}

function Choice({ state }: { state: ServerState | undefined }) {
  return (
    <>
      <PageHeader
        title="Try an MCP server"
        subtitle="Connect to it and call its tools before anything of it is in your library."
      />
      <main
        id="content"
        tabIndex={-1}
        className="min-h-0 flex-1 space-y-8 overflow-auto px-6 pb-8 focus:outline-none"
      >
        {state && state.trials.length > 0 && (
          <section aria-label="Servers that are tried">
            <h2 className="mb-1 font-semibold">Not saved yet</h2>
            <ul className="max-w-220 divide-y divide-line border-y border-line">
              {state.trials.map((trial) => (
                <li key={trial.integrationId}>
                  <a
                    href={placeLink({ name: 'try', integrationId: trial.integrationId })}
                    className="flex items-baseline gap-3 px-2 py-2 hover:bg-hover"
                  >
                    <span className="font-medium">{trial.displayName}</span>
                    <span className="min-w-0 truncate font-mono text-sm text-ink-soft">{whereOf(trial)}</span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        )}
        <div className="grid max-w-220 grid-cols-2 gap-8">
          <AddressForm taken={state?.trials.map(({ integrationId }) => integrationId) ?? []} />
          <BundleForm />
        </div>
      </main>
    </>
  );
}

function OneTrial({ trial, state }: { trial: ServerTrial; state: ServerState | undefined }) {
  const { notices } = useServices();
  const [asked, setAsked] = useState<'save' | 'forget' | undefined>(undefined);
  const forget = useAction('servers.forget', {
    onDone: () => {
      notices.say(`${trial.displayName} is forgotten, with what was connected for it`);
      goTo({ name: 'try' }, { replace: true });
    },
  });
  const session = state?.sessions.findLast(({ subject }) => subject === trial.integrationId);
  return (
    <>
      <PageHeader
        title={trial.displayName}
        before={<Back />}
        subtitle={<span className="font-mono text-sm wrap-anywhere">{whereOf(trial)}</span>}
      >
        <Button busy={forget.isPending} onClick={() => setAsked('forget')}>
          Forget…
        </Button>
        <Button
          variant="primary"
          icon={<Save size={14} />}
          unavailable={
            session?.state === 'connected'
              ? undefined
              : 'Connect first: it is saved with the tools that the server lists'
          }
          onClick={() => setAsked('save')}
        >
          Save as integration…
        </Button>
      </PageHeader>
      <main id="content" tabIndex={-1} className="min-h-0 flex-1 border-t border-line focus:outline-none">
        <ServerPage subject={trial.integrationId} takesAccounts={trial.source.kind === 'remote'} />
      </main>
      {asked === 'save' && (
        <SaveDialog trial={trial} server={session?.server} onClose={() => setAsked(undefined)} />
      )}
      <ConfirmDialog
        open={asked === 'forget'}
        onOpenChange={(open) => {
          if (!open) setAsked(undefined);
        }}
        title={`Forget ${trial.displayName}?`}
        confirm="Forget"
        dangerous
        onConfirm={() => forget.mutate({ integrationId: trial.integrationId })}
      >
        <p>Its connection is closed, and accounts that were connected for it are removed from the vault.</p>
      </ConfirmDialog>
    </>
  );
}

function whereOf({ source }: ServerTrial): string {
  return source.kind === 'remote' ? source.url : `${source.server} ${source.version}`;
}
