import { KeyRound, Smartphone } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { Field, Select } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { useEndsNow } from '#renderer/state/use-ends-now.ts';
import { hasEnded, type Connection } from '#shared/connections/connection.ts';
import type { AuthNeeds } from '#shared/connections/requirements.ts';
import type { Problem } from '#shared/problem.ts';
import { impliedScopes } from '#shared/tools/scopes.ts';
import type { ConnectWish } from '../hooks/connect-context.tsx';
import { furtherScopes, scopeRows } from '../model/scope-rows.ts';
import { ScopeList, ScopePicker } from './scope-list.tsx';

/** How a sign-in is to be begun. */
export interface SignInChoice {
  readonly scopes: readonly string[];
  readonly connectionId: string | undefined;
  readonly kind: 'browser' | 'device';
  readonly choosesAccount: boolean;
}

/** What the consent will ask for, for which account, and the button that begins it. */
export function SignInForm({
  wish,
  method,
  service,
  connections,
  added,
  isStarting,
  problem,
  onAdd,
  onStart,
  onSetUp,
}: {
  wish: ConnectWish;
  method: AuthNeeds;
  service: string;
  /** Those of this method. */
  connections: readonly Connection[];
  /** Scopes that the person asks for besides. */
  added: readonly string[];
  isStarting: boolean;
  problem: Problem | undefined;
  onAdd: (added: readonly string[]) => void;
  onStart: (choice: SignInChoice) => void;
  onSetUp: () => void;
}) {
  const id = useId();
  const [account, setAccount] = useState(() => firstAccount(wish, method, connections));
  const connection = connections.find((one) => one.id === account);
  const now = useEndsNow(connections);
  const isOver = connection !== undefined && hasEnded(connection, now);
  const rows = scopeRows(method, {
    needed: wish.scopes ?? [],
    reasons: wish.reasons ?? {},
    added,
    granted: connection?.scopes ?? [],
    isOver,
  });
  const further = furtherScopes(
    method,
    rows.filter(({ value }) => !added.includes(value)),
  );
  const scopes = [...(wish.scopes ?? []), ...added];
  const start = (kind: SignInChoice['kind']) =>
    onStart({
      scopes,
      connectionId: connection?.id,
      kind,
      choosesAccount: connection === undefined && connections.length > 0,
    });
  const lacks = rows.some(({ isGranted }) => !isGranted);
  const verb =
    connection === undefined
      ? `Sign in to ${service}`
      : !isOver && lacks
        ? 'Grant the rest'
        : 'Sign in again';
  return (
    <div className="space-y-4">
      {connections.length > 0 && wish.connectionId === undefined && (
        <Field id={`${id}-account`} label="Account">
          {(attributes) => (
            <Select {...attributes} value={account} onChange={({ target }) => setAccount(target.value)}>
              {connections.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.label}
                </option>
              ))}
              <option value="">Another account</option>
            </Select>
          )}
        </Field>
      )}
      {connection && wish.connectionId !== undefined && (
        <p>
          For the account <strong className="font-semibold">{connection.label}</strong>.
          {connection.accountId !== 'default' && ' Sign in with the same one: another is not taken.'}
        </p>
      )}
      <section aria-label="Scopes">
        <h4 className="mb-1.5 font-medium">What {service} will ask you to allow</h4>
        <ScopeList label="Scopes of the consent" rows={rows} />
        {further.length > 0 && (
          <details className="mt-2">
            <summary className="w-fit text-sm text-ink-soft hover:text-ink">Ask for more</summary>
            <ScopePicker rows={further} added={added} onChange={onAdd} />
          </details>
        )}
      </section>
      {problem && <ProblemCard problem={problem} />}
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          icon={<KeyRound size={14} />}
          busy={isStarting}
          onClick={() => start('browser')}
        >
          {verb}
        </Button>
        {method.hasDeviceFlow && (
          <Button icon={<Smartphone size={14} />} busy={isStarting} onClick={() => start('device')}>
            With a code on another device
          </Button>
        )}
        <Button variant="ghost" className="ml-auto" onClick={onSetUp}>
          {method.client?.isManual ? 'Change the app' : 'Use an app of your own'}
        </Button>
      </div>
    </div>
  );
}

/** The account a wish is for; where it says none, the one that comes closest to what is needed. */
function firstAccount(
  { connectionId, isNew = false, scopes = [] }: ConnectWish,
  method: AuthNeeds,
  connections: readonly Connection[],
): string {
  if (connectionId !== undefined) return connectionId;
  if (isNew) return '';
  const lacking = ({ scopes: granted }: Connection) => {
    const allowed = impliedScopes(method, granted);
    return scopes.filter((scope) => !allowed.has(scope)).length;
  };
  const [closest] = [...connections].sort((one, other) => lacking(one) - lacking(other));
  return closest?.id ?? '';
}
