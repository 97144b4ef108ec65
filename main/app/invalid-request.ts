import type { ZodError } from 'zod';
import type { Problem } from '#shared/problem.ts';

/** The problem for an input that does not fit its schema, with each fault and its place. */
export function invalidRequest(name: string, error: ZodError): Problem {
  const causes = error.issues.map((issue) => ({
    code: issue.code,
    detail: issue.message,
    pointer: issue.path.map((part) => `/${escapePointer(String(part))}`).join(''),
  }));
  const [first] = causes;
  return {
    code: 'request_invalid',
    title: 'Slipway could not read the request',
    detail: `The request "${name}" does not have the form it must have: ${first?.detail ?? 'unknown fault'}.`,
    ...(first?.pointer && { pointer: first.pointer }),
    causes,
  };
}

/** Escapes one reference token of a JSON pointer (RFC 6901, section 3). */
function escapePointer(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
