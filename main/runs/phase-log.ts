import type { RunPhase } from '#shared/runs/run.ts';
import type { RunRecorder } from './run-recorder.ts';

/** Turns a run's steps of preparation into events, one open phase at a time. */
export class PhaseLog {
  readonly #recorder: RunRecorder;
  #phase: RunPhase | undefined;
  #since = 0;

  constructor(recorder: RunRecorder) {
    this.#recorder = recorder;
  }

  enter(phase: RunPhase): void {
    if (this.#phase === phase) return;
    this.leave();
    this.#phase = phase;
    this.#since = performance.now();
    this.#recorder.update({ phase });
    this.#recorder.append({ type: 'phase.started', phase });
  }

  progress(detail: string, fraction: number | undefined): void {
    if (!this.#phase) return;
    this.#recorder.append({
      type: 'phase.progress',
      phase: this.#phase,
      detail,
      ...(fraction !== undefined && { fraction }),
    });
  }

  leave(): void {
    if (!this.#phase) return;
    this.#recorder.append({
      type: 'phase.ended',
      phase: this.#phase,
      durationMs: Math.round(performance.now() - this.#since),
    });
    this.#phase = undefined;
  }
}
