import type { PhaseView } from '#shared/runs/projection.ts';
import { runPhaseSchema, type RunPhase } from '#shared/runs/run.ts';

/** One of the steps before the first turn, as they are shown from the start. */
export interface PhaseStep {
  readonly name: RunPhase;
  /** Absent when it was not entered, or not yet. */
  readonly phase: PhaseView | undefined;
  /** It had nothing to do, such as an image that is there already. */
  readonly isPassedOver: boolean;
}

/** All steps in order. */
export function phaseSteps(phases: readonly PhaseView[]): PhaseStep[] {
  const names = runPhaseSchema.options;
  const latest = Math.max(-1, ...phases.map(({ phase }) => names.indexOf(phase)));
  return names.map((name, index) => {
    const phase = phases.find((known) => known.phase === name);
    return { name, phase, isPassedOver: phase === undefined && index < latest };
  });
}
