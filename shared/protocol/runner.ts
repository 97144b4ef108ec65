import { z } from 'zod';

/**
 * What main tells the program in a runner over its standard input, once and first: four bytes with the
 * length, most significant first, then so much JSON. All that follows is the MCP server's own input. Secrets
 * travel in here alone, so that neither the engine nor a command line ever has them.
 */
export const runnerStartSchema = z.object({
  /** Absolute path of the program to become. */
  command: z.string().startsWith('/'),
  arguments: z.array(z.string()),
  /** All of its variables: none is inherited. */
  environment: z.record(z.string(), z.string()),
  /** Files to write before, in folders of the container's own memory. */
  files: z.array(
    z.object({
      path: z.string().startsWith('/'),
      mode: z.number().int().min(0).max(0o777),
      text: z.string(),
    }),
  ),
  /** Where programs find the proxy at a port of the container's own, and the socket that stands behind it. */
  egress: z.object({ port: z.number().int().positive(), socketPath: z.string() }).optional(),
});
export type RunnerStart = z.infer<typeof runnerStartSchema>;

/** Bytes of the length before the JSON. */
export const RUNNER_LENGTH_BYTES = 4;
/** Bytes of the JSON: variables and credential files are small. */
export const MAX_RUNNER_START_BYTES = 8 * 1024 * 1024;
/** Exit code of the program in a runner that could not become the server. */
export const RUNNER_FAILED = 70;
