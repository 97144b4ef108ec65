import { Lock, Plus } from 'lucide-react';
import { useId, useState, type FormEvent } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { Dialog } from '#renderer/components/dialog.tsx';
import { Loading } from '#renderer/components/empty-state.tsx';
import { Field, Input } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { ModelPicker } from '#renderer/features/run-form/index.ts';
import { VaultDoor } from '#renderer/features/vault/index.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { VaultState } from '#shared/ipc/routes.ts';
import type { ProviderState } from '#shared/models/model.ts';
import type { Problem } from '#shared/problem.ts';
import { ProviderRow } from './provider-row.tsx';

/** Model providers, their keys, and the default model. */
export function ModelSettings() {
  const id = useId();
  const models = useApp((state) => state.models);
  const vault = useApp((state) => state.vault);
  const failure = useApp((state) => state.failures.get('models'));
  const setDefault = useAction('models.setDefault');
  const [isAdding, setIsAdding] = useState(false);
  const [addedId, setAddedId] = useState<string | undefined>(undefined);
  if (failure) return <ProblemCard problem={failure} />;
  if (!models) return <Loading label="Loading the models" />;
  const walkthrough = models.providers.filter(({ kind }) => kind === 'walkthrough');
  const local = models.providers.filter(
    ({ keyRequirement, kind }) => keyRequirement !== 'required' && kind !== 'walkthrough',
  );
  const hosted = models.providers.filter(({ keyRequirement }) => keyRequirement === 'required');
  return (
    <div className="space-y-8">
      <div className="max-w-110">
        <ModelPicker
          id={`${id}-default`}
          label="Default model"
          providers={models.providers}
          value={models.defaultModel}
          onChange={(model) => setDefault.mutate(model)}
        />
      </div>
      {vault && <Vault vault={vault} />}
      <ProviderGroup title="Built in" providers={walkthrough} vault={vault} />
      <ProviderGroup
        title="With a key"
        note="A key is written into the vault and never shown again. Only this app’s main process reads it; no sandbox ever holds it."
        providers={hosted}
        vault={vault}
      />
      <ProviderGroup
        title="On this computer, and others that speak OpenAI’s API"
        note="Ollama and LM Studio are found by themselves while they run."
        providers={local}
        vault={vault}
        addedId={addedId}
      >
        <Button icon={<Plus size={14} />} onClick={() => setIsAdding(true)}>
          Add a server
        </Button>
      </ProviderGroup>
      <Dialog
        open={isAdding}
        onOpenChange={setIsAdding}
        title="Add a server"
        description="Any server that speaks OpenAI’s chat completions."
      >
        <AddServer
          onDone={({ id: providerId }) => {
            setAddedId(providerId);
            setIsAdding(false);
          }}
        />
      </Dialog>
    </div>
  );
}

function ProviderGroup({
  title,
  note,
  providers,
  vault,
  addedId,
  children,
}: {
  title: string;
  note?: string;
  providers: readonly ProviderState[];
  vault: VaultState | undefined;
  /** The server that was added just now. */
  addedId?: string | undefined;
  children?: React.ReactNode;
}) {
  return (
    <section aria-label={title}>
      <div className="mb-2 flex items-end gap-4">
        <div className="min-w-0 flex-1">
          <h3 className="font-semibold">{title}</h3>
          {note && <p className="text-sm text-ink-faint">{note}</p>}
        </div>
        {children}
      </div>
      {providers.length === 0 ? (
        <p className="border-y border-line py-3 text-ink-faint">None is set up.</p>
      ) : (
        <ul className="divide-y divide-line border-y border-line">
          {providers.map((provider) => (
            <ProviderRow
              key={provider.id}
              provider={provider}
              vault={vault}
              isNew={provider.id === addedId}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

const backends: Record<VaultState['backend'], string> = {
  system: 'Encrypted by the operating system',
  passphrase: 'Encrypted with your passphrase',
  memory: 'Only in memory',
};

function Vault({ vault }: { vault: VaultState }) {
  const lock = useAction('vault.lock');
  const isOpen = vault.state === 'open';
  return (
    <section aria-label="Vault">
      <h3 className="mb-1 flex items-center gap-2 font-semibold">
        Vault
        <Badge tone={isOpen ? 'success' : 'caution'}>
          {vault.state === 'open' ? 'Open' : vault.state === 'locked' ? 'Locked' : 'Not there yet'}
        </Badge>
      </h3>
      <div className="flex items-center gap-4">
        <p className="flex-1 text-ink-soft">
          {vault.state !== 'absent' && `${backends[vault.backend]}. `}
          {!vault.problem && vault.detail}
        </p>
        {isOpen && vault.backend === 'passphrase' && (
          <Button icon={<Lock size={14} />} busy={lock.isPending} onClick={() => lock.mutate({})}>
            Lock
          </Button>
        )}
      </div>
      <div className="mt-3 empty:hidden">
        <VaultDoor vault={vault} />
      </div>
    </section>
  );
}

function AddServer({ onDone }: { onDone: (added: ProviderState) => void }) {
  const id = useId();
  const [displayName, setDisplayName] = useState('');
  const [baseUrl, setBaseUrl] = useState('');
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const save = useAction('models.saveProvider', { onDone, onProblem: setProblem });
  const isUrl = /^https?:\/\/[^\s/]/.test(baseUrl);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isUrl) return;
    setProblem(undefined);
    save.mutate({
      kind: 'openai-compatible',
      baseUrl,
      ...(displayName && { displayName }),
      ...(key && { key }),
    });
  };
  return (
    <form onSubmit={submit} className="space-y-4 overflow-auto px-5 pb-5">
      <Field
        id={`${id}-url`}
        label="Base address"
        required
        help="It usually ends in /v1."
        errors={baseUrl && !isUrl ? ['It begins with http:// or https://.'] : []}
      >
        {(attributes) => (
          <Input
            {...attributes}
            type="url"
            placeholder="http://127.0.0.1:8000/v1"
            value={baseUrl}
            onChange={(event) => setBaseUrl(event.target.value.trim())}
          />
        )}
      </Field>
      <Field id={`${id}-name`} label="Name">
        {(attributes) => (
          <Input
            {...attributes}
            placeholder="My server"
            value={displayName}
            onChange={(event) => setDisplayName(event.target.value)}
          />
        )}
      </Field>
      <Field id={`${id}-key`} label="Key" help="Only if the server wants one.">
        {(attributes) => (
          <Input
            {...attributes}
            type="password"
            autoComplete="off"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        )}
      </Field>
      {problem && <ProblemCard problem={problem} />}
      <div className="flex justify-end">
        <Button
          type="submit"
          variant="primary"
          busy={save.isPending}
          unavailable={isUrl ? undefined : 'Type the address first.'}
        >
          Add
        </Button>
      </div>
    </form>
  );
}
