import { PlugZap, Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { Dialog } from '#renderer/components/dialog.tsx';
import { EmptyState, Loading } from '#renderer/components/empty-state.tsx';
import { Input } from '#renderer/components/field.tsx';
import { PageHeader } from '#renderer/components/page-header.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { VaultDoor } from '#renderer/features/vault/index.ts';
import { formatQuantity } from '#renderer/format/format.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { placeLink } from '#renderer/state/place.ts';
import { useDocumentTitle } from '#renderer/state/use-document-title.ts';
import { useEndsNow } from '#renderer/state/use-ends-now.ts';
import { hasEnded } from '#shared/connections/connection.ts';
import { useConnectSheet } from '../hooks/connect-context.tsx';
import { IntegrationAccounts } from './integration-accounts.tsx';

/** Every account the author has connected, by integration. */
export function ConnectionsScreen() {
  useDocumentTitle('Connections');
  const state = useApp(({ connections }) => connections);
  const failure = useApp(({ failures }) => failures.get('connections'));
  const vault = useApp((app) => app.vault);
  const packages = useApp(({ library }) => library?.packages);
  const [isChoosing, setIsChoosing] = useState(false);
  const now = useEndsNow(state?.connections ?? []);
  const integrations = (packages ?? []).filter(({ type }) => type === 'integration');
  const flowing = (state?.flows ?? []).filter(({ state: at }) => at === 'waiting' || at === 'exchanging');
  const groups = [
    ...new Set([...(state?.connections ?? []), ...flowing].map(({ integrationId }) => integrationId)),
  ].sort((one, other) => nameOf(one).localeCompare(nameOf(other)));
  function nameOf(id: string): string {
    return integrations.find(({ name }) => name === id)?.displayName ?? id;
  }
  const ended = (state?.connections ?? []).filter((one) => hasEnded(one, now)).length;
  return (
    <>
      <PageHeader
        title="Connections"
        subtitle={
          state !== undefined &&
          state.connections.length > 0 &&
          `${formatQuantity(state.connections.length, 'account')} at ${formatQuantity(groups.length, 'service')}${ended > 0 ? `, ${ended} to be signed in again` : ''}`
        }
      >
        {integrations.length > 0 && groups.length > 0 && (
          <Button variant="primary" icon={<Plus size={14} />} onClick={() => setIsChoosing(true)}>
            Connect a service
          </Button>
        )}
      </PageHeader>
      <main
        id="content"
        tabIndex={-1}
        className="relative min-h-0 flex-1 overflow-auto px-6 pb-6 focus:outline-none"
      >
        <div className="space-y-8">
          {failure && <ProblemCard problem={failure} />}
          {vault?.state === 'locked' && groups.length > 0 && (
            <section aria-label="Vault" className="space-y-3">
              <p>
                The vault is locked: the accounts below are kept in it, and no run can use them until it is
                open.
              </p>
              <VaultDoor vault={vault} />
            </section>
          )}
          {!state && !failure && <Loading label="Loading the connections" />}
          {state && groups.length === 0 && (
            <Empty hasIntegrations={integrations.length > 0} onConnect={() => setIsChoosing(true)} />
          )}
          {groups.map((integrationId) => (
            <IntegrationAccounts key={integrationId} integrationId={integrationId} isTitled />
          ))}
        </div>
      </main>
      <Dialog
        open={isChoosing}
        onOpenChange={setIsChoosing}
        title="Connect a service"
        description="Every integration in your library."
      >
        <IntegrationChoice onChosen={() => setIsChoosing(false)} />
      </Dialog>
    </>
  );
}

function Empty({ hasIntegrations, onConnect }: { hasIntegrations: boolean; onConnect: () => void }) {
  return (
    <EmptyState
      icon={<PlugZap size={28} />}
      title="No account is connected yet"
      action={
        hasIntegrations ? (
          <Button variant="primary" icon={<Plus size={14} />} onClick={onConnect}>
            Connect a service
          </Button>
        ) : (
          <a
            href={placeLink({ name: 'library', kind: 'integration' })}
            className="text-accent underline underline-offset-2"
          >
            Add an integration first
          </a>
        )
      }
    >
      <p>
        An integration says how agents call a service. Connect your account there once, and agents use it:
        they ask Slipway for a call, and Slipway adds the credential. No agent ever sees it.
      </p>
      <p className="mt-2">
        You choose before each run which account an agent may use, and with which scopes.
      </p>
    </EmptyState>
  );
}

function IntegrationChoice({ onChosen }: { onChosen: () => void }) {
  const { open } = useConnectSheet();
  const packages = useApp(({ library }) => library?.packages);
  const [search, setSearch] = useState('');
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (packages ?? [])
    .filter(({ type }) => type === 'integration')
    .filter(({ name, displayName, description }) =>
      words.every((word) => `${name} ${displayName} ${description}`.toLowerCase().includes(word)),
    )
    .toSorted((one, other) => one.displayName.localeCompare(other.displayName));
  return (
    <>
      <div className="px-5 pb-3">
        <Input
          type="search"
          aria-label="Find an integration"
          placeholder="Find an integration"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      </div>
      <ul aria-label="Integrations" className="min-h-0 overflow-auto px-3 pb-3">
        {found.map(({ name, displayName, description }) => (
          <li key={name}>
            <button
              type="button"
              className="w-full rounded-md px-2 py-1.5 text-left hover:bg-hover focus-visible:-outline-offset-2"
              onClick={() => {
                onChosen();
                open({ integrationId: name, isNew: true });
              }}
            >
              <span className="font-medium">{displayName}</span>
              <span className="block truncate text-sm text-ink-faint">{description || name}</span>
            </button>
          </li>
        ))}
        {found.length === 0 && (
          <li className="px-2 py-1.5 text-ink-soft">
            None is found.{' '}
            <a
              href={placeLink({ name: 'library', kind: 'integration' })}
              className="text-accent underline underline-offset-2"
              onClick={onChosen}
            >
              Add one from the catalogue
            </a>
          </li>
        )}
      </ul>
    </>
  );
}
