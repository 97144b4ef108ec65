import { formatQuantity } from '#renderer/format/format.ts';
import { classes } from '#renderer/components/classes.ts';
import type { ChangeReport } from '#shared/ipc/library-routes.ts';
import { groupReach, groupThrough } from '../model/reach-groups.ts';
import { ReachIcon } from './reach-list.tsx';

type Change = ChangeReport['reach'][number]['change'];

const marks: Record<Change, { sign: string; word: string; className: string }> = {
  added: { sign: '+', word: 'new', className: 'text-caution' },
  changed: { sign: '~', word: 'changed', className: 'text-caution' },
  removed: { sign: '−', word: 'gone', className: 'text-ink-faint' },
};

interface ListOptions {
  /** There is nothing yet that it would change. */
  readonly isNew?: boolean;
  readonly isNarrow?: boolean;
}

/** What grows and what goes when one state of a package takes the place of another. */
export function ChangeList({
  changes,
  isNew = false,
  isNarrow = false,
}: ListOptions & { changes: ChangeReport }) {
  const { reach, files } = changes;
  const own = reach.filter(({ through }) => through === undefined);
  return (
    <div className="space-y-4">
      {own.length === 0 && (
        <p className="text-ink-soft">
          {isNew
            ? 'It reaches nothing by itself: no host, no credential, no tool, no code.'
            : `It may reach just what it may reach now${own.length < reach.length ? ', by itself' : ''}.`}
        </p>
      )}
      <ReachChanges reach={own} isNew={isNew} isNarrow={isNarrow} />
      {groupThrough(reach).map(({ name, items }) => (
        <section key={name} aria-label={`Through ${name}`} className="border-t border-line pt-3">
          <h4 className="mb-2 flex items-center gap-2 font-medium">
            <ReachIcon kind="dependency" />
            <span>
              Through <span className="font-mono text-sm">{name}</span>, which it needs
            </span>
          </h4>
          <div className="space-y-3 pl-6">
            <ReachChanges reach={items} isNew={isNew} isNarrow={isNarrow} />
          </div>
        </section>
      ))}
      {!isNew && files.length > 0 && <FileChanges files={files} />}
    </div>
  );
}

function ReachChanges({
  reach,
  isNew,
  isNarrow,
}: ListOptions & { reach: readonly ChangeReport['reach'][number][] }) {
  return groupReach(reach).map(({ kind, title, items }) => (
    <section key={kind} aria-label={title}>
      <h4 className="mb-0.5 flex items-center gap-2 font-medium">
        <ReachIcon kind={kind} />
        {title}
        <span className="font-normal text-ink-faint">{items.length}</span>
      </h4>
      <ul className="pl-6">
        {items.map(({ subject, reason, change }) => (
          <li
            key={`${change} ${subject} ${reason}`}
            className={classes(
              'grid gap-x-2 border-t border-line py-1',
              isNarrow ? 'grid-cols-[1rem_minmax(0,1fr)]' : 'grid-cols-[1rem_minmax(0,2fr)_minmax(0,3fr)]',
            )}
          >
            {isNew ? (
              <span />
            ) : (
              <span className={classes('text-center font-mono font-semibold', marks[change].className)}>
                <span aria-hidden="true">{marks[change].sign}</span>
                <span className="sr-only">{marks[change].word}: </span>
              </span>
            )}
            <span
              className={classes(
                'font-mono text-sm leading-5 wrap-anywhere',
                change === 'removed' && 'text-ink-faint line-through',
              )}
            >
              {subject}
            </span>
            <span className={classes('text-ink-soft', isNarrow && 'col-start-2 text-sm')}>{reason}</span>
          </li>
        ))}
      </ul>
    </section>
  ));
}

function FileChanges({ files }: { files: ChangeReport['files'] }) {
  return (
    <details>
      <summary className="font-medium">
        {formatQuantity(files.length, 'file differs', 'files differ')}
      </summary>
      <ul className="mt-1 pl-6 font-mono text-sm">
        {files.map(({ path, change }) => (
          <li key={path} className="flex gap-2">
            <span className={classes('w-4 text-center', marks[change].className)}>
              <span aria-hidden="true">{marks[change].sign}</span>
              <span className="sr-only">{marks[change].word}: </span>
            </span>
            <span className="wrap-anywhere">{path}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
