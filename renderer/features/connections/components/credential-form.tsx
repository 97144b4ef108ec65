import { PlugZap } from 'lucide-react';
import { useId, useState, type ChangeEvent, type FormEvent } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { classes } from '#renderer/components/classes.ts';
import { Field, Input, Select, Textarea, type FieldAttributes } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { Connection } from '#shared/connections/connection.ts';
import type { CredentialField } from '#shared/connections/credential-fields.ts';
import type { AuthNeeds, ConnectionTest } from '#shared/connections/requirements.ts';
import type { Problem } from '#shared/problem.ts';
import { TestAddress, TestVerdict } from './test-verdict.tsx';

/** Bytes of a certificate or key file that are read. */
const MAX_FILE_BYTES = 100_000;

/** The fields a way of connecting asks for, with a test before anything is kept. */
export function CredentialForm({
  integrationId,
  method,
  connection,
  onDone,
}: {
  integrationId: string;
  method: AuthNeeds;
  /** The one that is entered anew. */
  connection: Connection | undefined;
  onDone: (connection: Connection) => void;
}) {
  const id = useId();
  const { authKey, way, fields } = method;
  const [values, setValues] = useState(() => initialValues(fields));
  const [label, setLabel] = useState(connection?.label ?? '');
  const [url, setUrl] = useState('');
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [tested, setTested] = useState<ConnectionTest | undefined>(undefined);
  const create = useAction('connections.create', { onDone, onProblem: setProblem });
  const test = useAction('connections.test', { onDone: setTested, onProblem: setProblem });
  const causesAt = (name: string) =>
    (problem?.causes ?? []).filter(({ pointer }) => pointer === `/${name}`).map(({ detail }) => detail);
  const unplaced = problem && {
    ...problem,
    causes: problem.causes?.filter(({ pointer }) => !fields.some(({ name }) => pointer === `/${name}`)),
  };
  const isPlaced = problem?.code === 'credentials_invalid' && unplaced?.causes?.length === 0;
  const missing = fields.find(({ name, required }) => required && (values[name] ?? '') === '');
  const unavailable = missing && `Fill in “${missing.title}” first.`;
  const change = (name: string, value: string) => {
    setProblem(undefined);
    setTested(undefined);
    setValues((known) => ({ ...known, [name]: value }));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (unavailable !== undefined) return;
    setProblem(undefined);
    create.mutate({
      integrationId,
      authKey,
      fields: values,
      ...(label.trim() !== '' && { label }),
      ...(connection && { connectionId: connection.id }),
    });
  };
  return (
    <form onSubmit={submit} aria-label="Credentials" className="space-y-4">
      {fields.length === 0 && <p className="text-ink-soft">This way of connecting asks for nothing.</p>}
      {way === 'login' && (
        <p className="text-ink-soft">
          Slipway signs in with these and keeps the session, which it renews by itself.
        </p>
      )}
      {fields.map((field) => (
        <Field
          key={field.name}
          id={`${id}-${field.name}`}
          label={field.title}
          required={field.required}
          help={field.description}
          errors={causesAt(field.name)}
        >
          {(attributes) => (
            <CredentialInput
              field={field}
              attributes={attributes}
              value={values[field.name] ?? ''}
              onChange={(value) => change(field.name, value)}
              onProblem={setProblem}
            />
          )}
        </Field>
      ))}
      <Field
        id={`${id}-label`}
        label="Label"
        help="What you and the model call this account. Left empty, Slipway picks one."
      >
        {(attributes) => (
          <Input
            {...attributes}
            maxLength={80}
            autoComplete="off"
            value={label}
            onChange={({ target }) => setLabel(target.value)}
          />
        )}
      </Field>
      <TestAddress id={`${id}-url`} value={url} onChange={setUrl} />
      {problem && !isPlaced && <ProblemCard problem={unplaced ?? problem} />}
      {tested && <TestVerdict result={tested} />}
      <div className="flex gap-2">
        <Button type="submit" variant="primary" busy={create.isPending} unavailable={unavailable}>
          Save
        </Button>
        <Button
          icon={<PlugZap size={14} />}
          busy={test.isPending}
          unavailable={unavailable}
          onClick={() => {
            setProblem(undefined);
            setTested(undefined);
            test.mutate({
              subject: { integrationId, authKey, fields: values },
              ...(url !== '' && { url }),
            });
          }}
        >
          Test
        </Button>
      </div>
    </form>
  );
}

function initialValues(fields: readonly CredentialField[]): Record<string, string> {
  return Object.fromEntries(fields.map(({ name, defaultValue = '' }) => [name, defaultValue]));
}

interface CredentialInputProps {
  readonly field: CredentialField;
  readonly attributes: FieldAttributes;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onProblem: (problem: Problem) => void;
}

function CredentialInput({ field, attributes, value, onChange, onProblem }: CredentialInputProps) {
  if (field.choices.length > 0) {
    return (
      <Select {...attributes} value={value} onChange={({ target }) => onChange(target.value)}>
        {!field.choices.includes(value) && <option value={value}>{value || 'Choose…'}</option>}
        {field.choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </Select>
    );
  }
  if (field.multiline) {
    return (
      <PastedFile
        field={field}
        attributes={attributes}
        value={value}
        onChange={onChange}
        onProblem={onProblem}
      />
    );
  }
  return (
    <Input
      {...attributes}
      type={field.secret ? 'password' : field.format === 'email' ? 'email' : 'text'}
      autoComplete="off"
      spellCheck={false}
      placeholder={field.example}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

/** A certificate or key: pasted, or read from a file. */
function PastedFile({ field, attributes, value, onChange, onProblem }: CredentialInputProps) {
  const take = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    // The same file may be picked again after it was mended.
    target.value = '';
    if (!file) return;
    if (file.size > MAX_FILE_BYTES) {
      onProblem({
        code: 'credential_file_too_large',
        title: 'This file is too large',
        detail: `${file.name} is no certificate or key: those are at most ${MAX_FILE_BYTES} bytes.`,
      });
      return;
    }
    onChange(await file.text());
  };
  // A certificate may be read by anyone; what belongs to it may not.
  const isHidden =
    field.secret && value !== '' && !value.trimStart().startsWith('-----BEGIN CERTIFICATE-----');
  return (
    <div className="space-y-1.5">
      <Textarea
        {...attributes}
        className={classes('font-mono text-sm', isHidden && '[-webkit-text-security:disc]')}
        autoComplete="off"
        spellCheck={false}
        placeholder={field.example ?? 'Paste it here, or pick its file'}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <input
        type="file"
        aria-label={`File of ${field.title}`}
        accept=".pem,.crt,.cer,.key,.json,.txt"
        // It has forgotten the file by the time it would name it.
        className="block w-fit text-sm text-transparent file:mr-3 file:h-6.5 file:rounded-md file:border file:border-solid file:border-line-strong/70 file:bg-surface file:px-2 file:text-sm file:font-medium file:text-ink"
        onChange={(event) => void take(event)}
      />
    </div>
  );
}
