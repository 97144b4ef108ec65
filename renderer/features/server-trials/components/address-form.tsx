import { useId, useState, type FormEvent } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { Field, Input, Select } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { proposeName, refuseName, rememberScope, slugOf } from '#renderer/features/packages/index.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { goTo } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { Problem } from '#shared/problem.ts';
import { wordOfAddress } from '../model/address-name.ts';

type Transport = 'streamable-http' | 'sse';

/** Begins a trial of a server on the internet, or on this computer. */
export function AddressForm({ taken }: { taken: readonly string[] }) {
  const id = useId();
  const packages = useApp(({ library }) => library?.packages);
  const known = [...taken, ...(packages ?? []).map(({ name }) => name)];
  const [url, setUrl] = useState('');
  const [transport, setTransport] = useState<Transport>('streamable-http');
  const [ownName, setOwnName] = useState<string | undefined>(undefined);
  const [header, setHeader] = useState('Authorization');
  const [prefix, setPrefix] = useState('Bearer ');
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const name = ownName ?? proposeName(slugOf(wordOfAddress(url)), known);
  const refusal = name === '' ? undefined : refuseName(name, known);
  const begin = useAction('servers.tryAddress', {
    onProblem: setProblem,
    onDone: ({ integrationId }) => {
      rememberScope(integrationId);
      goTo({ name: 'try', integrationId });
    },
  });
  const obstacle = url.trim() === '' ? 'Paste an address' : name === '' ? 'It needs a name' : refusal;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (obstacle !== undefined || begin.isPending) return;
    setProblem(undefined);
    begin.mutate({
      integrationId: name,
      url: url.trim(),
      transport,
      header: header.trim() || 'Authorization',
      prefix,
    });
  };
  const urlProblem = problem?.pointer === '/url' ? problem : undefined;
  return (
    <form aria-label="From an address" onSubmit={submit} className="space-y-4">
      <h2 className="font-semibold">From an address</h2>
      <Field
        id={`${id}-url`}
        label="Address"
        required
        help="As whoever runs the server gives it. If it wants you to sign in, you do that next."
        errors={urlProblem ? [urlProblem.detail] : []}
      >
        {(attributes) => (
          <Input
            {...attributes}
            type="url"
            inputMode="url"
            spellCheck={false}
            placeholder="https://mcp.example.com/mcp"
            className="font-mono text-sm!"
            value={url}
            onChange={({ target }) => setUrl(target.value)}
          />
        )}
      </Field>
      <Field
        id={`${id}-name`}
        label="Name"
        required
        help="What it is called when you save it as an integration."
        errors={refusal === undefined ? [] : [refusal]}
      >
        {(attributes) => (
          <Input
            {...attributes}
            spellCheck={false}
            placeholder="@me/tracker"
            className="font-mono text-sm!"
            value={name}
            onChange={({ target }) => setOwnName(target.value.toLowerCase())}
          />
        )}
      </Field>
      <details className="space-y-4">
        <summary className="cursor-pointer text-sm text-ink-soft">How it is spoken to</summary>
        <div className="mt-3 space-y-4">
          <Field id={`${id}-transport`} label="Transport">
            {(attributes) => (
              <Select
                {...attributes}
                value={transport}
                onChange={({ target }) => setTransport(target.value as Transport)}
              >
                <option value="streamable-http">Streamable HTTP</option>
                <option value="sse">SSE, of older servers</option>
              </Select>
            )}
          </Field>
          <Field id={`${id}-header`} label="Header for a key" help="Where a key goes, if it takes one.">
            {(attributes) => (
              <Input
                {...attributes}
                spellCheck={false}
                className="font-mono text-sm!"
                value={header}
                onChange={({ target }) => setHeader(target.value)}
              />
            )}
          </Field>
          <Field id={`${id}-prefix`} label="Text before the key">
            {(attributes) => (
              <Input
                {...attributes}
                spellCheck={false}
                className="font-mono text-sm!"
                value={prefix}
                onChange={({ target }) => setPrefix(target.value)}
              />
            )}
          </Field>
        </div>
      </details>
      {problem && !urlProblem && <ProblemCard problem={problem} />}
      <Button type="submit" variant="primary" busy={begin.isPending} unavailable={obstacle}>
        Try it
      </Button>
    </form>
  );
}
