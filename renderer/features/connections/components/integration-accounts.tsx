import { LoaderCircle, Plus } from 'lucide-react';
import { Button } from '#renderer/components/button.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { useApp } from '#renderer/state/app-context.tsx';
import { placeLink } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { ConnectFlow } from '#shared/connections/connection.ts';
import { useConnectSheet } from '../hooks/connect-context.tsx';
import { useNeeds } from '../hooks/use-needs.ts';
import { ConnectionRow } from './connection-row.tsx';

/** The accounts at one service, and the sign-ins under way. */
export function IntegrationAccounts({
  integrationId,
  isTitled = false,
}: {
  integrationId: string;
  /** With the integration's name above, as a way to its page. */
  isTitled?: boolean;
}) {
  const needs = useNeeds(integrationId);
  const { open } = useConnectSheet();
  const all = useApp(({ connections }) => connections);
  const connections = (all?.connections ?? []).filter((one) => one.integrationId === integrationId);
  const flows = (all?.flows ?? []).filter(
    ({ integrationId: id, state }) => id === integrationId && (state === 'waiting' || state === 'exchanging'),
  );
  const name = needs.data?.displayName ?? integrationId;
  return (
    <section aria-label={isTitled ? name : 'Accounts'}>
      <div className="mb-1 flex items-end gap-3">
        {isTitled ? (
          <h2 className="min-w-0 flex-1 truncate text-lg font-semibold">
            <a
              className="hover:underline"
              href={placeLink({
                name: 'package',
                kind: 'integration',
                packageName: integrationId,
                tab: 'connections',
              })}
            >
              {name}
            </a>
          </h2>
        ) : (
          <h3 className="flex-1 font-semibold">Accounts</h3>
        )}
        {!needs.isError && needs.data?.auths.length !== 0 && (
          <Button size="small" icon={<Plus size={13} />} onClick={() => open({ integrationId, isNew: true })}>
            {connections.length === 0 ? 'Connect' : 'Add an account'}
          </Button>
        )}
      </div>
      {needs.isError && <ProblemCard problem={needs.error.problem} tone="caution" />}
      {flows.map((flow) => (
        <UnderWay key={flow.id} flow={flow} service={name} />
      ))}
      {connections.length === 0 ? (
        <p className="border-y border-line py-3 text-ink-soft">
          {needs.data?.auths.length === 0
            ? 'This integration needs no account.'
            : 'No account is connected yet.'}
        </p>
      ) : (
        <ul aria-label={`Accounts of ${name}`} className="divide-y divide-line border-y border-line">
          {connections.map((connection) => (
            <ConnectionRow
              key={connection.id}
              connection={connection}
              method={needs.data?.auths.find(({ authKey }) => authKey === connection.authKey)}
              agents={all?.uses[connection.id] ?? []}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

/** A sign-in whose sheet was closed meanwhile. */
function UnderWay({ flow, service }: { flow: ConnectFlow; service: string }) {
  const cancel = useAction('connections.cancel');
  const open = useAction('connections.openAgain');
  return (
    <div role="status" className="mb-2 flex items-center gap-2 rounded-md bg-accent-soft px-3 py-1.5">
      <LoaderCircle size={14} aria-hidden="true" className="shrink-0 animate-spin text-accent" />
      <span className="flex-1">
        A sign-in to {service} waits {flow.kind === 'device' ? 'for its code' : 'in your browser'}.
      </span>
      {flow.state === 'waiting' && (
        <>
          <Button size="small" busy={open.isPending} onClick={() => open.mutate({ flowId: flow.id })}>
            Open the browser again
          </Button>
          <Button size="small" busy={cancel.isPending} onClick={() => cancel.mutate({ flowId: flow.id })}>
            Cancel
          </Button>
        </>
      )}
    </div>
  );
}
