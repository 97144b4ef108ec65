import { Plug, Unplug } from 'lucide-react';
import { useId, useState } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { Loading } from '#renderer/components/empty-state.tsx';
import { Select } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { ServerSettings, useConnectSheet } from '#renderer/features/connections/index.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { Connection } from '#shared/connections/connection.ts';
import type { ServerSession } from '#shared/ipc/server-routes.ts';
import type { Problem } from '#shared/problem.ts';
import { useServers } from '../hooks/use-servers.ts';
import { SessionView } from './session-view.tsx';

/** Account to ask a server without any. */
const NONE = '';

/**
 * An MCP server by hand: connects to it, shows what it is and has, calls it, and keeps what is said.
 * @param subject an integration, a server that is tried, or the package of a local server
 */
export function ServerPage({ subject, takesAccounts }: { subject: string; takesAccounts: boolean }) {
  const { state, problem } = useServers();
  const all = useApp(({ connections }) => connections);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  if (problem) return <ProblemCard problem={problem} />;
  if (!state || !all) return <Loading label="Loading the server" />;
  const own = takesAccounts ? all.connections.filter(({ integrationId }) => integrationId === subject) : [];
  const session = state.sessions.findLast((one) => one.subject === subject);
  const account =
    own.find(({ id }) => id === (chosen ?? session?.connectionId)) ?? (chosen === NONE ? undefined : own[0]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Bar
        subject={subject}
        takesAccounts={takesAccounts}
        accounts={own}
        account={account}
        session={session}
        onAccount={setChosen}
      />
      {session && session.state !== 'connecting' ? (
        <SessionView key={session.id} session={session}>
          {session.problem && (
            <SessionProblem subject={subject} problem={session.problem} account={account} />
          )}
        </SessionView>
      ) : (
        <Before subject={subject} session={session} />
      )}
    </div>
  );
}

function Bar({
  subject,
  takesAccounts,
  accounts,
  account,
  session,
  onAccount,
}: {
  subject: string;
  takesAccounts: boolean;
  accounts: readonly Connection[];
  account: Connection | undefined;
  session: ServerSession | undefined;
  onAccount: (id: string) => void;
}) {
  const accountId = useId();
  const { open: openSheet } = useConnectSheet();
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const open = useAction('servers.open', { onProblem: setProblem });
  const close = useAction('servers.close', { onProblem: setProblem });
  const isOpen = session !== undefined && session.state !== 'closed';
  return (
    <div className="shrink-0 space-y-2 border-b border-line px-6 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {takesAccounts && (
          <>
            <label htmlFor={accountId} className="font-medium">
              Account
            </label>
            <Select
              id={accountId}
              className="w-56!"
              value={account?.id ?? NONE}
              onChange={({ target }) => onAccount(target.value)}
            >
              {accounts.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
              <option value={NONE}>No account</option>
            </Select>
            <Button onClick={() => openSheet({ integrationId: subject, isNew: true })}>
              Add an account…
            </Button>
          </>
        )}
        <Identity session={session} />
        <span className="flex-1" />
        {isOpen && (
          <Button
            icon={<Unplug size={14} />}
            busy={close.isPending}
            onClick={() => close.mutate({ sessionId: session.id })}
          >
            {session.state === 'connecting' ? 'Cancel' : 'Disconnect'}
          </Button>
        )}
        <Button
          variant={isOpen ? 'secondary' : 'primary'}
          icon={<Plug size={14} />}
          busy={open.isPending || session?.state === 'connecting'}
          onClick={() => {
            setProblem(undefined);
            open.mutate({ subject, ...(account && { connectionId: account.id }) });
          }}
        >
          {session === undefined ? 'Connect' : isOpen ? 'Connect anew' : 'Connect again'}
        </Button>
      </div>
      {problem && <ProblemCard problem={problem} />}
    </div>
  );
}

function Identity({ session }: { session: ServerSession | undefined }) {
  if (session?.server === undefined) return null;
  const { name, title, version, protocolVersion } = session.server;
  const isConnected = session.state === 'connected';
  return (
    <p role="status" className="flex min-w-0 flex-wrap items-center gap-2">
      <Badge tone={isConnected ? 'success' : 'neutral'}>{isConnected ? 'Connected' : 'Closed'}</Badge>
      <span className="max-w-60 truncate font-medium">{title ?? name}</span>
      <span className="font-mono text-sm text-ink-soft">{version}</span>
      {protocolVersion !== '' && <span className="text-sm text-ink-faint">MCP {protocolVersion}</span>}
    </p>
  );
}

/** Before there is anything to show of the server. */
function Before({ subject, session }: { subject: string; session: ServerSession | undefined }) {
  return (
    <div className="min-h-0 flex-1 space-y-6 overflow-auto px-6 py-5">
      {session?.state === 'connecting' ? (
        <Loading label={session.phase ?? 'Connecting'} />
      ) : (
        <section aria-label="About this page" className="max-w-150 space-y-1 text-ink-soft">
          <h3 className="font-semibold text-ink">Nothing is connected yet</h3>
          <p>
            Connect, and see what the server says of itself, its tools, prompts and resources. You call them
            by hand here, and every message that goes to the server or comes from it is kept in a log. Your
            credentials are put in below that log, so it never has them.
          </p>
        </section>
      )}
      {session?.state !== 'connecting' && (
        <div className="max-w-150">
          <ServerSettings integrationId={subject} />
        </div>
      )}
    </div>
  );
}

/** Why a connection was closed, with what helps. */
function SessionProblem({
  subject,
  problem,
  account,
}: {
  subject: string;
  problem: Problem;
  account: Connection | undefined;
}) {
  const { open } = useConnectSheet();
  const signIn = () =>
    open({ integrationId: subject, ...(account ? { connectionId: account.id } : { isNew: true }) });
  return (
    <div className="space-y-6">
      <ProblemCard problem={problem}>
        {/^mcp_(sign_in_needed|scopes_missing)$/.test(problem.code) && (
          <Button size="small" onClick={signIn}>
            {account ? `Sign in again as ${account.label}` : 'Connect an account'}
          </Button>
        )}
      </ProblemCard>
      {/^(server_settings|local_server|mcp_server_gone)/.test(problem.code) && (
        <ServerSettings integrationId={subject} />
      )}
    </div>
  );
}
