import { useId, useState, type FormEvent } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { Field, Input } from '#renderer/components/field.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { VaultState } from '#shared/ipc/routes.ts';
import type { Problem } from '#shared/problem.ts';

/** Opens the vault with its passphrase, or makes one where there is none. */
export function VaultForm({ vault }: { vault: VaultState }) {
  const id = useId();
  const [passphrase, setPassphrase] = useState('');
  const [repeated, setRepeated] = useState('');
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const unlock = useAction('vault.unlock', {
    onDone: () => {
      setPassphrase('');
      setRepeated('');
      setProblem(undefined);
    },
    onProblem: setProblem,
  });
  // In memory there may be a vault on disk or none; the passphrase opens the one and makes the other.
  const making = vault.state === 'absent' || vault.backend === 'memory';
  const differs = making && repeated !== '' && repeated !== passphrase;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (passphrase !== '' && (!making || repeated === passphrase)) unlock.mutate({ passphrase });
  };
  return (
    <form
      onSubmit={submit}
      className="max-w-90 space-y-3"
      aria-label={making ? 'Create the vault' : 'Unlock'}
    >
      <Field
        id={id}
        label={making ? 'New passphrase' : 'Passphrase'}
        errors={problem ? [[problem.detail, problem.action].filter(Boolean).join(' ')] : []}
        help={
          making
            ? 'It encrypts your keys on this computer. It is kept nowhere: without it the keys are lost.'
            : undefined
        }
      >
        {(attributes) => (
          <Input
            {...attributes}
            type="password"
            autoComplete={making ? 'new-password' : 'current-password'}
            value={passphrase}
            onChange={(event) => {
              setPassphrase(event.target.value);
              setProblem(undefined);
            }}
          />
        )}
      </Field>
      {making && (
        <Field id={`${id}-repeat`} label="Repeat it" errors={differs ? ['The two do not match.'] : []}>
          {(attributes) => (
            <Input
              {...attributes}
              type="password"
              autoComplete="new-password"
              value={repeated}
              onChange={(event) => setRepeated(event.target.value)}
            />
          )}
        </Field>
      )}
      <Button
        type="submit"
        variant="primary"
        busy={unlock.isPending}
        unavailable={
          passphrase === ''
            ? 'Type the passphrase first.'
            : making && repeated !== passphrase
              ? 'Repeat the passphrase first.'
              : undefined
        }
      >
        {making ? 'Create the vault' : 'Unlock'}
      </Button>
    </form>
  );
}
