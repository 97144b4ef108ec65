import { ChevronRight, CircleCheck, CircleDashed, CircleX, Clock, TriangleAlert } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { classes } from '#renderer/components/classes.ts';
import { formatQuantity } from '#renderer/format/format.ts';
import type { EndpointAttempt } from '#shared/engines/engine-report.ts';

const outcomes: Record<EndpointAttempt['outcome'], { label: string; icon: ReactNode; tone: string }> = {
  answered: { label: 'Answered', icon: <CircleCheck size={14} aria-hidden="true" />, tone: 'text-success' },
  absent: { label: 'Not there', icon: <CircleDashed size={14} aria-hidden="true" />, tone: 'text-ink-faint' },
  refused: { label: 'Refused', icon: <CircleX size={14} aria-hidden="true" />, tone: 'text-danger' },
  timed_out: { label: 'No answer', icon: <Clock size={14} aria-hidden="true" />, tone: 'text-caution' },
  unusable: { label: 'Unusable', icon: <TriangleAlert size={14} aria-hidden="true" />, tone: 'text-caution' },
  not_tried: {
    label: 'Not tried',
    icon: <CircleDashed size={14} aria-hidden="true" />,
    tone: 'text-ink-faint',
  },
};

/** Every place where an engine was looked for, in order, and what it answered. */
export function AttemptList({ attempts }: { attempts: readonly EndpointAttempt[] }) {
  const [showsAll, setShowsAll] = useState(false);
  if (attempts.length === 0) return <p className="text-ink-faint">Nothing has been tried yet.</p>;
  const tried = attempts.filter(({ outcome }) => outcome !== 'not_tried');
  const untried = attempts.length - tried.length;
  return (
    <>
      <ul aria-label="Endpoints tried" className="divide-y divide-line border-y border-line">
        {(showsAll ? attempts : tried).map((attempt) => (
          <Attempt key={`${attempt.origin} ${attempt.address}`} attempt={attempt} />
        ))}
      </ul>
      {untried > 0 && (
        <button
          type="button"
          aria-expanded={showsAll}
          onClick={() => setShowsAll(!showsAll)}
          className="mt-1.5 flex items-center gap-1.5 rounded-sm text-sm text-ink-faint hover:text-ink"
        >
          <ChevronRight
            size={13}
            aria-hidden="true"
            className={classes('transition-transform', showsAll && 'rotate-90')}
          />
          {formatQuantity(untried, 'further place')} not tried, since an earlier one had an engine
        </button>
      )}
    </>
  );
}

function Attempt({ attempt: { origin, address, outcome, detail } }: { attempt: EndpointAttempt }) {
  const { tone, icon, label } = outcomes[outcome];
  // What is simply not there needs no line of its own to say so.
  const isPlain = outcome === 'absent' || outcome === 'not_tried';
  return (
    <li className="grid grid-cols-[6rem_1fr] gap-x-3 py-1.5">
      <span className={`inline-flex items-center gap-1.5 self-start text-sm font-medium ${tone}`}>
        {icon}
        {label}
      </span>
      <span className="min-w-0 text-sm wrap-anywhere">
        <span className="font-medium">{origin}</span>{' '}
        <span className="font-mono text-ink-soft">{address}</span>{' '}
        {detail && (
          <span className={classes('text-ink-faint', isPlain ? 'inline-block' : 'block')}>{detail}</span>
        )}
      </span>
    </li>
  );
}
