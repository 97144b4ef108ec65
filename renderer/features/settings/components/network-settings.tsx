import { CircleAlert, CircleCheck, PlugZap } from 'lucide-react';
import { useId, useState, type FormEvent } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { Loading } from '#renderer/components/empty-state.tsx';
import { Field, Input, Select } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { VaultDoor } from '#renderer/features/vault/index.ts';
import { formatDuration } from '#renderer/format/format.ts';
import { useApp, useServices } from '#renderer/state/app-context.tsx';
import { useAction, useRequest } from '#renderer/state/requests.ts';
import type { NetworkDescription, NetworkTest } from '#shared/ipc/network-routes.ts';
import type { Problem } from '#shared/problem.ts';
import type { NetworkSettings as Choice } from '#shared/settings/settings.ts';
import { CertificateSettings } from './certificate-settings.tsx';
import { SidecarLimits } from './sidecar-limits.tsx';

/** An address that answers from nearly everywhere. */
const TEST_ADDRESS = 'https://api.github.com/';

/** How the app reaches the internet, and what the sidecar lets through. */
export function NetworkSettings() {
  const choice = useApp(({ settings }) => settings?.network);
  const described = useRequest(
    'network.describe',
    {},
    { version: choice && JSON.stringify(choice), keepsPrevious: true },
  );
  if (described.isError) {
    return (
      <ProblemCard problem={described.error.problem}>
        <Button size="small" onClick={() => void described.refetch()}>
          Try again
        </Button>
      </ProblemCard>
    );
  }
  if (!choice || !described.data) return <Loading label="Loading the network settings" />;
  const refresh = () => void described.refetch();
  return (
    <div className="space-y-9">
      <ProxySettings choice={choice} description={described.data} onLogin={refresh} />
      <CertificateSettings certificates={described.data.certificates} onChange={refresh} />
      <ReachTest />
      <SidecarLimits limits={described.data.limits} problem={described.data.limitsProblem} />
    </div>
  );
}

const MODES: Record<Choice['proxyMode'], string> = {
  system: 'As the system says',
  manual: 'A proxy of my own',
  none: 'No proxy',
};

function ProxySettings({
  choice,
  description,
  onLogin,
}: {
  choice: Choice;
  description: NetworkDescription;
  onLogin: () => void;
}) {
  const id = useId();
  const { notices } = useServices();
  const [draft, setDraft] = useState(choice);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const update = useAction('settings.update', {
    onDone: () => notices.say('The network settings are saved'),
    onProblem: setProblem,
  });
  const { proxyMode, proxyAddress, proxyExceptions } = draft;
  const isManual = proxyMode === 'manual';
  const hasChanged =
    proxyMode !== choice.proxyMode ||
    proxyAddress !== choice.proxyAddress ||
    proxyExceptions !== choice.proxyExceptions;
  const at = (name: string) =>
    (problem?.causes ?? [])
      .filter(({ pointer }) => pointer?.endsWith(`/${name}`))
      .map(({ detail }) => detail);
  const change = (part: Partial<Choice>) => {
    setProblem(undefined);
    setDraft((known) => ({ ...known, ...part }));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setProblem(undefined);
    // The certificates are changed on their own, and may be others than when this page was opened.
    update.mutate({
      network: { ...choice, proxyMode, proxyAddress: proxyAddress.trim(), proxyExceptions },
    });
  };
  return (
    <section aria-label="Proxy" className="space-y-4">
      <div>
        <h3 className="font-semibold">Proxy</h3>
        <p className="text-ink-soft">
          Used by everything: sign-ins, model calls, what agents call, and building the sandbox’s image. It
          loosens no check: agents still reach only the addresses that their integrations allow.
        </p>
      </div>
      <form onSubmit={submit} aria-label="Proxy" className="max-w-120 space-y-3">
        <Field
          id={`${id}-mode`}
          label="Way to the internet"
          help={proxyMode === 'system' ? systemWords(description) : undefined}
        >
          {(attributes) => (
            <Select
              {...attributes}
              value={proxyMode}
              onChange={({ target }) => change({ proxyMode: modeOf(target.value) })}
            >
              {Object.entries(MODES).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {isManual && (
          <>
            <Field
              id={`${id}-address`}
              label="Address of the proxy"
              required
              errors={at('proxyAddress')}
              help="Without user and password: those are kept in the vault, below."
            >
              {(attributes) => (
                <Input
                  {...attributes}
                  placeholder="http://proxy.example.com:3128"
                  autoComplete="off"
                  spellCheck={false}
                  value={proxyAddress}
                  onChange={({ target }) => change({ proxyAddress: target.value })}
                />
              )}
            </Field>
            <Field
              id={`${id}-exceptions`}
              label="Reached without it"
              errors={at('proxyExceptions')}
              help="Hosts with all below them, parted by commas: example.com, 10.0.0.5, host:8080. This computer always is."
            >
              {(attributes) => (
                <Input
                  {...attributes}
                  placeholder=".corp.example, 10.0.0.5"
                  autoComplete="off"
                  spellCheck={false}
                  value={proxyExceptions}
                  onChange={({ target }) => change({ proxyExceptions: target.value })}
                />
              )}
            </Field>
          </>
        )}
        {problem && at('proxyAddress').length + at('proxyExceptions').length === 0 && (
          <ProblemCard problem={problem} />
        )}
        <Button
          type="submit"
          variant="primary"
          busy={update.isPending}
          unavailable={
            !hasChanged
              ? 'Nothing has changed.'
              : isManual && proxyAddress.trim() === ''
                ? 'Enter the address first.'
                : undefined
          }
        >
          Save
        </Button>
      </form>
      {choice.proxyMode === 'manual' && (
        <ProxyLogin hasLogin={description.hasProxyLogin} onChange={onLogin} />
      )}
    </section>
  );
}

function modeOf(value: string): Choice['proxyMode'] {
  return value === 'manual' || value === 'none' ? value : 'system';
}

function systemWords({ systemProxy, systemProxySource }: NetworkDescription): string {
  if (systemProxy === undefined)
    return 'Neither the environment nor the system names a proxy, so requests go straight.';
  return systemProxySource === 'system'
    ? `The system’s settings name ${systemProxy}.`
    : `The environment names ${systemProxy}, in HTTPS_PROXY or ALL_PROXY.`;
}

/** User and password of the proxy; they go into the vault and are never shown. */
function ProxyLogin({ hasLogin, onChange }: { hasLogin: boolean; onChange: () => void }) {
  const id = useId();
  const vault = useApp((state) => state.vault);
  const [user, setUser] = useState('');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const set = useAction('network.setProxyLogin', {
    onDone: () => {
      setUser('');
      setPassword('');
      onChange();
    },
    onProblem: setProblem,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setProblem(undefined);
    if (user !== '') set.mutate({ user, password });
  };
  return (
    <section aria-label="Proxy login" className="max-w-120 space-y-3">
      <h4 className="flex items-center gap-2 font-medium">
        If the proxy asks who you are {hasLogin && <Badge tone="success">A login is kept</Badge>}
      </h4>
      {vault && vault.state !== 'open' ? (
        <VaultDoor vault={vault} />
      ) : (
        <form onSubmit={submit} aria-label="Proxy login" className="space-y-3">
          <div className="grid grid-cols-2 gap-3">
            <Field
              id={`${id}-user`}
              label={hasLogin ? 'New user' : 'User'}
              errors={problem?.pointer === '/user' ? [problem.detail] : []}
            >
              {(attributes) => (
                <Input
                  {...attributes}
                  autoComplete="off"
                  spellCheck={false}
                  value={user}
                  onChange={({ target }) => setUser(target.value)}
                />
              )}
            </Field>
            <Field id={`${id}-password`} label={hasLogin ? 'New password' : 'Password'}>
              {(attributes) => (
                <Input
                  {...attributes}
                  type="password"
                  autoComplete="off"
                  value={password}
                  onChange={({ target }) => setPassword(target.value)}
                />
              )}
            </Field>
          </div>
          {problem && problem.pointer !== '/user' && <ProblemCard problem={problem} />}
          <div className="flex gap-2">
            <Button
              type="submit"
              busy={set.isPending}
              unavailable={user === '' ? 'Enter the user first.' : undefined}
            >
              Keep the login
            </Button>
            {hasLogin && (
              <Button
                variant="ghost"
                busy={set.isPending}
                onClick={() => set.mutate({ user: '', password: '' })}
              >
                Forget it
              </Button>
            )}
          </div>
        </form>
      )}
    </section>
  );
}

/** Reads an address once, as everything of the app would. */
function ReachTest() {
  const id = useId();
  const [url, setUrl] = useState(TEST_ADDRESS);
  const [result, setResult] = useState<NetworkTest | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const test = useAction('network.test', { onDone: setResult, onProblem: setProblem });
  const isUrl = /^https?:\/\/[^\s/]/.test(url);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setResult(undefined);
    setProblem(undefined);
    if (isUrl) test.mutate({ url });
  };
  return (
    <section aria-label="Test" className="space-y-3">
      <h3 className="font-semibold">Test</h3>
      <form onSubmit={submit} className="flex max-w-120 items-end gap-2">
        <div className="min-w-0 flex-1">
          <Field id={id} label="Address to read">
            {(attributes) => (
              <Input
                {...attributes}
                type="url"
                spellCheck={false}
                value={url}
                onChange={({ target }) => setUrl(target.value.trim())}
              />
            )}
          </Field>
        </div>
        <Button
          type="submit"
          icon={<PlugZap size={14} />}
          busy={test.isPending}
          unavailable={isUrl ? undefined : 'It begins with http:// or https://.'}
        >
          Test
        </Button>
      </form>
      {problem && <ProblemCard problem={problem} />}
      {result && <TestOutcome result={result} />}
    </section>
  );
}

function TestOutcome({ result }: { result: NetworkTest }) {
  const { outcome, status, proxy, milliseconds, problem } = result;
  const way = proxy === undefined ? 'straight, without a proxy' : `through ${proxy}`;
  const isReached = outcome === 'reached';
  return (
    <div role="status" data-outcome={outcome} className="space-y-2">
      <p className="flex items-center gap-2">
        {isReached ? (
          <CircleCheck size={14} aria-hidden="true" className="text-success" />
        ) : (
          <CircleAlert size={14} aria-hidden="true" className="text-danger" />
        )}
        {isReached
          ? `It answered${status === undefined ? '' : ` with ${status}`} in ${formatDuration(milliseconds)}, ${way}.`
          : `It was asked ${way}, and there was no answer.`}
      </p>
      {problem && <ProblemCard problem={problem} />}
    </div>
  );
}
