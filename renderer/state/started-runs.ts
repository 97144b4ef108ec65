import type { RouteInput } from '#shared/ipc/routes.ts';
import type { ModelReference } from '#shared/models/model.ts';

/** A file as the form knows it. */
export interface StartedFile {
  readonly field: string | undefined;
  readonly name: string;
  readonly size: number;
  readonly source: RouteInput<'runs.start'>['files'][number]['source'];
}

/** What a run was started with. */
export interface StartedRun {
  readonly agentId: string;
  readonly input: Record<string, unknown>;
  readonly files: readonly StartedFile[];
  readonly model: ModelReference | undefined;
}

/** Requests remembered, so that memory stays bounded over a long day. */
const MAX_REMEMBERED = 200;

/**
 * Remembers what this window started runs with: the handles of picked files live as long as the window,
 * so only runs of this session can be run again without picking their files anew.
 */
export class StartedRuns {
  readonly #runs = new Map<string, StartedRun>();

  remember(runId: string, run: StartedRun): void {
    this.#runs.set(runId, run);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > MAX_REMEMBERED && oldest !== undefined) this.#runs.delete(oldest);
  }

  find(runId: string): StartedRun | undefined {
    return this.#runs.get(runId);
  }
}
