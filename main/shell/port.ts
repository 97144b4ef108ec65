import { ProblemError } from '#shared/problem.ts';

/** Reads a port; 0, or nothing, stands for any free one. @throws ProblemError `port_invalid`. */
export function readPort(option: string | undefined): number {
  if (option === undefined) return 0;
  const port = Number(option);
  if (/^\d{1,5}$/.test(option) && port <= 65_535) return port;
  throw new ProblemError({
    code: 'port_invalid',
    title: 'No such port',
    detail: `--port takes a number from 0 to 65535, not "${option}".`,
  });
}
