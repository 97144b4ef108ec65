import { useMemo, useState } from 'react';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { classes } from '#renderer/components/classes.ts';
import { moveFocus } from '#renderer/components/move-focus.ts';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { KindIcon } from '#renderer/features/packages/index.ts';
import { formatQuantity } from '#renderer/format/format.ts';
import type { ImportItem, ImportPreview } from '#shared/ipc/library-routes.ts';
import { useImport } from '../hooks/import-context.tsx';
import {
  choiceWords,
  decideAll,
  inReadingOrder,
  stateWords,
  summarize,
  type Decisions,
} from '../model/decisions.ts';
import { ImportItemView } from './import-item.tsx';

/** What an import would bring and change, to be agreed to. */
export function ImportPreviewView({
  preview,
  decisions,
  isTaking,
}: {
  preview: ImportPreview;
  decisions: Decisions;
  isTaking: boolean;
}) {
  const desk = useImport();
  const { problems, warnings } = preview;
  const items = useMemo(() => inReadingOrder(preview.items), [preview.items]);
  const [currentId, setCurrentId] = useState(items[0]?.id);
  const current = items.find(({ id }) => id === currentId) ?? items[0];
  const summary = summarize(preview, decisions);
  const notes = [...new Set(warnings)];
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {(problems.length > 0 || notes.length > 0) && (
        <div className="max-h-[26vh] shrink-0 space-y-2 overflow-auto px-5 pb-3">
          {problems.map((problem) => (
            <ProblemCard key={`${problem.code} ${problem.detail}`} problem={problem} />
          ))}
          {notes.map((note) => (
            <p key={note} className="border-l-2 border-caution bg-caution-soft px-3 py-2">
              {note}
            </p>
          ))}
        </div>
      )}
      {current && (
        <div className="flex min-h-0 flex-1 border-t border-line">
          {items.length > 1 && (
            <div className="flex w-72 shrink-0 flex-col border-r border-line">
              <ForAll preview={preview} decisions={decisions} />
              {/* Arrow keys move between the packages; each is a button that Tab reaches too. */}
              {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
              <ul
                aria-label="Packages found"
                className="min-h-0 flex-1 overflow-auto"
                onKeyDown={(event) => moveFocus(event, 'button')}
              >
                {items.map((item) => (
                  <ItemRow
                    key={item.id}
                    item={item}
                    isCurrent={item.id === current.id}
                    isTaken={(decisions[item.id] ?? 'skip') !== 'skip'}
                    onShow={() => setCurrentId(item.id)}
                  />
                ))}
              </ul>
            </div>
          )}
          <ImportItemView
            key={current.id}
            item={current}
            choice={decisions[current.id] ?? 'skip'}
            onChoose={(choice) => desk.decideOne(current.id, choice)}
            onMend={(finding) => void desk.mend(current.id, finding)}
          />
        </div>
      )}
      <footer className="flex shrink-0 items-center gap-2 border-t border-line px-5 py-3">
        <p role="status" className="min-w-0 flex-1 text-ink-soft">
          {items.length > 1 && summaryWords(summary)}
        </p>
        <Button onClick={() => desk.close()}>{items.length === 0 ? 'Close' : 'Cancel'}</Button>
        {items.length > 0 && (
          <Button
            variant="primary"
            busy={isTaking}
            unavailable={summary.taken === 0 ? 'There is nothing to take.' : undefined}
            onClick={() => void desk.commit()}
          >
            {items.length === 1 && current
              ? actionWords(current, decisions)
              : `Import ${formatQuantity(summary.taken, 'package')}`}
          </Button>
        )}
      </footer>
    </div>
  );
}

function actionWords(item: ImportItem, decisions: Decisions): string {
  return decisions[item.id] === 'draft' ? 'Import as a draft' : `Import ${item.version}`;
}

function summaryWords({ left, refused, replaced, widened }: ReturnType<typeof summarize>): string {
  return [
    left > 0 && `${formatQuantity(left, 'package')} left as ${left === 1 ? 'it is' : 'they are'}`,
    refused > 0 && `${refused} refused`,
    widened.length > 0 && `${widened.length} may do more than before`,
    replaced.length > 0 && `${formatQuantity(replaced.length, 'draft')} replaced`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** One choice for all that allow it. */
function ForAll({ preview, decisions }: { preview: ImportPreview; decisions: Decisions }) {
  const desk = useImport();
  const choices = (['version', 'draft', 'skip'] as const).filter((choice) =>
    preview.items.some((item) => item.choices.includes(choice) && item.choices.length > 1),
  );
  const words = { version: 'Versions', draft: 'Drafts', skip: 'Nothing' } as const;
  if (choices.length < 2) return null;
  return (
    <div className="flex items-center gap-1 border-b border-line px-3 py-1.5 text-sm">
      <span className="flex-1 text-ink-faint">Take all as</span>
      {choices.map((choice) => (
        <Button
          key={choice}
          size="small"
          variant="ghost"
          onClick={() => desk.decide(decideAll(preview, decisions, choice))}
        >
          {words[choice]}
        </Button>
      ))}
    </div>
  );
}

function ItemRow({
  item,
  isCurrent,
  isTaken,
  onShow,
}: {
  item: ImportItem;
  isCurrent: boolean;
  isTaken: boolean;
  onShow: () => void;
}) {
  const { word, tone } = stateWords(item);
  const errors = item.findings.filter(({ severity }) => severity === 'error').length;
  const warnings = item.findings.filter(({ severity }) => severity === 'warning').length;
  return (
    <li className="[contain-intrinsic-size:auto_52px] [content-visibility:auto]">
      <button
        type="button"
        aria-current={isCurrent || undefined}
        onClick={onShow}
        onFocus={onShow}
        className={classes(
          'flex w-full gap-2 border-b border-line px-3 py-2 text-left focus-visible:-outline-offset-2',
          isCurrent ? 'bg-selected' : 'hover:bg-hover',
        )}
      >
        <span className="mt-0.5 text-ink-faint">
          {item.type ? <KindIcon kind={item.type} size={14} /> : <CircleAlert size={14} aria-hidden="true" />}
        </span>
        <span className="min-w-0 flex-1">
          <span className={classes('block truncate font-medium', !isTaken && 'text-ink-faint')}>
            {item.displayName}
          </span>
          <span className="flex items-center gap-1.5 text-sm text-ink-faint">
            <Badge tone={tone}>{word}</Badge>
            {errors > 0 && (
              <span className="flex items-center gap-0.5 text-danger">
                <CircleAlert size={12} aria-hidden="true" />
                {errors}
                <span className="sr-only"> errors</span>
              </span>
            )}
            {errors === 0 && warnings > 0 && (
              <span className="flex items-center gap-0.5 text-caution">
                <TriangleAlert size={12} aria-hidden="true" />
                {warnings}
                <span className="sr-only"> warnings</span>
              </span>
            )}
            {!isTaken && item.choices.length > 1 && choiceWords('skip', item)}
          </span>
          {item.rivals.length > 0 && (
            <span className="block truncate text-sm text-ink-faint">{item.from}</span>
          )}
        </span>
      </button>
    </li>
  );
}
