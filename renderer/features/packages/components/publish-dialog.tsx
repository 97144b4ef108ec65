import { useId, useState } from 'react';
import { ActionDialog } from '#renderer/components/action-dialog.tsx';
import { Badge } from '#renderer/components/badge.tsx';
import { Field, FieldErrors, Input } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { formatQuantity } from '#renderer/format/format.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { placeLink } from '#renderer/state/place.ts';
import { useAction, useRequest } from '#renderer/state/requests.ts';
import type { ChangeReport, PackageDetail } from '#shared/ipc/library-routes.ts';
import type { Problem } from '#shared/problem.ts';
import { openDrafts } from '../model/open-drafts.ts';
import { placeOf } from '../model/package-places.ts';
import { highestOf, proposedVersion, refuseVersion, versionChoices } from '../model/version-choice.ts';
import { ChangeList } from './change-list.tsx';

/** Makes the draft a version: which one, and what changes for those who use the package. */
export function PublishDialog({ detail, onClose }: { detail: PackageDetail; onClose: () => void }) {
  const id = useId();
  const { notices } = useServices();
  const { summary, findings, versions, nextVersions } = detail;
  const existing = versions.map(({ version }) => version);
  const highest = highestOf(existing);
  const choices = versionChoices(nextVersions, highest);
  const since = useRequest(
    'library.compare',
    { name: summary.name, from: highest ?? '', to: 'draft' },
    { version: summary.updatedAt, enabled: highest !== undefined },
  );
  const proposed = proposedVersion(nextVersions, highest, since.data?.step);
  const [decided, setChosen] = useState<string>();
  const chosen = decided ?? proposed ?? 'other';
  const [other, setOther] = useState('');
  const [tag, setTag] = useState('');
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const pointTag = useAction('library.tag', {});
  const version = chosen === 'other' ? other.trim() : chosen;
  const refusal = refuseVersion(version, existing);
  const errors = findings.filter(({ severity, blocks }) => severity === 'error' && blocks !== 'nothing');
  const publish = useAction('library.publish', {
    onProblem: setProblem,
    onDone: (done) => {
      notices.say(`Published ${summary.displayName} ${done.version}`);
      for (const warning of done.warnings) {
        notices.report({
          code: 'dependency',
          title: 'Published, but something it needs is missing',
          detail: warning,
        });
      }
      const wanted = tag.trim();
      if (wanted !== '') pointTag.mutate({ name: summary.name, tag: wanted, version: done.version });
      onClose();
    },
  });
  return (
    <ActionDialog
      title={`Publish ${summary.displayName}`}
      description="Keeps the draft as a version that never changes. Agents find it by their ranges."
      action={refusal || !version ? 'Publish' : `Publish ${version}`}
      width="max-w-150"
      busy={publish.isPending}
      unavailable={
        errors.length > 0
          ? `The draft has ${formatQuantity(errors.length, 'error')} that forbid publishing.`
          : refusal
      }
      problem={problem}
      onClose={onClose}
      onSubmit={() => {
        setProblem(undefined);
        // What was typed a moment ago belongs to it.
        void openDrafts.flush(summary.name).then(() => publish.mutate({ name: summary.name, version }));
      }}
    >
      {errors.length > 0 && (
        <ProblemCard
          problem={{
            code: 'package_invalid',
            title: 'It cannot be published yet',
            detail: 'A draft may be kept and run with these; a version may not have them.',
            causes: errors.map(({ code, message, file, line, column }) => ({
              code,
              detail: `${file}:${line}:${column}: ${message}`,
            })),
          }}
        >
          <a
            href={placeLink(placeOf(summary, 'edit'))}
            onClick={onClose}
            className="text-accent underline underline-offset-2"
          >
            Mend them in the editor
          </a>
        </ProblemCard>
      )}
      <fieldset>
        <legend className="mb-1.5 font-medium">
          Version
          {highest !== undefined && <span className="font-normal text-ink-faint">, after {highest}</span>}
        </legend>
        <div className="divide-y divide-line rounded-md border border-line">
          {choices.map((choice) => (
            <label key={choice.version} className="flex items-center gap-3 px-3 py-2 has-checked:bg-selected">
              <input
                type="radio"
                name={`${id}-version`}
                checked={chosen === choice.version}
                onChange={() => setChosen(choice.version)}
              />
              <span className="w-28 shrink-0 font-mono font-medium">{choice.version}</span>
              <span className="flex-1 text-ink-soft">{choice.meaning}</span>
              {since.data && choice.version === proposed && <Badge tone="accent">suggested</Badge>}
            </label>
          ))}
          <div className="flex items-center gap-3 px-3 py-1.5 has-checked:bg-selected">
            <input
              id={`${id}-other`}
              type="radio"
              name={`${id}-version`}
              checked={chosen === 'other'}
              onChange={() => setChosen('other')}
            />
            <label htmlFor={`${id}-other`} className="shrink-0">
              Another
            </label>
            <Input
              aria-label="Another version"
              aria-invalid={(chosen === 'other' && other !== '' && refusal !== undefined) || undefined}
              aria-describedby={`${id}-refusal`}
              className="max-w-40 font-mono"
              placeholder="1.4.0-beta.1"
              value={other}
              onFocus={() => setChosen('other')}
              onChange={(event) => setOther(event.target.value)}
            />
          </div>
        </div>
        {since.data && since.data.stepReasons.length > 0 && <StepReasons reasons={since.data.stepReasons} />}
        <FieldErrors
          id={`${id}-refusal`}
          errors={chosen === 'other' && other !== '' && refusal !== undefined ? [refusal] : []}
        />
      </fieldset>
      <Field id={`${id}-tag`} label="Tag" help="A name that leads to this version from now on. Optional.">
        {(attributes) => (
          <Input
            {...attributes}
            className="max-w-60"
            placeholder="stable"
            value={tag}
            onChange={(event) => setTag(event.target.value)}
          />
        )}
      </Field>
      {highest !== undefined && since.data && <SinceLast version={highest} changes={since.data} />}
    </ActionDialog>
  );
}

/** Why the step is a major one. */
function StepReasons({ reasons }: { reasons: readonly string[] }) {
  return (
    <section aria-label="Why a major version" className="mt-2 border-l-2 border-caution pl-3">
      <p>Somebody who uses it must change something, so this is a major step:</p>
      <ul className="mt-1 list-disc pl-5 text-ink-soft">
        {reasons.map((reason) => (
          <li key={reason} className="wrap-anywhere">
            {reason}
          </li>
        ))}
      </ul>
    </section>
  );
}

function SinceLast({ version, changes }: { version: string; changes: ChangeReport }) {
  return (
    <section aria-label={`Since ${version}`}>
      <h3 className="mb-1 font-medium">
        Since {version}
        <span className="font-normal text-ink-faint">
          , {formatQuantity(changes.files.length, 'file')} changed
        </span>
      </h3>
      <ChangeList changes={changes} />
    </section>
  );
}
