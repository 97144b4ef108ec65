import { CircleCheck, CircleDashed, Plus } from 'lucide-react';
import { useId, useState } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { formatQuantity } from '#renderer/format/format.ts';
import { placeLink } from '#renderer/state/place.ts';
import { MAX_CHOSEN_CONNECTIONS } from '#shared/connections/connection.ts';
import type { Candidate, IntegrationRequirement } from '#shared/connections/requirements.ts';
import { reasonText } from '#shared/tools/scope-reason-text.ts';
import type { ConnectWish } from '../hooks/connect-context.tsx';
import { useNeeds } from '../hooks/use-needs.ts';
import { isGranted } from '../model/run-choice.ts';
import { describeScope, type ScopeRow } from '../model/scope-rows.ts';
import { ConnectPanel } from './connect-panel.tsx';
import { ScopeList } from './scope-list.tsx';

/** One integration before a run: its accounts to choose from, what they are for, and connecting in place. */
export function RequirementRow({
  requirement,
  chosen,
  onChoose,
  onLeave,
}: {
  requirement: IntegrationRequirement;
  chosen: readonly string[];
  onChoose: (connectionIds: readonly string[]) => void;
  /** Puts the sheet away, to mend something elsewhere. */
  onLeave: () => void;
}) {
  const { integrationId, displayName, status, detail, candidates, auths, tools } = requirement;
  const [wish, setWish] = useState<ConnectWish | undefined>(undefined);
  const canConnect = auths.length > 0;
  const isReady = status === 'ready' && chosen.length > 0;
  const connect = (change: Partial<ConnectWish> = {}) => {
    const auth =
      auths.find(({ authKey }) => authKey === change.authKey) ?? (auths.length === 1 ? auths[0] : undefined);
    setWish({
      integrationId,
      ...(auth && { authKey: auth.authKey, scopes: auth.neededScopes, reasons: auth.reasons }),
      isNew: change.connectionId === undefined,
      ...change,
    });
  };
  const done = (connectionId: string) => {
    setWish(undefined);
    // A new account is what the run is to use; one that was renewed stays among the chosen.
    if (!chosen.includes(connectionId)) onChoose([connectionId]);
  };
  return (
    <li aria-label={displayName} data-status={status} className="space-y-2.5 py-3">
      <div className="flex items-center gap-2">
        {isReady ? (
          <CircleCheck size={16} role="img" aria-label="Ready" className="shrink-0 text-success" />
        ) : (
          <CircleDashed size={16} role="img" aria-label="Not ready" className="shrink-0 text-caution" />
        )}
        <h3 className="font-semibold">{displayName}</h3>
        <span className="text-sm text-ink-faint">
          {tools === '*' ? 'every tool' : formatQuantity(tools.length, 'tool')}
        </span>
      </div>
      <div className="space-y-2.5 pl-6">
        {!isReady && detail !== '' && <p className="text-caution">{detail}</p>}
        {status === 'integration_not_found' && (
          <a
            href={placeLink({ name: 'library', kind: 'integration' })}
            onClick={onLeave}
            className="text-accent underline underline-offset-2"
          >
            Go to the integrations
          </a>
        )}
        {candidates.length > 0 && (
          <Candidates
            requirement={requirement}
            chosen={chosen}
            onChoose={onChoose}
            onRenew={({ authKey, connectionId }) => connect({ authKey, connectionId })}
          />
        )}
        {wish ? (
          <section aria-label={`Connect ${displayName}`} className="rounded-md border border-line p-4">
            <ConnectPanel wish={wish} onDone={done} />
            <Button variant="ghost" size="small" className="mt-3" onClick={() => setWish(undefined)}>
              Close
            </Button>
          </section>
        ) : (
          canConnect && (
            <Button
              size="small"
              variant={candidates.length === 0 ? 'primary' : 'secondary'}
              icon={<Plus size={13} />}
              onClick={() => connect()}
            >
              {candidates.length === 0 ? `Connect ${displayName}` : 'Another account'}
            </Button>
          )
        )}
        <Reach requirement={requirement} chosen={chosen} />
      </div>
    </li>
  );
}

function Candidates({
  requirement,
  chosen,
  onChoose,
  onRenew,
}: {
  requirement: IntegrationRequirement;
  chosen: readonly string[];
  onChoose: (connectionIds: readonly string[]) => void;
  onRenew: (candidate: Candidate) => void;
}) {
  const id = useId();
  const { displayName, candidates, source, auths } = requirement;
  const isFull = chosen.length >= MAX_CHOSEN_CONNECTIONS;
  return (
    <fieldset>
      <legend className="sr-only">Accounts of {displayName}</legend>
      <ul className="space-y-1">
        {candidates.map((candidate) => {
          const { connectionId, label, accountId, authKey, state, missingScopes } = candidate;
          const isSignIn = auths.find((auth) => auth.authKey === authKey)?.type === 'oauth2';
          const isChosen = chosen.includes(connectionId);
          return (
            <li key={connectionId} className="flex items-center gap-2">
              <input
                id={`${id}-${connectionId}`}
                type="checkbox"
                className="size-3.5"
                checked={isChosen}
                disabled={!isChosen && isFull}
                onChange={({ target }) =>
                  onChoose(
                    target.checked
                      ? [...chosen, connectionId]
                      : chosen.filter((known) => known !== connectionId),
                  )
                }
              />
              <label htmlFor={`${id}-${connectionId}`} className="min-w-0 truncate">
                {label}
                {accountId !== 'default' && accountId !== label && (
                  <span className="ml-2 text-sm text-ink-faint">{accountId}</span>
                )}
              </label>
              {state === 'needs_sign_in' && <Badge tone="danger">Needs a new sign-in</Badge>}
              {state === 'connected' && missingScopes.length > 0 && (
                <Badge tone="caution">Lacks {formatQuantity(missingScopes.length, 'scope')}</Badge>
              )}
              {(state === 'needs_sign_in' || missingScopes.length > 0) && (
                <Button size="small" onClick={() => onRenew(candidate)}>
                  {state === 'connected' ? 'Grant the rest' : isSignIn ? 'Sign in again' : 'Enter anew'}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      <p className="mt-1 text-sm text-ink-faint">
        {source === 'agent' && 'As you chose before. '}
        {candidates.length > 1 &&
          `One, or up to ${MAX_CHOSEN_CONNECTIONS}: with several, the model says for each call which one it means.`}
      </p>
    </fieldset>
  );
}

/** What the agent may do with it: its tools, their scopes, and where calls may go. */
function Reach({ requirement, chosen }: { requirement: IntegrationRequirement; chosen: readonly string[] }) {
  const { integrationId, displayName, status, tools, auths, candidates, source } = requirement;
  const needs = useNeeds(integrationId);
  // What a person has agreed to before need not be read again.
  const [isOpen] = useState(source !== 'agent');
  if (status === 'integration_not_found') return null;
  const used = new Set(
    candidates.filter(({ connectionId }) => chosen.includes(connectionId)).map(({ authKey }) => authKey),
  );
  const shown = used.size > 0 ? auths.filter(({ authKey }) => used.has(authKey)) : auths;
  return (
    <details open={isOpen}>
      <summary className="w-fit text-sm text-ink-soft hover:text-ink">What it may reach</summary>
      <div className="mt-2 space-y-3">
        <p className="text-sm">
          <span className="text-ink-faint">Tools </span>
          <span className="font-mono wrap-anywhere">
            {tools === '*' ? 'all there are' : tools.join('  ') || 'none'}
          </span>
        </p>
        {shown.map(({ authKey, type, requestedScopes, reasons, authorizedUris }) => {
          const catalog = needs.data?.auths.find((auth) => auth.authKey === authKey);
          const rows = requestedScopes.map((value): ScopeRow => ({
            ...describeScope(catalog ?? { scopeCatalog: [] }, value),
            reason: reasonText(reasons[value] ?? []) || 'granted before',
            isGranted: isGranted(requirement, chosen, authKey, value),
          }));
          return (
            <div key={authKey} className="space-y-1.5">
              {authorizedUris.length > 0 && (
                <p className="text-sm">
                  <span className="text-ink-faint">Calls go to </span>
                  <span className="font-mono wrap-anywhere">
                    {authorizedUris.includes('*') ? 'any public address' : authorizedUris.join('  ')}
                  </span>
                </p>
              )}
              {type === 'oauth2' && <ScopeList label={`Scopes of ${displayName}`} rows={rows} />}
            </div>
          );
        })}
      </div>
    </details>
  );
}
