import { useId, useState, type FormEvent } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { Field, Input, Select, Textarea, type FieldAttributes } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { VaultDoor } from '#renderer/features/vault/index.ts';
import { useApp, useServices } from '#renderer/state/app-context.tsx';
import { useAction, useRequest } from '#renderer/state/requests.ts';
import type { ShownServerSetting } from '#shared/ipc/server-setting-routes.ts';
import type { Problem } from '#shared/problem.ts';

/** What the local MCP server of an integration wants to be told. Nothing where it asks for nothing. */
export function ServerSettings({ integrationId }: { integrationId: string }) {
  const vault = useApp((state) => state.vault);
  const isOpen = vault?.state === 'open';
  const asked = useRequest('serverSettings.describe', { integrationId }, { version: vault?.state });
  if (asked.isError && isOpen) return <ProblemCard problem={asked.error.problem} />;
  const { server = 'The server', settings = [] } = asked.data ?? {};
  const waitsForVault = asked.isError || (vault !== undefined && !isOpen);
  if (!asked.isError && settings.length === 0) return undefined;
  return (
    <section aria-label="Settings of the server">
      <h3 className="mb-1 font-semibold">Settings of the server</h3>
      <p className="mb-3 text-ink-soft">
        What {server} is told when it starts. All of it is kept in the vault. What an account fills counts
        before it.
      </p>
      {waitsForVault ? (
        vault && <VaultDoor vault={vault} />
      ) : (
        <SettingsForm
          key={asked.dataUpdatedAt}
          integrationId={integrationId}
          settings={settings}
          onSaved={() => void asked.refetch()}
        />
      )}
    </section>
  );
}

function SettingsForm({
  integrationId,
  settings,
  onSaved,
}: {
  integrationId: string;
  settings: readonly ShownServerSetting[];
  onSaved: () => void;
}) {
  const id = useId();
  const [texts, setTexts] = useState(() => Object.fromEntries(settings.map((one) => [one.key, textOf(one)])));
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const { notices } = useServices();
  const save = useAction('serverSettings.save', {
    onDone: () => {
      notices.say('The settings are saved; the server’s next start uses them.');
      onSaved();
    },
    onProblem: setProblem,
  });
  const place = (key: string) => `/settings/${key}`;
  const isPlaced = settings.some(({ key }) => problem?.pointer === place(key));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setProblem(undefined);
    const values = settings.flatMap((one) => {
      const text = texts[one.key] ?? '';
      // What is not typed anew stays what it is.
      return one.isSecret && text === '' ? [] : [[one.key, valueOf(one, text)] as const];
    });
    save.mutate({ integrationId, values: Object.fromEntries(values) });
  };
  return (
    <form onSubmit={submit} aria-label="Settings of the server" className="space-y-4">
      {settings.map((setting) => (
        <Field
          key={setting.key}
          id={`${id}-${setting.key}`}
          label={setting.title}
          required={setting.required && setting.default === undefined}
          help={helpOf(setting)}
          errors={problem?.pointer === place(setting.key) ? [problem.detail] : []}
        >
          {(attributes) => (
            <SettingInput
              setting={setting}
              attributes={attributes}
              text={texts[setting.key] ?? ''}
              onChange={(text) => setTexts((known) => ({ ...known, [setting.key]: text }))}
            />
          )}
        </Field>
      ))}
      {problem && !isPlaced && <ProblemCard problem={problem} />}
      <Button type="submit" busy={save.isPending}>
        Save
      </Button>
    </form>
  );
}

function SettingInput({
  setting,
  attributes,
  text,
  onChange,
}: {
  setting: ShownServerSetting;
  attributes: FieldAttributes;
  text: string;
  onChange: (text: string) => void;
}) {
  if (setting.type === 'boolean') {
    return (
      <Select {...attributes} value={text} onChange={({ target }) => onChange(target.value)}>
        <option value="">As the server has it</option>
        <option value="true">On</option>
        <option value="false">Off</option>
      </Select>
    );
  }
  if (setting.multiple && !setting.isSecret) {
    return (
      <Textarea
        {...attributes}
        rows={3}
        spellCheck={false}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  }
  return (
    <Input
      {...attributes}
      type={setting.isSecret ? 'password' : 'text'}
      inputMode={setting.type === 'number' ? 'decimal' : undefined}
      autoComplete="off"
      spellCheck={false}
      placeholder={setting.isKept ? 'Kept in the vault' : shown(setting.default)}
      value={text}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

function helpOf({ description, multiple, isSecret, type }: ShownServerSetting): string {
  const notes = [
    description,
    multiple && !isSecret ? 'One on each line.' : '',
    type === 'directory' || type === 'file' ? 'A path as the server sees it, in its container.' : '',
  ];
  return notes.filter((note) => note !== '').join(' ');
}

function textOf({ value }: ShownServerSetting): string {
  return shown(value) ?? '';
}

function shown(value: ShownServerSetting['value']): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'object' ? value.join('\n') : String(value);
}

/** What is sent for a text; an empty one takes the value away. */
function valueOf({ type, multiple }: ShownServerSetting, text: string): string | boolean | string[] | null {
  if (text === '') return null;
  if (type === 'boolean') return text === 'true';
  if (multiple) return text.split('\n').filter((line) => line.trim() !== '');
  return text;
}
