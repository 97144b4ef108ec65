import { Plus, Trash2 } from 'lucide-react';
import { useId, useState, type ChangeEvent, type FormEvent } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button, IconButton } from '#renderer/components/button.tsx';
import { Field, Textarea } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { formatDateTime } from '#renderer/format/format.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';
import { useNow } from '#renderer/state/use-now.ts';
import type { Problem } from '#shared/problem.ts';
import type { CertificateSummary } from '#shared/settings/certificate.ts';

const MAX_FILE_BYTES = 200_000;
/** Milliseconds before its end at which a certificate is marked. */
const SOON_MS = 30 * 86_400_000;

/** Certificates that are trusted besides the system's. */
export function CertificateSettings({
  certificates,
  onChange,
}: {
  certificates: readonly CertificateSummary[];
  onChange: () => void;
}) {
  const { notices } = useServices();
  const [isAdding, setIsAdding] = useState(false);
  const remove = useAction('network.removeCertificate', { onDone: onChange });
  return (
    <section aria-label="Certificates" className="space-y-3">
      <div className="flex items-end gap-4">
        <div className="min-w-0 flex-1">
          <h3 className="font-semibold">Certificates</h3>
          <p className="text-ink-soft">
            Trusted besides the system’s, for services and proxies of your company. Whoever holds the key of
            one can read what the app sends.
          </p>
        </div>
        {!isAdding && (
          <Button icon={<Plus size={14} />} onClick={() => setIsAdding(true)}>
            Add a certificate
          </Button>
        )}
      </div>
      {isAdding && (
        <AddCertificate
          onDone={() => {
            setIsAdding(false);
            onChange();
          }}
          onCancel={() => setIsAdding(false)}
        />
      )}
      {certificates.length === 0 ? (
        <p className="border-y border-line py-3 text-ink-faint">None: only the system’s are trusted.</p>
      ) : (
        <ul aria-label="Trusted certificates" className="divide-y divide-line border-y border-line">
          {certificates.map((certificate) => (
            <CertificateRow
              key={certificate.fingerprint}
              certificate={certificate}
              onRemove={() =>
                remove.mutate(
                  { fingerprint: certificate.fingerprint },
                  { onSuccess: () => notices.say(`${certificate.subject} is trusted no longer`) },
                )
              }
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function CertificateRow({
  certificate,
  onRemove,
}: {
  certificate: CertificateSummary;
  onRemove: () => void;
}) {
  const now = useNow(60_000);
  const { subject, issuer, validFrom, validTo, isAuthority, fingerprint } = certificate;
  const state =
    validTo < now
      ? ({ tone: 'danger', text: 'Expired' } as const)
      : validFrom > now
        ? ({ tone: 'caution', text: 'Not valid yet' } as const)
        : validTo < now + SOON_MS
          ? ({ tone: 'caution', text: 'Ends soon' } as const)
          : undefined;
  return (
    <li aria-label={subject} className="flex items-center gap-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">
          {subject}
          {state && <Badge tone={state.tone}>{state.text}</Badge>}
          {!isAuthority && <Badge>Only for itself</Badge>}
        </p>
        <p className="text-sm text-ink-faint">
          Until {formatDateTime(validTo)}
          {issuer !== subject && `, issued by ${issuer}`}
        </p>
        <p className="truncate font-mono text-sm text-ink-faint" title={fingerprint}>
          SHA-256 {fingerprint}
        </p>
      </div>
      <IconButton size="small" label={`Remove ${subject}`} icon={<Trash2 size={14} />} onClick={onRemove} />
    </li>
  );
}

function AddCertificate({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }) {
  const id = useId();
  const [pem, setPem] = useState('');
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const add = useAction('network.addCertificates', { onDone, onProblem: setProblem });
  const take = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    target.value = '';
    if (!file) return;
    setProblem(
      file.size > MAX_FILE_BYTES
        ? {
            code: 'certificate_file_too_large',
            title: 'This file is too large',
            detail: `${file.name} is no certificate: those are at most ${MAX_FILE_BYTES} bytes.`,
          }
        : undefined,
    );
    if (file.size <= MAX_FILE_BYTES) setPem(await file.text());
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setProblem(undefined);
    if (pem.trim() !== '') add.mutate({ pem });
  };
  return (
    <form
      onSubmit={submit}
      aria-label="Add a certificate"
      className="max-w-140 space-y-3 border-l-2 border-line pl-4"
    >
      <Field id={id} label="Certificate in PEM" help="One, or several one below the other.">
        {(attributes) => (
          <Textarea
            {...attributes}
            className="min-h-28 font-mono text-sm"
            spellCheck={false}
            placeholder="-----BEGIN CERTIFICATE-----"
            value={pem}
            onChange={({ target }) => setPem(target.value)}
          />
        )}
      </Field>
      <input
        type="file"
        aria-label="File with the certificate"
        accept=".pem,.crt,.cer,.txt"
        className="block text-sm text-ink-soft file:mr-3 file:h-6.5 file:rounded-md file:border file:border-solid file:border-line-strong/70 file:bg-surface file:px-2 file:text-sm file:font-medium file:text-ink"
        onChange={(event) => void take(event)}
      />
      {problem && <ProblemCard problem={problem} />}
      <div className="flex gap-2">
        <Button
          type="submit"
          variant="primary"
          busy={add.isPending}
          unavailable={pem.trim() === '' ? 'Paste it or pick its file first.' : undefined}
        >
          Trust it
        </Button>
        <Button variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
