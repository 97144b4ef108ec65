import { CircleCheck, PlugZap, Trash2 } from 'lucide-react';
import { useEffect, useId, useState, type FormEvent } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button, IconButton } from '#renderer/components/button.tsx';
import { ConfirmDialog } from '#renderer/components/dialog.tsx';
import { Field, Input } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { formatCount, formatDuration, formatQuantity } from '#renderer/format/format.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { RouteOutput, VaultState } from '#shared/ipc/routes.ts';
import type { ProviderState } from '#shared/models/model.ts';
import type { Problem } from '#shared/problem.ts';

/** One provider: whether it is ready, its key and address, and a test that lists its models. */
export function ProviderRow({
  provider,
  vault,
  isNew,
}: {
  provider: ProviderState;
  vault: VaultState | undefined;
  /** Added just now: it is tested by itself, since its models are known by that alone. */
  isNew: boolean;
}) {
  const { id, kind, displayName, keyRequirement, hasKey, ready } = provider;
  const [isEditing, setIsEditing] = useState(false);
  const [isRemoving, setIsRemoving] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [tested, setTested] = useState<RouteOutput<'models.test'> | undefined>(undefined);
  const test = useAction('models.test', { onDone: setTested, onProblem: setProblem });
  const { mutate: runTest } = test;
  useEffect(() => {
    if (isNew) runTest({ id, kind });
  }, [isNew, runTest, id, kind]);
  const remove = useAction('models.removeProvider');
  const canEdit = keyRequirement !== 'none' || provider.baseUrlEditable;
  const isScripted = kind === 'walkthrough';
  return (
    <li aria-label={displayName} data-provider={id} className="py-2.5">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            {displayName}
            {ready ? <Badge tone="success">Ready</Badge> : <NotReady provider={provider} vault={vault} />}
            {provider.discovered && <Badge>Found on this computer</Badge>}
            {isScripted && !/scripted/i.test(displayName) && <Badge>Scripted</Badge>}
          </p>
          <p className="truncate text-sm text-ink-faint">
            {isScripted
              ? 'Plays the model from a script, so that everything can be tried without a key.'
              : provider.baseUrl}
            {hasKey && ', a key is kept'}
            {provider.models.length > 0 &&
              !isScripted &&
              `, ${formatQuantity(provider.models.length, 'model')}`}
          </p>
        </div>
        {!isScripted && (
          <Button
            size="small"
            icon={<PlugZap size={13} />}
            busy={test.isPending}
            unavailable={keyRequirement === 'required' && !hasKey ? 'It needs a key first.' : undefined}
            onClick={() => {
              setTested(undefined);
              setProblem(undefined);
              runTest({ id, kind });
            }}
          >
            Test
          </Button>
        )}
        {canEdit && (
          <Button size="small" aria-expanded={isEditing} onClick={() => setIsEditing(!isEditing)}>
            {hasKey ? 'Change' : keyRequirement === 'required' ? 'Add a key' : 'Set up'}
          </Button>
        )}
        {provider.removable && (
          <IconButton
            size="small"
            label={`Remove ${displayName}`}
            icon={<Trash2 size={14} />}
            onClick={() => setIsRemoving(true)}
          />
        )}
      </div>
      {isEditing && (
        <ProviderForm
          provider={provider}
          vault={vault}
          onDone={() => {
            setIsEditing(false);
            setProblem(undefined);
          }}
        />
      )}
      {problem && (
        <div className="mt-2">
          <ProblemCard problem={problem} />
        </div>
      )}
      {tested && <TestResult result={tested} />}
      <ConfirmDialog
        open={isRemoving}
        onOpenChange={setIsRemoving}
        title={`Remove ${displayName}?`}
        confirm="Remove"
        dangerous
        onConfirm={() => remove.mutate({ id })}
      >
        <p>Its address{hasKey ? ' and its key are' : ' is'} forgotten. Past runs stay as they are.</p>
      </ConfirmDialog>
    </li>
  );
}

function NotReady({ provider, vault }: { provider: ProviderState; vault: VaultState | undefined }) {
  if (provider.hasKey && vault?.state === 'locked') return <Badge tone="caution">Key locked away</Badge>;
  if (provider.keyRequirement === 'required' && !provider.hasKey) return <Badge>No key</Badge>;
  return <Badge tone="caution">No answer</Badge>;
}

function ProviderForm({
  provider,
  vault,
  onDone,
}: {
  provider: ProviderState;
  vault: VaultState | undefined;
  onDone: () => void;
}) {
  const formId = useId();
  const { id, kind, hasKey, keyRequirement, baseUrlEditable } = provider;
  const [key, setKey] = useState('');
  const [baseUrl, setBaseUrl] = useState(provider.baseUrl);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const save = useAction('models.saveProvider', { onDone, onProblem: setProblem });
  const isVaultOpen = vault?.state === 'open';
  const changedUrl = baseUrlEditable && baseUrl !== provider.baseUrl;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!key && !changedUrl) return;
    setProblem(undefined);
    save.mutate({ id, kind, ...(key && { key }), ...(changedUrl && { baseUrl }) });
  };
  return (
    <form onSubmit={submit} className="mt-3 max-w-110 space-y-3 border-l-2 border-line pl-4">
      {baseUrlEditable && (
        <Field id={`${formId}-url`} label="Base address">
          {(attributes) => (
            <Input
              {...attributes}
              type="url"
              value={baseUrl}
              onChange={(event) => setBaseUrl(event.target.value.trim())}
            />
          )}
        </Field>
      )}
      {keyRequirement !== 'none' && (
        <Field
          id={`${formId}-key`}
          label={hasKey ? 'New key' : 'Key'}
          help={
            hasKey
              ? 'A key is kept. It is never shown; a new one takes its place.'
              : 'It goes straight into the vault.'
          }
        >
          {(attributes) => (
            <Input
              {...attributes}
              type="password"
              autoComplete="off"
              spellCheck={false}
              placeholder={hasKey ? '••••••••' : undefined}
              value={key}
              onChange={(event) => setKey(event.target.value.trim())}
            />
          )}
        </Field>
      )}
      {problem && <ProblemCard problem={problem} />}
      <div className="flex gap-2">
        <Button
          type="submit"
          variant="primary"
          busy={save.isPending}
          unavailable={
            key && !isVaultOpen
              ? 'The vault is closed: open it above first.'
              : key || changedUrl
                ? undefined
                : 'Nothing has changed.'
          }
        >
          Save
        </Button>
        {hasKey && (
          <Button busy={save.isPending} onClick={() => save.mutate({ id, kind, key: '' })}>
            Forget the key
          </Button>
        )}
        <Button variant="ghost" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** Models shown of a test's answer; a large catalogue would fill the page. */
const MODELS_SHOWN = 40;

function TestResult({ result }: { result: RouteOutput<'models.test'> }) {
  return (
    <div role="status" className="mt-2 space-y-1.5">
      <p className="flex items-center gap-1.5 text-success">
        <CircleCheck size={14} aria-hidden="true" />
        Answered in {formatDuration(result.latencyMs)} with {formatQuantity(result.models.length, 'model')}.
      </p>
      <ul className="max-h-48 columns-2 gap-6 overflow-auto text-sm text-ink-soft">
        {result.models.slice(0, MODELS_SHOWN).map((model) => (
          <li
            key={model.modelId}
            className="truncate"
            title={`${formatCount(model.contextWindow)} tokens of context`}
          >
            {model.displayName}
          </li>
        ))}
      </ul>
      {result.models.length > MODELS_SHOWN && (
        <p className="text-sm text-ink-faint">and {formatCount(result.models.length - MODELS_SHOWN)} more</p>
      )}
    </div>
  );
}
