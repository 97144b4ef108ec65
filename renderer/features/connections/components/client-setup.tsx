import { useId, useState, type FormEvent } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { CopyButton } from '#renderer/components/copy-button.tsx';
import { ExternalLink } from '#renderer/components/external-link.tsx';
import { Field, Input, Select } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { useAction, useRequest } from '#renderer/state/requests.ts';
import { redirectUriOf, type RedirectChoice } from '#shared/connections/connection.ts';
import type { AuthNeeds, IntegrationNeeds } from '#shared/connections/requirements.ts';
import type { Problem } from '#shared/problem.ts';

type Client = NonNullable<AuthNeeds['client']>;

/** Sets the author's own app at a service up: the steps there, the redirect URI, its id and its secret. */
export function ClientSetup({
  needs,
  authKey,
  client,
  onDone,
  onCancel,
}: {
  needs: IntegrationNeeds;
  authKey: string;
  client: Client;
  onDone: () => void;
  onCancel?: (() => void) | undefined;
}) {
  const id = useId();
  const { integrationId, displayName, setupSteps } = needs;
  const [clientId, setClientId] = useState(client.isManual ? (client.clientId ?? '') : '');
  const [secret, setSecret] = useState('');
  const [isPublic, setIsPublic] = useState(client.isPublic);
  const [redirect, setRedirect] = useState(client.redirect);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const save = useAction('connections.saveClient', { onDone, onProblem: setProblem });
  const remove = useAction('connections.removeClient', { onDone, onProblem: setProblem });
  const redirectUri = redirectUriOf(redirect);
  const errorsAt = (pointer: string) => (problem?.pointer === pointer ? [problem.detail] : []);
  const isPlaced = problem?.pointer === '/clientId' || problem?.pointer === '/clientSecret';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setProblem(undefined);
    save.mutate({
      integrationId,
      authKey,
      clientId,
      isPublic,
      redirect,
      ...(secret !== '' && { clientSecret: secret }),
      ...(isPublic && client.hasSecret && { clientSecret: '' }),
    });
  };
  return (
    <form onSubmit={submit} aria-label={`App at ${displayName}`} className="space-y-4">
      <p className="text-ink-soft">
        {displayName} wants to know the app that signs people in. Register one there, once; it is yours, and
        its secret stays in your vault.
      </p>
      {setupSteps.length > 0 && (
        <ol aria-label="Setup" className="list-decimal space-y-1 pl-5">
          {setupSteps.map(({ label, url }) => (
            <li key={label} className="wrap-anywhere">
              {url === undefined ? label : <ExternalLink url={url}>{label}</ExternalLink>}
            </li>
          ))}
        </ol>
      )}
      <RedirectUri
        redirect={redirect}
        onChange={setRedirect}
        hint={client.hint?.replaceAll(client.redirectUri, redirectUri)}
        errors={errorsAt('/redirect/port')}
      />
      <Field id={`${id}-id`} label="Client id" required errors={errorsAt('/clientId')}>
        {(attributes) => (
          <Input
            {...attributes}
            autoComplete="off"
            spellCheck={false}
            value={clientId}
            onChange={({ target }) => setClientId(target.value)}
          />
        )}
      </Field>
      {!isPublic && (
        <Field
          id={`${id}-secret`}
          label={client.hasSecret ? 'New client secret' : 'Client secret'}
          required={!client.hasSecret}
          errors={errorsAt('/clientSecret')}
          help={
            client.hasSecret
              ? 'A secret is kept. It is never shown; a new one takes its place.'
              : 'It goes straight into the vault.'
          }
        >
          {(attributes) => (
            <Input
              {...attributes}
              type="password"
              autoComplete="off"
              spellCheck={false}
              placeholder={client.hasSecret ? '••••••••' : undefined}
              value={secret}
              onChange={({ target }) => setSecret(target.value)}
            />
          )}
        </Field>
      )}
      {!client.isPublicByManifest && (
        <div className="flex items-start gap-2">
          <input
            id={`${id}-public`}
            type="checkbox"
            className="mt-[3px] size-3.5"
            checked={isPublic}
            onChange={({ target }) => setIsPublic(target.checked)}
          />
          <label htmlFor={`${id}-public`}>The service gave the app no secret (a public client)</label>
        </div>
      )}
      {problem && !isPlaced && <ProblemCard problem={problem} />}
      <div className="flex gap-2">
        <Button
          type="submit"
          variant="primary"
          busy={save.isPending}
          unavailable={clientId.trim() === '' ? 'Enter the client id first.' : undefined}
        >
          Save the app
        </Button>
        {onCancel && <Button onClick={onCancel}>Back</Button>}
        {client.clientId !== undefined && (
          <Button
            variant="ghost"
            busy={remove.isPending}
            onClick={() => remove.mutate({ integrationId, authKey })}
          >
            Forget the app
          </Button>
        )}
      </div>
    </form>
  );
}

/** Where the service sends people back to: exactly what has to be registered there. */
function RedirectUri({
  redirect,
  onChange,
  hint,
  errors,
}: {
  redirect: RedirectChoice;
  onChange: (redirect: RedirectChoice) => void;
  hint: string | undefined;
  errors: readonly string[];
}) {
  const id = useId();
  const { data } = useRequest('app.describe', {});
  const uri = redirectUriOf(redirect);
  return (
    <section aria-label="Redirect URI" className="rounded-md border border-line bg-sunken/50 px-3 py-2.5">
      <div className="flex items-center gap-2">
        <h4 className="font-medium">Redirect URI to register</h4>
        <CopyButton text={uri} label="Copy the redirect URI" />
      </div>
      <code className="font-mono text-sm wrap-anywhere select-all">{uri}</code>
      {hint && <p className="mt-1 text-ink-soft">{hint}</p>}
      {redirect.kind === 'loopback' && redirect.port === 0 && (
        <p className="mt-1 text-sm text-ink-faint">
          A free port is added when you sign in. If the service insists on an exact address, choose a port.
        </p>
      )}
      <details className="mt-1.5" open={errors.length > 0 || undefined}>
        <summary className="w-fit text-sm text-ink-soft hover:text-ink">Register another address</summary>
        <div className="mt-2 flex flex-wrap gap-3">
          <div className="w-44">
            <Field id={`${id}-kind`} label="Comes back to">
              {(attributes) => (
                <Select
                  {...attributes}
                  value={redirect.kind === 'scheme' ? 'scheme' : redirect.host}
                  onChange={({ target }) =>
                    onChange(
                      target.value === 'scheme'
                        ? { ...redirect, kind: 'scheme' }
                        : {
                            ...redirect,
                            kind: 'loopback',
                            host: target.value === 'localhost' ? 'localhost' : '127.0.0.1',
                          },
                    )
                  }
                >
                  <option value="127.0.0.1">127.0.0.1</option>
                  <option value="localhost">localhost</option>
                  {(data?.shell === 'electron' || redirect.kind === 'scheme') && (
                    <option value="scheme">slipway:// (the app)</option>
                  )}
                </Select>
              )}
            </Field>
          </div>
          {redirect.kind === 'loopback' && (
            <div className="w-32">
              <Field id={`${id}-port`} label="Port" errors={errors} help="0 for any free one.">
                {(attributes) => (
                  <Input
                    {...attributes}
                    type="number"
                    min={0}
                    max={65_535}
                    value={redirect.port}
                    onChange={({ target }) =>
                      onChange({
                        ...redirect,
                        port: Math.min(65_535, Math.max(0, Math.trunc(Number(target.value)) || 0)),
                      })
                    }
                  />
                )}
              </Field>
            </div>
          )}
        </div>
      </details>
    </section>
  );
}
