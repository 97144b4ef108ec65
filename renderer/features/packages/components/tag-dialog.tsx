import { useId, useState } from 'react';
import { ActionDialog } from '#renderer/components/action-dialog.tsx';
import { Button } from '#renderer/components/button.tsx';
import { Field, Input } from '#renderer/components/field.tsx';
import { useServices } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import type { Problem } from '#shared/problem.ts';

/** Points tags at a version, or takes them away. */
export function TagDialog({
  detail,
  version,
  onClose,
}: {
  detail: PackageDetail;
  version: string;
  onClose: () => void;
}) {
  const id = useId();
  const { notices } = useServices();
  const { name, tags } = detail.summary;
  const [tag, setTag] = useState('');
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const change = useAction('library.tag', {
    onProblem: setProblem,
    onDone: (_, { tag: changed, version: target }) => {
      notices.say(target ? `“${changed}” leads to ${target}` : `“${changed}” is gone`);
      if (target) onClose();
    },
  });
  const own = Object.entries(tags).filter(([known]) => known !== 'latest');
  return (
    <ActionDialog
      title={`Tag ${version}`}
      description="A tag is a name that leads to one version, and can be moved. “latest” moves by itself."
      action="Tag"
      busy={change.isPending}
      unavailable={tag.trim() === '' ? 'Write the tag first.' : undefined}
      problem={problem}
      onClose={onClose}
      onSubmit={() => {
        setProblem(undefined);
        change.mutate({ name, tag: tag.trim(), version });
      }}
    >
      <Field id={`${id}-tag`} label="Tag">
        {(attributes) => (
          <Input
            {...attributes}
            placeholder="stable"
            value={tag}
            onChange={(event) => setTag(event.target.value)}
          />
        )}
      </Field>
      {own.length > 0 && (
        <ul aria-label="Tags there are" className="divide-y divide-line border-y border-line">
          {own.map(([known, target]) => (
            <li key={known} className="flex items-center gap-3 py-1.5">
              <span className="font-medium">{known}</span>
              <span className="flex-1 font-mono text-sm text-ink-soft">{target}</span>
              <Button size="small" onClick={() => change.mutate({ name, tag: known })}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
    </ActionDialog>
  );
}
