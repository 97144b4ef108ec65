import { z } from 'zod';
import { ProblemError } from '#shared/problem.ts';

/** What docker-modem adds to an error: the engine's answer, or what the connection came to. */
const engineErrorSchema = z.object({
  statusCode: z.number().optional(),
  code: z.string().optional(),
  message: z.string(),
  json: z.object({ message: z.string() }).optional().catch(undefined),
});

/** The HTTP status the engine answered with, when it answered; also of a problem made from that answer. */
export function statusOf(error: unknown): number | undefined {
  const answer = error instanceof ProblemError ? error.cause : error;
  return engineErrorSchema.safeParse(answer).data?.statusCode;
}

/** Code of a failed connection, such as `ECONNREFUSED`, when the engine gave no answer. */
export function connectionCodeOf(error: unknown): string | undefined {
  const fields = engineErrorSchema.safeParse(error).data;
  // Giving up is no fault of the connection.
  if (fields?.statusCode !== undefined || fields?.code === 'ABORT_ERR') return undefined;
  return fields?.code;
}

/** The engine's own sentence about what it refused. */
export function engineMessage(error: unknown): string {
  const fields = engineErrorSchema.safeParse(error).data;
  return (fields?.json?.message ?? fields?.message ?? String(error)).trim();
}

/** The problem of an engine that does not answer any more. */
export function engineUnreachable(address: string, cause?: unknown): ProblemError {
  return new ProblemError(
    {
      code: 'engine_unreachable',
      title: 'The engine stopped answering',
      detail: `Docker at ${address} does not answer any more.`,
      action: 'Start Docker again. Slipway notices by itself when it is back.',
    },
    { cause },
  );
}

/** The problem of a call that was cut although the engine lives. */
export function connectionBroke(doing: string, code: string, cause: unknown): ProblemError {
  return new ProblemError(
    {
      code: 'container_refused',
      title: 'The engine broke off',
      detail: `The engine closed the connection (${code}) when asked to ${doing}.`,
    },
    { cause },
  );
}

/** What the engine's refusal means for a person, by the words engines use. */
const REFUSALS: readonly { readonly words: RegExp; readonly action: string }[] = [
  {
    words: /no space left on device/i,
    action: 'Free some disk space, for example with "docker system prune", and run again.',
  },
  {
    words: /no such image/i,
    action: 'The image was removed a moment ago. Run again: it is built anew.',
  },
  {
    words: /cannot allocate memory|minimum memory limit/i,
    action: "Give Docker more memory in Docker's own settings, or close other containers.",
  },
  {
    words: /(unknown|invalid) runtime|runtime .*not found/i,
    action: 'Turn off gVisor in the settings, or install its runtime "runsc" in Docker.',
  },
  {
    words: /range of cpus/i,
    action: "Give Docker more processors in Docker's own settings.",
  },
];

/** Turns any failure of a call to the engine into a problem; `doing` completes "The engine refused to …". */
export function describeEngineError(error: unknown, address: string, doing: string): Error {
  if (error instanceof ProblemError) return error;
  if (error instanceof Error && error.name === 'AbortError') return error;
  if (statusOf(error) === undefined && connectionCodeOf(error) !== undefined)
    return engineUnreachable(address, error);
  const detail = engineMessage(error);
  const action = REFUSALS.find(({ words }) => words.test(detail))?.action;
  return new ProblemError(
    {
      code: 'container_refused',
      title: 'The engine refused',
      detail: `The engine refused to ${doing}: ${detail}`,
      ...(action !== undefined && { action }),
    },
    { cause: error },
  );
}
