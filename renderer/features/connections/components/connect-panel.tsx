import { useId, useState } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { Loading } from '#renderer/components/empty-state.tsx';
import { Field, Select } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { VaultDoor } from '#renderer/features/vault/index.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { AuthNeeds, IntegrationNeeds } from '#shared/connections/requirements.ts';
import type { Problem } from '#shared/problem.ts';
import type { ConnectWish } from '../hooks/connect-context.tsx';
import { useNeeds } from '../hooks/use-needs.ts';
import { methodName } from '../model/words.ts';
import { ClientSetup } from './client-setup.tsx';
import { CredentialForm } from './credential-form.tsx';
import { FlowView } from './flow-view.tsx';
import { SignInForm, type SignInChoice } from './sign-in-form.tsx';

/** Everything it takes to connect, in place: the vault, the way, the app at the service, and the sign-in. */
export function ConnectPanel({
  wish,
  onDone,
}: {
  wish: ConnectWish;
  /** Called with the connection that was made or renewed, once the person has seen it. */
  onDone: (connectionId: string) => void;
}) {
  const vault = useApp((state) => state.vault);
  const needs = useNeeds(wish.integrationId);
  if (needs.isError) {
    return (
      <ProblemCard problem={needs.error.problem}>
        <Button size="small" onClick={() => void needs.refetch()}>
          Try again
        </Button>
      </ProblemCard>
    );
  }
  if (!needs.data || !vault) return <Loading label="Looking up what connecting takes" />;
  if (vault.state !== 'open') {
    return (
      <div className="space-y-3">
        <p className="text-ink-soft">
          What connecting gives Slipway is kept in the vault, which is{' '}
          {vault.state === 'locked' ? 'locked' : 'not there yet'}.
        </p>
        <VaultDoor vault={vault} />
      </div>
    );
  }
  return <Methods wish={wish} needs={needs.data} refetch={() => void needs.refetch()} onDone={onDone} />;
}

function Methods({
  wish,
  needs,
  refetch,
  onDone,
}: {
  wish: ConnectWish;
  needs: IntegrationNeeds;
  refetch: () => void;
  onDone: (connectionId: string) => void;
}) {
  const id = useId();
  const [chosen, setChosen] = useState(wish.authKey ?? needs.auths[0]?.authKey);
  const method = needs.auths.find(({ authKey }) => authKey === chosen);
  if (needs.auths.length === 0)
    return <p>{needs.displayName} needs no account: its tools can be used as they are.</p>;
  return (
    <div className="space-y-4">
      {wish.authKey === undefined && needs.auths.length > 1 && (
        <Field id={`${id}-method`} label="How to connect">
          {(attributes) => (
            <Select {...attributes} value={chosen} onChange={({ target }) => setChosen(target.value)}>
              {needs.auths.map((auth) => (
                <option key={auth.authKey} value={auth.authKey}>
                  {methodName(auth)} ({auth.authKey})
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {method === undefined ? (
        <p>
          {needs.displayName} has no way to connect called <Badge>{chosen}</Badge>.
        </p>
      ) : method.way === 'sign_in' ? (
        <SignInSteps
          key={method.authKey}
          wish={wish}
          needs={needs}
          method={method}
          refetch={refetch}
          onDone={onDone}
        />
      ) : (
        <CredentialForm
          key={method.authKey}
          integrationId={needs.integrationId}
          method={method}
          connection={needs.connections.find((one) => one.id === wish.connectionId)}
          onDone={(connection) => onDone(connection.id)}
        />
      )}
    </div>
  );
}

/** The app at the service, then the consent, then what came of it. */
function SignInSteps({
  wish,
  needs,
  method,
  refetch,
  onDone,
}: {
  wish: ConnectWish;
  needs: IntegrationNeeds;
  method: AuthNeeds;
  refetch: () => void;
  onDone: (connectionId: string) => void;
}) {
  const { integrationId, displayName } = needs;
  const { authKey, client } = method;
  const [added, setAdded] = useState<readonly string[]>([]);
  const [isSettingUp, setIsSettingUp] = useState(false);
  const [flowId, setFlowId] = useState<string | undefined>(undefined);
  const [choice, setChoice] = useState<SignInChoice | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [notOpened, setNotOpened] = useState<Problem | undefined>(undefined);
  const flow = useApp(({ connections }) => connections?.flows.find(({ id }) => id === flowId));
  const connect = useAction('connections.connect', {
    onDone: ({ flow: begun, notOpened: why }) => {
      setFlowId(begun.id);
      setNotOpened(why);
    },
    onProblem: setProblem,
  });
  const start = (asked: SignInChoice) => {
    setChoice(asked);
    setProblem(undefined);
    setFlowId(undefined);
    connect.mutate({ integrationId, authKey, ...asked, scopes: [...asked.scopes] });
  };
  const needsClient = client?.isManual === true && client.clientId === undefined;
  if (client && (needsClient || isSettingUp)) {
    return (
      <ClientSetup
        needs={needs}
        authKey={authKey}
        client={client}
        onDone={() => {
          setIsSettingUp(false);
          setProblem(undefined);
          refetch();
        }}
        onCancel={needsClient ? undefined : () => setIsSettingUp(false)}
      />
    );
  }
  if (flow) {
    return (
      <FlowView
        flow={flow}
        method={method}
        service={displayName}
        notOpened={notOpened}
        onRetry={() => {
          if (choice) start({ ...choice, connectionId: flow.connectionId ?? choice.connectionId });
        }}
        onDone={() => onDone(flow.connectionId ?? '')}
      />
    );
  }
  return (
    <SignInForm
      wish={wish}
      method={method}
      service={displayName}
      connections={needs.connections.filter((one) => one.authKey === authKey)}
      added={added}
      isStarting={connect.isPending}
      problem={problem}
      onAdd={setAdded}
      onStart={start}
      onSetUp={() => setIsSettingUp(true)}
    />
  );
}
