import { useMemo } from 'react';
import { classes } from './classes.ts';
import { diffReplacement, type DiffLine } from './line-diff.ts';
import { ScrollRegion } from './scroll-region.tsx';

const looks: Record<DiffLine['kind'], { sign: string; word: string; tone: string }> = {
  same: { sign: ' ', word: '', tone: 'text-ink-soft' },
  added: { sign: '+', word: 'added: ', tone: 'bg-success-soft text-ink' },
  removed: { sign: '−', word: 'removed: ', tone: 'bg-danger-soft text-ink' },
};

/** Two short texts, one in the other, line by line. */
export function LineDiff({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => diffReplacement(before, after), [before, after]);
  return (
    <ScrollRegion label={label} className="max-h-96 rounded-md bg-sunken py-1.5 font-mono text-sm">
      {lines.map((line, index) => {
        const look = looks[line.kind];
        return (
          // Lines have no other identity than their number.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className={classes('flex gap-2 px-3 whitespace-pre-wrap', look.tone)}>
            <span aria-hidden="true" className="select-none">
              {look.sign}
            </span>
            <span className="sr-only">{look.word}</span>
            <span className="min-w-0 flex-1 wrap-anywhere">{line.text || ' '}</span>
          </div>
        );
      })}
    </ScrollRegion>
  );
}
