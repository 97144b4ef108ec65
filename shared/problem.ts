import { z } from 'zod';

/**
 * An error as data: what happened, where, and what to do. The only form in which an error crosses a
 * process or program boundary. `detail` is a sentence for a person; it never holds a secret or a stack.
 */
export const problemSchema = z.object({
  code: z.string().min(1),
  title: z.string().min(1),
  detail: z.string(),
  /** JSON pointer into the document or input that is at fault (RFC 6901). */
  pointer: z.string().optional(),
  /** File the problem is in, relative to its package or workspace. */
  file: z.string().optional(),
  /** 1-based position in the author's text. */
  line: z.number().int().positive().optional(),
  column: z.number().int().positive().optional(),
  /** One thing the person can do about it. */
  action: z.string().optional(),
  /** Further lines worth reading, such as the end of a build log. */
  context: z.array(z.string()).optional(),
  /** Problems this one is made of, such as one for each invalid input field. */
  causes: z
    .array(z.object({ code: z.string(), detail: z.string(), pointer: z.string().optional() }))
    .optional(),
});
export type Problem = z.infer<typeof problemSchema>;

/** Outcome of a request across a boundary. */
export type Result<T> = { ok: true; data: T } | { ok: false; error: Problem };

/** An `Error` that carries a {@link Problem}; throw it anywhere, boundaries turn it into data. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.detail, options);
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

/**
 * The problem to show for anything that was thrown. An error that nobody described becomes
 * `internal_error`: its message may hold anything, so it is left to the log.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof Error && error.name === 'AbortError') {
    return { code: 'cancelled', title: 'Cancelled', detail: 'The operation was cancelled before it ended.' };
  }
  return {
    code: 'internal_error',
    title: 'Something went wrong inside Slipway',
    detail: 'This is a fault of the app, not of your agent. The app log has the particulars.',
  };
}
