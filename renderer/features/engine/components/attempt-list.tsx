import { CircleCheck, CircleDashed, CircleX, Clock, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
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
  if (attempts.length === 0) return <p className="text-ink-faint">Nothing has been tried yet.</p>;
  return (
    <ul aria-label="Endpoints tried" className="divide-y divide-line border-y border-line">
      {attempts.map((attempt) => {
        const outcome = outcomes[attempt.outcome];
        return (
          <li
            key={`${attempt.origin} ${attempt.address}`}
            className="grid grid-cols-[7rem_1fr] gap-x-3 py-1.5"
          >
            <span
              className={`inline-flex items-center gap-1.5 self-start text-sm font-medium ${outcome.tone}`}
            >
              {outcome.icon}
              {outcome.label}
            </span>
            <span className="min-w-0 text-sm wrap-anywhere">
              <span className="font-medium">{attempt.origin}</span>{' '}
              <span className="font-mono text-ink-soft">{attempt.address}</span>
              {attempt.detail && <span className="block text-ink-faint">{attempt.detail}</span>}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
