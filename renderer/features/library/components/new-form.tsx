import { useId, useState, type FormEvent } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { Field, Input } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import {
  placeOf,
  proposeName,
  refuseName,
  rememberScope,
  slugOf,
  type kindWords,
} from '#renderer/features/packages/index.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { goTo } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import type { Problem } from '#shared/problem.ts';

const AUTHOR_KEY = 'slipway.author';

const examples: Record<PackageType, { title: string; what: string }> = {
  agent: { title: 'Weekly report', what: 'a small agent that reads a file and answers a question about it' },
  skill: { title: 'House style', what: 'a skill with its SKILL.md' },
  integration: { title: 'Our ticket system', what: 'an integration that signs in with a key' },
  'mcp-server': { title: 'Word counter', what: 'a server with one tool, in plain Node' },
};

/** Names a new package. What it begins as works already, and is changed from there. */
export function NewForm({
  kind,
  words,
  onClose,
}: {
  kind: PackageType;
  words: ReturnType<typeof kindWords>;
  onClose: () => void;
}) {
  const id = useId();
  const packages = useApp(({ library }) => library?.packages);
  const taken = (packages ?? []).map(({ name }) => name);
  const [title, setTitle] = useState('');
  const [description, setDescription] = useState('');
  const [author, setAuthor] = useState(() => localStorage.getItem(AUTHOR_KEY) ?? '');
  const [ownName, setOwnName] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const name = ownName ?? proposeName(slugOf(title), taken);
  const refusal = refuseName(name, taken);
  const create = useAction('library.create', {
    onProblem: setProblem,
    onDone: (created) => {
      rememberScope(created.name);
      localStorage.setItem(AUTHOR_KEY, author.trim());
      onClose();
      goTo(placeOf({ name: created.name, type: kind }, 'edit'));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (refusal !== undefined || create.isPending) return;
    setProblem(undefined);
    create.mutate({
      type: kind,
      name,
      ...(title.trim() && { displayName: title.trim() }),
      ...(description.trim() && { description: description.trim() }),
      ...(author.trim() && { author: author.trim() }),
    });
  };
  return (
    <form onSubmit={submit} className="flex min-h-0 flex-col">
      <div className="space-y-4 overflow-auto px-5 pb-4">
        <p className="text-ink-soft">It begins as {examples[kind].what}. It works at once; you change it.</p>
        <Field id={`${id}-title`} label="What people call it">
          {(attributes) => (
            <Input
              {...attributes}
              // The person asked for it to name something.
              // oxlint-disable-next-line jsx-a11y/no-autofocus
              autoFocus
              placeholder={examples[kind].title}
              maxLength={200}
              value={title}
              onChange={(event) => setTitle(event.target.value)}
            />
          )}
        </Field>
        <Field
          id={`${id}-name`}
          label="Name"
          required
          help="@scope/name. Others refer to it by this, so it cannot be changed later."
          errors={name !== '' && refusal !== undefined ? [refusal] : []}
        >
          {(attributes) => (
            <Input
              {...attributes}
              className="font-mono"
              spellCheck={false}
              placeholder="@me/weekly-report"
              value={name}
              onChange={(event) => setOwnName(event.target.value.toLowerCase())}
            />
          )}
        </Field>
        <Field id={`${id}-description`} label="What it does" help="One sentence. It can be found by it.">
          {(attributes) => (
            <Input
              {...attributes}
              maxLength={2000}
              value={description}
              onChange={(event) => setDescription(event.target.value)}
            />
          )}
        </Field>
        <Field id={`${id}-author`} label="Author" help="Goes into the manifest, and so into every export.">
          {(attributes) => (
            <Input
              {...attributes}
              maxLength={200}
              value={author}
              onChange={(event) => setAuthor(event.target.value)}
            />
          )}
        </Field>
        {problem && <ProblemCard problem={problem} />}
      </div>
      <footer className="flex justify-end gap-2 border-t border-line px-5 py-3">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          busy={create.isPending}
          unavailable={name === '' ? 'Say what people call it first.' : refusal}
        >
          Create the {words.one}
        </Button>
      </footer>
    </form>
  );
}
