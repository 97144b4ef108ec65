import { ChevronRight, Ellipsis, KeyRound, Pencil, PlugZap, ShieldPlus, Trash2 } from 'lucide-react';
import { useId, useState, type KeyboardEvent } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button, IconButton } from '#renderer/components/button.tsx';
import { classes } from '#renderer/components/classes.ts';
import { ConfirmDialog } from '#renderer/components/dialog.tsx';
import { Input } from '#renderer/components/field.tsx';
import { focusOnMount } from '#renderer/components/focus-on-mount.ts';
import { Menu, type MenuItem } from '#renderer/components/menu.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { formatDateTime, formatQuantity } from '#renderer/format/format.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';
import { useEndsNow } from '#renderer/state/use-ends-now.ts';
import { hasEnded, type Connection } from '#shared/connections/connection.ts';
import type { AuthNeeds, ConnectionTest } from '#shared/connections/requirements.ts';
import type { Problem } from '#shared/problem.ts';
import { useConnectSheet } from '../hooks/connect-context.tsx';
import { describeScope } from '../model/scope-rows.ts';
import { connectionState, methodName } from '../model/words.ts';
import { AgentLinks } from './agent-links.tsx';
import { ScopeRisk } from './scope-list.tsx';
import { TestVerdict } from './test-verdict.tsx';

/** One account at a service: how it does, what it allows, who uses it, and all that can be done with it. */
export function ConnectionRow({
  connection,
  method,
  agents,
}: {
  connection: Connection;
  /** How it was connected; absent when the integration no longer has it, or is not known yet. */
  method: AuthNeeds | undefined;
  /** Agents that chose it. */
  agents: readonly string[];
}) {
  const id = useId();
  const now = useEndsNow([connection]);
  const { id: connectionId, integrationId, authKey, authType, label, accountId, scopes } = connection;
  const { open } = useConnectSheet();
  const { notices } = useServices();
  const [isOpen, setIsOpen] = useState(false);
  const [isRenaming, setIsRenaming] = useState(false);
  const [isRemoving, setIsRemoving] = useState(false);
  const [tested, setTested] = useState<ConnectionTest | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const test = useAction('connections.test', { onDone: setTested, onProblem: setProblem });
  const remove = useAction('connections.remove', { onDone: () => notices.say(`${label} was removed`) });
  const { tone, text } = connectionState(connection, now);
  const isOver = hasEnded(connection, now);
  const isOAuth = authType === 'oauth2';
  const renew = () => open({ integrationId, authKey, connectionId });
  const runTest = () => {
    setTested(undefined);
    setProblem(undefined);
    setIsOpen(true);
    test.mutate({ subject: { connectionId } });
  };
  const gone = method === undefined ? 'The integration no longer has this way to connect.' : undefined;
  const changes: MenuItem[] = [
    { label: 'Rename', icon: <Pencil size={14} />, takesFocus: true, choose: () => setIsRenaming(true) },
    ...(isOAuth
      ? [{ label: 'Grant more…', icon: <ShieldPlus size={14} />, unavailable: gone, choose: renew }]
      : []),
    {
      label: isOAuth ? 'Sign in again…' : 'Enter anew…',
      icon: <KeyRound size={14} />,
      unavailable: gone,
      choose: renew,
    },
  ];
  return (
    <li aria-label={label} data-connection={connection.state} className="py-2">
      <div className="flex items-center gap-2">
        <IconButton
          size="small"
          label={`Details of ${label}`}
          aria-expanded={isOpen}
          aria-controls={`${id}-details`}
          icon={
            <ChevronRight
              size={14}
              className={classes('transition-transform duration-100', isOpen && 'rotate-90')}
            />
          }
          onClick={() => setIsOpen(!isOpen)}
        />
        <div className="min-w-0 flex-1">
          {isRenaming ? (
            <RenameInput connection={connection} onClose={() => setIsRenaming(false)} />
          ) : (
            <p className="flex flex-wrap items-center gap-x-2">
              <span className="truncate font-medium">{label}</span>
              <Badge tone={tone}>{text}</Badge>
            </p>
          )}
          <p className="flex flex-wrap gap-x-3 text-sm text-ink-faint">
            {accountId !== 'default' && accountId !== label && <span>{accountId}</span>}
            <span>{method ? methodName(method) : authKey}</span>
            {isOAuth && <span>{formatQuantity(scopes.length, 'scope')}</span>}
            <span>
              {agents.length === 0
                ? 'No agent chose it'
                : `Chosen by ${formatQuantity(agents.length, 'agent')}`}
            </span>
          </p>
        </div>
        {isOver && (
          <Button size="small" variant="primary" unavailable={gone} onClick={renew}>
            {isOAuth ? 'Sign in again' : 'Enter anew'}
          </Button>
        )}
        {!isOver && connection.lostScopes.length > 0 && (
          <Button size="small" unavailable={gone} onClick={renew}>
            Grant the rest
          </Button>
        )}
        <Button
          size="small"
          icon={<PlugZap size={13} />}
          busy={test.isPending}
          unavailable={gone}
          onClick={runTest}
        >
          Test
        </Button>
        <Menu
          label={`Actions for ${label}`}
          groups={[
            changes,
            [
              {
                label: 'Remove…',
                icon: <Trash2 size={14} />,
                dangerous: true,
                choose: () => setIsRemoving(true),
              },
            ],
          ]}
        >
          <IconButton size="small" label={`Actions for ${label}`} icon={<Ellipsis size={15} />} />
        </Menu>
      </div>
      <div id={`${id}-details`} hidden={!isOpen} className="mt-2 ml-8 space-y-3">
        {isOpen && (
          <>
            {tested && <TestVerdict result={tested} />}
            {problem && <ProblemCard problem={problem} />}
            <Details connection={connection} isOver={isOver} method={method} agents={agents} />
          </>
        )}
      </div>
      <ConfirmDialog
        open={isRemoving}
        onOpenChange={setIsRemoving}
        title={`Remove ${label}?`}
        confirm="Remove"
        dangerous
        onConfirm={() => remove.mutate({ connectionId })}
      >
        {agents.length > 0 && (
          <div>
            <p>{formatQuantity(agents.length, 'agent')} will have to choose another account:</p>
            <AgentLinks names={agents} />
          </div>
        )}
        <p>
          What it was kept with is deleted from the vault. The service may still list Slipway among its apps:
          end the access there, too, if nobody should have it.
        </p>
      </ConfirmDialog>
    </li>
  );
}

function RenameInput({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const [text, setText] = useState(connection.label);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const rename = useAction('connections.rename', { onDone: onClose, onProblem: setProblem });
  const save = () => {
    if (text.trim() === connection.label) onClose();
    else rename.mutate({ connectionId: connection.id, label: text });
  };
  return (
    <div>
      <Input
        ref={focusOnMount}
        aria-label={`New label of ${connection.label}`}
        aria-invalid={problem !== undefined || undefined}
        className="h-7! max-w-80"
        maxLength={80}
        value={text}
        onChange={({ target }) => {
          setProblem(undefined);
          setText(target.value);
        }}
        onBlur={onClose}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === 'Enter') save();
          if (event.key === 'Escape') onClose();
        }}
      />
      <p className="text-sm text-ink-faint">{problem ? problem.detail : 'Enter saves, Esc leaves it.'}</p>
    </div>
  );
}

function Details({
  connection,
  isOver,
  method,
  agents,
}: {
  connection: Connection;
  isOver: boolean;
  method: AuthNeeds | undefined;
  agents: readonly string[];
}) {
  const { problem, authType, scopes, lostScopes, identity, createdAt, expiresAt, renewable } = connection;
  return (
    <>
      {problem && <ProblemCard problem={problem} tone="caution" />}
      {lostScopes.length > 0 && <Scopes title="No longer granted" values={lostScopes} method={method} />}
      {authType === 'oauth2' && <Scopes title="Granted" values={scopes} method={method} />}
      <dl className="grid grid-cols-[max-content_1fr] gap-x-6 gap-y-1">
        {Object.entries(identity).map(([name, value]) => (
          <Fact key={name} name={name.replaceAll('_', ' ')} value={value} />
        ))}
        <Fact name="Connected" value={formatDateTime(createdAt)} />
        {!renewable && expiresAt !== undefined && (
          <Fact name={isOver ? 'Ended' : 'Ends'} value={formatDateTime(expiresAt)} />
        )}
        {renewable && !isOver && <Fact name="Renewal" value="Slipway renews the access by itself" />}
      </dl>
      {agents.length > 0 && (
        <section aria-label="Chosen by">
          <h4 className="font-medium">Chosen by</h4>
          <AgentLinks names={agents} />
        </section>
      )}
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt className="text-ink-faint first-letter:uppercase">{name}</dt>
      <dd className="wrap-anywhere">{value}</dd>
    </>
  );
}

function Scopes({
  title,
  values,
  method,
}: {
  title: string;
  values: readonly string[];
  method: AuthNeeds | undefined;
}) {
  return (
    <section aria-label={title}>
      <h4 className="font-medium">{title}</h4>
      {values.length === 0 && <p className="text-ink-faint">No scope.</p>}
      <ul className="space-y-0.5">
        {values.map((value) => {
          const { label, risk } = describeScope(method ?? { scopeCatalog: [] }, value);
          return (
            <li key={value} className="flex flex-wrap items-baseline gap-x-3 wrap-anywhere">
              <span>{label}</span>
              {label !== value && <code className="font-mono text-sm text-ink-faint">{value}</code>}
              <ScopeRisk risk={risk} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
