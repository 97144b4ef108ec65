import { CircleCheck, ExternalLink as OpenIcon, LoaderCircle, RotateCcw } from 'lucide-react';
import { useId, useState, type FormEvent } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { CopyButton } from '#renderer/components/copy-button.tsx';
import { Field, Input } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { formatElapsed } from '#renderer/format/format.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';
import { useNow } from '#renderer/state/use-now.ts';
import type { ConnectFlow } from '#shared/connections/connection.ts';
import type { AuthNeeds } from '#shared/connections/requirements.ts';
import type { Problem } from '#shared/problem.ts';
import { describeScope } from '../model/scope-rows.ts';
import { ScopeRisk } from './scope-list.tsx';

/** A sign-in on its way, or at its end. */
export function FlowView({
  flow,
  method,
  service,
  notOpened,
  onRetry,
  onDone,
}: {
  flow: ConnectFlow;
  method: AuthNeeds;
  service: string;
  notOpened: Problem | undefined;
  /** Begins anew, with the scopes that were asked for. */
  onRetry: () => void;
  onDone: () => void;
}) {
  switch (flow.state) {
    case 'waiting':
      return <Waiting flow={flow} service={service} notOpened={notOpened} />;
    case 'exchanging':
      return (
        <p role="status" className="flex items-center gap-2 py-4">
          <LoaderCircle size={16} aria-hidden="true" className="animate-spin text-accent" />
          {service} sent you back. Slipway fetches the access.
        </p>
      );
    case 'connected':
      return <Connected flow={flow} method={method} service={service} onRetry={onRetry} onDone={onDone} />;
    case 'cancelled':
      return (
        <div className="space-y-3">
          <p role="status">The sign-in was cancelled. Nothing was connected.</p>
          <Button variant="primary" icon={<RotateCcw size={14} />} onClick={onRetry}>
            Sign in again
          </Button>
        </div>
      );
    case 'failed':
    case 'expired':
      return (
        <div role="alert">
          <ProblemCard
            problem={flow.problem ?? UNKNOWN}
            tone={flow.problem?.code === 'oauth_denied' || flow.state === 'expired' ? 'caution' : 'danger'}
          >
            <Button size="small" icon={<RotateCcw size={13} />} onClick={onRetry}>
              Try again
            </Button>
          </ProblemCard>
        </div>
      );
  }
}

const UNKNOWN: Problem = {
  code: 'sign_in_failed',
  title: 'The sign-in did not work',
  detail: 'The service said no reason.',
  action: 'Try again.',
};

function Waiting({
  flow,
  service,
  notOpened,
}: {
  flow: ConnectFlow;
  service: string;
  notOpened: Problem | undefined;
}) {
  const now = useNow(1000);
  const cancel = useAction('connections.cancel');
  const open = useAction('connections.openAgain');
  const address = flow.authorizationUrl ?? flow.verificationUri ?? '';
  const left = formatElapsed(Math.max(0, flow.expiresAt - now));
  return (
    <div className="space-y-4">
      <p role="status" className="flex items-center gap-2">
        <LoaderCircle size={16} aria-hidden="true" className="shrink-0 animate-spin text-accent" />
        {flow.kind === 'device'
          ? `Enter the code at ${service}, on this or another device.`
          : `Go on in your browser: sign in to ${service} there and allow the access.`}
      </p>
      {flow.userCode !== undefined && (
        <div className="flex items-center gap-3">
          <code aria-label="Code to enter" className="font-mono text-2xl font-semibold tracking-widest">
            {flow.userCode}
          </code>
          <CopyButton text={flow.userCode} label="Copy the code" />
          {flow.verificationUri !== undefined && (
            <span className="text-ink-soft wrap-anywhere">at {flow.verificationUri}</span>
          )}
        </div>
      )}
      {notOpened && (
        <ProblemCard
          problem={{
            ...notOpened,
            action: 'Open the address below yourself, in any browser of this computer.',
          }}
          tone="caution"
        />
      )}
      <div className="flex items-center gap-2">
        <Input readOnly aria-label="Address of the sign-in" value={address} className="font-mono text-sm" />
        <CopyButton text={address} label="Copy the address" />
      </div>
      <div className="flex items-center gap-2">
        <Button
          icon={<OpenIcon size={14} />}
          busy={open.isPending}
          onClick={() => open.mutate({ flowId: flow.id })}
        >
          {notOpened ? 'Try to open it' : 'Open the browser again'}
        </Button>
        <Button busy={cancel.isPending} onClick={() => cancel.mutate({ flowId: flow.id })}>
          Cancel
        </Button>
        <span className="ml-auto text-sm text-ink-faint">Waits for {left} more</span>
      </div>
      {flow.kind === 'browser' && <PasteRedirect />}
    </div>
  );
}

/** For a browser on another computer, or a page that could not be reached: the address does the same. */
function PasteRedirect() {
  const id = useId();
  const [address, setAddress] = useState('');
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const paste = useAction('connections.pasteRedirect', {
    onDone: () => setAddress(''),
    onProblem: setProblem,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setProblem(undefined);
    if (address.trim() !== '') paste.mutate({ address });
  };
  return (
    <details>
      <summary className="w-fit text-sm text-ink-soft hover:text-ink">
        The browser ended at a page that cannot be reached
      </summary>
      <form onSubmit={submit} className="mt-2 flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <Field
            id={id}
            label="Address of that page"
            errors={problem ? [[problem.detail, problem.action].filter(Boolean).join(' ')] : []}
          >
            {(attributes) => (
              <Input
                {...attributes}
                autoComplete="off"
                spellCheck={false}
                value={address}
                onChange={({ target }) => setAddress(target.value)}
              />
            )}
          </Field>
        </div>
        <Button type="submit" busy={paste.isPending}>
          Take it
        </Button>
      </form>
    </details>
  );
}

function Connected({
  flow,
  method,
  service,
  onRetry,
  onDone,
}: {
  flow: ConnectFlow;
  method: AuthNeeds;
  service: string;
  onRetry: () => void;
  onDone: () => void;
}) {
  const label = useApp(
    ({ connections }) => connections?.connections.find(({ id }) => id === flow.connectionId)?.label,
  );
  const missing = flow.missingScopes ?? [];
  return (
    <div className="space-y-4">
      <p role="status" className="flex items-center gap-2 font-medium">
        <CircleCheck size={16} aria-hidden="true" className="shrink-0 text-success" />
        {service} is connected{label === undefined ? '' : ` as ${label}`}
        {missing.length > 0 && ', with less than was asked for'}
      </p>
      {missing.length > 0 && (
        <section aria-label="Not granted" className="border-l-2 border-caution bg-caution-soft px-3 py-2.5">
          <h4 className="font-semibold">Not granted</h4>
          <ul className="mt-1 space-y-0.5">
            {missing.map((value) => {
              const scope = describeScope(method, value);
              return (
                <li key={value} className="flex flex-wrap items-baseline gap-x-3">
                  {scope.label}
                  {scope.label !== value && <code className="font-mono text-sm text-ink-soft">{value}</code>}
                  <ScopeRisk risk={scope.risk} />
                </li>
              );
            })}
          </ul>
          <p className="mt-1 text-ink-soft">
            Tools that need these will be refused. The boxes of the consent page may have been unticked.
          </p>
        </section>
      )}
      <div className="flex gap-2">
        <Button variant="primary" onClick={onDone}>
          Done
        </Button>
        {missing.length > 0 && <Button onClick={onRetry}>Ask for them again</Button>}
      </div>
    </div>
  );
}
