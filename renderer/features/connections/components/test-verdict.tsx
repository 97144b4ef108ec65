import { CircleAlert, CircleCheck, CircleHelp } from 'lucide-react';
import { Field, Input } from '#renderer/components/field.tsx';
import type { ConnectionTest } from '#shared/connections/requirements.ts';

const LOOKS = {
  works: { icon: CircleCheck, tone: 'text-success', title: 'It works' },
  refused: { icon: CircleAlert, tone: 'text-danger', title: 'It was refused' },
  unreachable: { icon: CircleAlert, tone: 'text-danger', title: 'The service cannot be reached' },
  unclear: { icon: CircleHelp, tone: 'text-caution', title: 'The answer does not tell' },
  untested: { icon: CircleHelp, tone: 'text-caution', title: 'It was not tested' },
} as const;

/** What a service made of a credential. */
export function TestVerdict({ result }: { result: ConnectionTest }) {
  const { icon: Icon, tone, title } = LOOKS[result.outcome];
  return (
    <p role="status" data-outcome={result.outcome} className="flex items-start gap-2">
      <Icon size={14} aria-hidden="true" className={`mt-[3px] shrink-0 ${tone}`} />
      <span className="wrap-anywhere">
        <span className={`font-medium ${tone}`}>{title}.</span> {result.detail}
      </span>
    </p>
  );
}

/** The address a test calls; the integration knows one as a rule. */
export function TestAddress({
  id,
  value,
  onChange,
}: {
  id: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <details>
      <summary className="w-fit text-sm text-ink-soft hover:text-ink">Test with another address</summary>
      <div className="mt-2">
        <Field
          id={id}
          label="Address to call"
          help="Slipway reads it once with the credential, if the integration may call it."
        >
          {(attributes) => (
            <Input
              {...attributes}
              type="url"
              placeholder="https://api.example.com/me"
              value={value}
              onChange={({ target }) => onChange(target.value.trim())}
            />
          )}
        </Field>
      </div>
    </details>
  );
}
