import { useQueryClient } from '@tanstack/react-query';
import { KeyRound, Plus, X } from 'lucide-react';
import { useId, useState } from 'react';
import { ActionDialog } from '#renderer/components/action-dialog.tsx';
import { Badge } from '#renderer/components/badge.tsx';
import { Button, IconButton } from '#renderer/components/button.tsx';
import { CopyButton } from '#renderer/components/copy-button.tsx';
import { Loading } from '#renderer/components/empty-state.tsx';
import { Field, Input } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { VaultDoor } from '#renderer/features/vault/index.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { requestKey, useAction, useRequest } from '#renderer/state/requests.ts';
import type { SigningState } from '#shared/ipc/library-routes.ts';
import type { Problem } from '#shared/problem.ts';

const policies: readonly { value: SigningState['policy']; label: string; help: string }[] = [
  {
    value: 'off',
    label: 'Do not look',
    help: 'Packages come in whether or not they are signed, and nothing is said.',
  },
  {
    value: 'warn',
    label: 'Say so when one is wrong',
    help: 'A signature that does not fit, or is of an unknown key, is told before the import.',
  },
  {
    value: 'required',
    label: 'Require a trusted one',
    help: 'Nothing is imported that is not signed with a key below. A folder you follow is your own.',
  },
];

/** What is asked of packages that come in, and the keys for it. */
export function PackageSettings() {
  const signing = useRequest('library.signing', {});
  if (signing.isError) return <ProblemCard problem={signing.error.problem} />;
  if (!signing.data) return <Loading label="Loading the keys" />;
  return (
    <div className="space-y-9">
      <Policy signing={signing.data} />
      <OwnKey signing={signing.data} />
      <TrustedKeys signing={signing.data} />
      <FollowedFolders />
    </div>
  );
}

/** Shows at once what main answers. */
function useKeepSigning(): (state: SigningState) => void {
  const queryClient = useQueryClient();
  return (state) => {
    queryClient.setQueryData([...requestKey('library.signing', {}), undefined], state);
  };
}

function Policy({ signing }: { signing: SigningState }) {
  const id = useId();
  const keep = useKeepSigning();
  const change = useAction('library.setSigning', { onDone: keep });
  // What was chosen shows at once, and goes back when main refuses it.
  const chosen = (change.isPending ? change.variables.policy : undefined) ?? signing.policy;
  return (
    <fieldset>
      <legend className="mb-2 font-semibold">Signatures of what is imported</legend>
      <div className="divide-y divide-line rounded-md border border-line">
        {policies.map(({ value, label, help }) => (
          <label
            key={value}
            aria-label={label}
            className="flex items-start gap-3 px-3 py-2 has-checked:bg-selected"
          >
            <input
              type="radio"
              name={id}
              className="mt-1"
              checked={chosen === value}
              onChange={() => change.mutate({ policy: value })}
            />
            <span>
              <span className="font-medium">{label}</span>
              <span className="block text-sm text-ink-soft">{help}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function OwnKey({ signing }: { signing: SigningState }) {
  const keep = useKeepSigning();
  const create = useAction('library.createSigningKey', { onDone: keep });
  const { own } = signing;
  const vault = useApp((state) => state.vault);
  const isShut = vault !== undefined && vault.state !== 'open';
  return (
    <section aria-label="This app’s key">
      <h3 className="mb-1 font-semibold">This app’s key</h3>
      <p className="mb-2 text-ink-soft">
        Exports can be signed with it. Its secret half is in the vault and never leaves it; give others the
        public half, so that they can trust what you sign.
      </p>
      {isShut && <VaultDoor vault={vault} />}
      {own && <KeyLine keyId={own.keyId} publicKey={own.publicKey} />}
      {!own && !isShut && (
        <Button icon={<KeyRound size={14} />} busy={create.isPending} onClick={() => create.mutate({})}>
          Make a key
        </Button>
      )}
    </section>
  );
}

function KeyLine({
  keyId,
  publicKey,
  comment,
}: {
  keyId: string;
  publicKey: string;
  comment?: string | undefined;
}) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Badge>{keyId}</Badge>
      {comment && <span className="shrink-0">{comment}</span>}
      <span className="min-w-0 truncate font-mono text-sm text-ink-soft" title={publicKey}>
        {publicKey}
      </span>
      <CopyButton text={publicKey} label="Copy the public key" />
    </span>
  );
}

function TrustedKeys({ signing }: { signing: SigningState }) {
  const keep = useKeepSigning();
  const change = useAction('library.setSigning', { onDone: keep });
  const [isAdding, setIsAdding] = useState(false);
  const { trusted } = signing;
  return (
    <section aria-label="Trusted keys">
      <div className="mb-2 flex items-end gap-4">
        <div className="min-w-0 flex-1">
          <h3 className="font-semibold">Trusted keys</h3>
          <p className="text-ink-soft">Of people whose packages you take. Your own is trusted by itself.</p>
        </div>
        <Button icon={<Plus size={14} />} onClick={() => setIsAdding(true)}>
          Trust a key
        </Button>
      </div>
      {trusted.length === 0 ? (
        <p className="border-y border-line py-3 text-ink-faint">None yet.</p>
      ) : (
        <ul className="divide-y divide-line border-y border-line">
          {trusted.map((key) => (
            <li key={key.publicKey} className="flex items-center gap-2 py-1.5">
              <span className="min-w-0 flex-1">
                <KeyLine {...key} />
              </span>
              <IconButton
                size="small"
                label={`Trust ${key.keyId} no longer`}
                icon={<X size={14} />}
                onClick={() =>
                  change.mutate({ trusted: trusted.filter(({ publicKey }) => publicKey !== key.publicKey) })
                }
              />
            </li>
          ))}
        </ul>
      )}
      {isAdding && <TrustDialog trusted={trusted} onClose={() => setIsAdding(false)} />}
    </section>
  );
}

function TrustDialog({ trusted, onClose }: { trusted: SigningState['trusted']; onClose: () => void }) {
  const id = useId();
  const keep = useKeepSigning();
  const [keyId, setKeyId] = useState('');
  const [publicKey, setPublicKey] = useState('');
  const [comment, setComment] = useState('');
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const change = useAction('library.setSigning', {
    onProblem: setProblem,
    onDone: (state) => {
      keep(state);
      onClose();
    },
  });
  const isComplete = keyId.trim() !== '' && publicKey.trim() !== '';
  return (
    <ActionDialog
      title="Trust a key"
      description="Ask its owner for both, on a way you trust."
      action="Trust it"
      busy={change.isPending}
      unavailable={isComplete ? undefined : 'Write the id and the key first.'}
      problem={problem}
      onClose={onClose}
      onSubmit={() =>
        change.mutate({
          trusted: [
            ...trusted,
            {
              keyId: keyId.trim(),
              publicKey: publicKey.trim(),
              ...(comment.trim() && { comment: comment.trim() }),
            },
          ],
        })
      }
    >
      <Field id={`${id}-key-id`} label="Id" required>
        {(attributes) => (
          <Input
            {...attributes}
            className="font-mono"
            spellCheck={false}
            value={keyId}
            onChange={(event) => setKeyId(event.target.value)}
          />
        )}
      </Field>
      <Field id={`${id}-key`} label="Public key" required help="32 bytes in base64.">
        {(attributes) => (
          <Input
            {...attributes}
            className="font-mono"
            spellCheck={false}
            value={publicKey}
            onChange={(event) => setPublicKey(event.target.value)}
          />
        )}
      </Field>
      <Field id={`${id}-comment`} label="Whose it is">
        {(attributes) => (
          <Input {...attributes} value={comment} onChange={(event) => setComment(event.target.value)} />
        )}
      </Field>
    </ActionDialog>
  );
}

function FollowedFolders() {
  const watches = useApp(({ library }) => library?.watches);
  const unwatch = useAction('library.unwatchFolder');
  return (
    <section aria-label="Followed folders">
      <h3 className="font-semibold">Followed folders</h3>
      <p className="mb-2 text-ink-soft">Each save in one becomes the draft of its package.</p>
      {(watches ?? []).length === 0 ? (
        <p className="border-y border-line py-3 text-ink-faint">None. Follow one under Import.</p>
      ) : (
        <ul className="divide-y divide-line border-y border-line">
          {watches?.map(({ path, name, state, problem }) => (
            <li key={path} className="flex items-center gap-3 py-1.5">
              <div className="min-w-0 flex-1">
                <p className="flex items-center gap-2">
                  <span className="font-mono text-sm">{name}</span>
                  {state !== 'following' && (
                    <Badge tone={state === 'gone' ? 'danger' : 'caution'}>
                      {state === 'gone' ? 'Folder gone' : 'Last change not taken'}
                    </Badge>
                  )}
                </p>
                <p className="truncate font-mono text-sm text-ink-faint" title={path}>
                  {path}
                </p>
                {problem && <p className="text-sm text-ink-soft">{problem.detail}</p>}
              </div>
              <Button size="small" onClick={() => unwatch.mutate({ path })}>
                Stop
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
