import { useMemo, type KeyboardEvent } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { Field, Input, Textarea } from '#renderer/components/field.tsx';
import { isApple } from '#renderer/components/kbd.tsx';
import { readFrontmatter, writeFrontmatter } from '#shared/manifest/skill-frontmatter.ts';
import { useForm } from '../hooks/form-context.ts';
import { useText } from '../hooks/use-document.ts';
import type { EditedText } from '../model/edited-text.ts';

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;

/** What an agent knows of a skill before it reads it: the head of its SKILL.md, as two fields. */
export function SkillHead({ text }: { text: EditedText }) {
  const { manifest, edit } = useForm();
  const current = useText(text);
  const head = useMemo(() => readFrontmatter(current), [current]);
  const name = head?.name ?? '';
  const description = head?.description ?? '';
  const told = manifest['description'];
  const write = (field: 'name' | 'description', value: string) =>
    text.change(writeFrontmatter(text.text, field, value), { key: `frontmatter ${field}` });
  const differs = typeof told === 'string' && told !== '' && description !== '' && told !== description;
  return (
    // The fields write the Markdown, so what undo takes back here is of the Markdown too.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="mb-3 max-w-200 space-y-3" onKeyDown={(event) => undoIn(text, event)}>
      <div className="grid gap-4 sm:grid-cols-[20rem_1fr]">
        <Field
          id="skill-name"
          label="Name"
          required
          errors={nameErrors(name)}
          extra={<Count of={name} most={MAX_NAME} />}
        >
          {(attributes) => (
            <Input
              {...attributes}
              className="font-mono"
              value={name}
              placeholder="csv-report"
              onChange={(event) => write('name', event.target.value)}
            />
          )}
        </Field>
        <Field
          id="skill-description"
          label="When to use it"
          help="By this an agent decides whether to read the skill: say what it does and when it helps."
          errors={
            description.length > MAX_DESCRIPTION ? [`At most ${MAX_DESCRIPTION} characters are read.`] : []
          }
          extra={<Count of={description} most={MAX_DESCRIPTION} />}
        >
          {(attributes) => (
            <Textarea
              {...attributes}
              rows={2}
              className="min-h-14"
              value={description}
              onChange={(event) => write('description', event.target.value)}
            />
          )}
        </Field>
      </div>
      {differs && (
        <p className="flex flex-wrap items-center gap-2 border-l-2 border-caution pl-3 text-sm">
          The library describes the package by other words.
          <Button size="small" onClick={() => edit([{ pointer: '/description', value: description }])}>
            Use these there
          </Button>
          <Button size="small" onClick={() => write('description', told)}>
            Use those here
          </Button>
        </p>
      )}
    </div>
  );
}

function nameErrors(name: string): string[] {
  if (name === '') return ['A skill needs a name.'];
  if (name.length > MAX_NAME) return [`At most ${MAX_NAME} characters.`];
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) ? [] : ['Use lower-case words with hyphens between them.'];
}

function Count({ of, most }: { of: string; most: number }) {
  return (
    <span className={of.length > most ? 'text-sm text-danger' : 'text-sm text-ink-faint'}>
      {of.length} of {most}
    </span>
  );
}

function undoIn(text: EditedText, event: KeyboardEvent): void {
  const isCommand = isApple ? event.metaKey : event.ctrlKey;
  const key = event.key.toLowerCase();
  if (!isCommand || event.altKey || (key !== 'z' && key !== 'y')) return;
  event.preventDefault();
  if (key === 'y' || event.shiftKey) text.redo();
  else text.undo();
}
