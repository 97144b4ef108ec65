import { Check, ChevronRight, X } from 'lucide-react';
import { useState } from 'react';
import { classes } from '#renderer/components/classes.ts';
import { ProgressBar } from '#renderer/components/progress.tsx';
import { Spinner } from '#renderer/components/spinner.tsx';
import { formatDuration, formatElapsed } from '#renderer/format/format.ts';
import { useNow } from '#renderer/state/use-now.ts';
import type { PhaseView } from '#shared/runs/projection.ts';
import { isFinalStatus, type RunStatus } from '#shared/runs/run.ts';
import { phaseLabels } from '../model/phase-labels.ts';
import { phaseSteps } from '../model/phase-steps.ts';

/** The steps before the first turn: in full while they go on, in one line afterwards. */
export function PhaseStepper({ phases, status }: { phases: readonly PhaseView[]; status: RunStatus }) {
  const [isOpen, setIsOpen] = useState(false);
  const isPreparing = status === 'queued' || status === 'preparing';
  const isStopped = phases.some(({ state }) => state === 'stopped');
  if (phases.length === 0 && !isPreparing) return null;
  const total = phases.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
  if (isPreparing || (isStopped && isFinalStatus(status))) {
    return (
      <section aria-label="Preparation" className="shrink-0 border-b border-line px-5 py-3">
        <Steps phases={phases} isQueued={status === 'queued'} />
        <CurrentPhase phase={phases.find(({ state }) => state === 'running')} status={status} />
      </section>
    );
  }
  return (
    <section aria-label="Preparation" className="shrink-0 border-b border-line px-5 py-1.5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex items-center gap-1.5 rounded-sm text-sm text-ink-faint hover:text-ink"
      >
        <ChevronRight
          size={13}
          aria-hidden="true"
          className={classes('transition-transform', isOpen && 'rotate-90')}
        />
        Prepared in {formatDuration(total)}
      </button>
      {isOpen && (
        <div className="pt-1.5 pb-1">
          <Steps phases={phases} isQueued={false} />
        </div>
      )}
    </section>
  );
}

function Steps({ phases, isQueued }: { phases: readonly PhaseView[]; isQueued: boolean }) {
  return (
    <ol aria-label="Steps" className="flex items-start gap-2">
      {phaseSteps(phases).map(({ name, phase, isPassedOver }, index) => {
        return (
          <li
            key={name}
            aria-current={phase?.state === 'running' ? 'step' : undefined}
            className={classes('flex items-start gap-1.5', index > 0 && 'min-w-0 flex-1')}
          >
            {index > 0 && (
              <span aria-hidden="true" className="mt-2.5 mr-0.5 h-px min-w-2 flex-1 bg-line-strong" />
            )}
            <span className="flex h-5 items-center">
              <StepIcon state={isPassedOver ? 'done' : phase?.state} />
            </span>
            <span className="text-sm leading-5">
              <span
                className={classes(
                  'block font-medium',
                  phase || isPassedOver ? 'text-ink' : 'text-ink-faint',
                )}
              >
                {phaseLabels[name]}
              </span>
              <span className="block text-xs text-ink-faint">
                {phase?.durationMs !== undefined && formatDuration(phase.durationMs)}
                {isPassedOver && 'ready'}
                {index === 0 && isQueued && !phase && 'waiting for its turn'}
              </span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function StepIcon({ state }: { state: PhaseView['state'] | undefined }) {
  if (state === 'running') return <Spinner />;
  return (
    <span
      aria-hidden="true"
      className={classes(
        'inline-flex size-3.5 items-center justify-center rounded-full',
        state === 'done' && 'bg-success text-surface',
        state === 'stopped' && 'bg-danger text-surface',
        state === undefined && 'border border-line-strong',
      )}
    >
      {state === 'done' && <Check size={10} strokeWidth={3} />}
      {state === 'stopped' && <X size={10} strokeWidth={3} />}
    </span>
  );
}

function CurrentPhase({ phase, status }: { phase: PhaseView | undefined; status: RunStatus }) {
  const now = useNow(500, phase !== undefined);
  if (!phase) return null;
  const label = phaseLabels[phase.phase];
  const isBuilding = phase.phase === 'image';
  return (
    <div className="mt-2.5 space-y-1.5">
      <p className="flex gap-3 text-sm text-ink-soft">
        <span className={classes('min-w-0 flex-1 truncate', isBuilding && 'font-mono')}>
          {phase.detail ?? `${label} …`}
        </span>
        <span className="text-ink-faint">
          {phase.fraction !== undefined && `${Math.round(phase.fraction * 100)} %  `}
          {formatElapsed(now - phase.startedAt)}
        </span>
      </p>
      {status === 'preparing' && (
        <ProgressBar label={label} fraction={phase.fraction} valueText={phase.detail ?? label} />
      )}
    </div>
  );
}
