import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { cleanText } from '#shared/mcp/hidden-text.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';
import { cutText } from '#shared/text/cut-text.ts';
import { ConnectionRefused } from '../network/connector.ts';

/** Bytes of what a server says of its own failure that are passed on. */
const SAID_BYTES = 500;
/** Statuses of a server, or of what stands before it, that is there again in a moment. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Whether a connection may well be made a moment later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof StreamableHTTPError) return PASSING.has(error.code ?? 0);
  const refusal = error instanceof ConnectionRefused ? error : (error as { cause?: unknown }).cause;
  return refusal instanceof ConnectionRefused && /^upstream_(unreachable|unresolvable)$/.test(refusal.code);
}

/**
 * Whether a server has forgotten its client, so that nothing of the request was done. The specification says
 * 404; servers built on older examples say 400 with a word of sessions.
 */
export function isSessionLost(error: unknown, hadSession: boolean): boolean {
  if (error instanceof SessionLost) return true;
  if (!hadSession || !(error instanceof StreamableHTTPError)) return false;
  return error.code === 404 || (error.code === 400 && /session|initializ/i.test(error.message));
}

/** Whether the time for a request was up. */
export function isTimeout(error: unknown): boolean {
  return error instanceof McpError
    ? error.code === (ErrorCode.RequestTimeout as number)
    : error instanceof DOMException && error.name === 'TimeoutError';
}

/** The session that a transport held was forgotten by its server. */
export class SessionLost extends Error {}

/**
 * What happened to a request of a server, for the model and the person. What the server says itself is
 * cleaned and cut.
 * @param expiredMs the time that was up, when that was the reason
 */
export function serverProblem(name: string, error: unknown, expiredMs: number | undefined): unknown {
  if (expiredMs !== undefined) {
    return problem(error, {
      code: 'mcp_server_timeout',
      title: `${name} did not answer in time`,
      detail: `The server did not answer within ${Math.round(expiredMs / 100) / 10} s.`,
      action: 'Try again, or ask for less at once.',
    });
  }
  if (error instanceof ProblemError) return error;
  // Of this program's own making: nothing that came as JSON is one.
  if (error instanceof McpError && error.data instanceof ProblemError) return error.data;
  if (error instanceof ConnectionRefused) {
    return problem(error, {
      code: 'mcp_server_unreachable',
      title: `${name} cannot be reached`,
      detail: `${error.message}.`,
      action: 'Check the address of the server in its integration.',
    });
  }
  if (error instanceof StreamableHTTPError) {
    const said = saidOf(error.message.replace(/^Streamable HTTP error: (Error POSTing to endpoint: )?/, ''));
    return problem(error, {
      code: 'mcp_server_refused',
      title: `${name} refused the request`,
      detail: `The server answered ${statusOf(error.code)}${said}.`,
    });
  }
  if (error instanceof McpError && error.code === (ErrorCode.ConnectionClosed as number)) {
    return problem(error, {
      code: 'mcp_server_gone',
      title: `${name} is gone`,
      detail: 'The connection to the server ended before it answered.',
      action: 'Try again.',
    });
  }
  if (error instanceof McpError) {
    return problem(error, {
      code: 'mcp_server_error',
      title: `${name} answered with an error`,
      detail: `Error ${error.code}${saidOf(error.message.replace(/^MCP error -?\d+: /, ''))}.`,
    });
  }
  if (error instanceof z.ZodError || error instanceof SyntaxError || isZodFour(error)) {
    return problem(error, {
      code: 'mcp_server_unintelligible',
      title: `${name} cannot be understood`,
      detail: 'The answer of the server is not what the protocol asks for.',
    });
  }
  return problem(error, {
    code: 'mcp_server_failed',
    title: `${name} could not be asked`,
    detail: `The connection to the server failed${saidOf(error instanceof Error ? error.message : '')}.`,
  });
}

function isZodFour(error: unknown): boolean {
  return error instanceof Error && error.name === 'ZodError';
}

function statusOf(status: number | undefined): string {
  return status === undefined || status < 100 ? 'in a way that is not the protocol' : `with status ${status}`;
}

function saidOf(text: string): string {
  const said = cutText(cleanText(text).replaceAll(/\s+/g, ' ').trim(), SAID_BYTES).text.replace(/[.]+$/, '');
  return said === '' || said === 'null' ? '' : `: ${said}`;
}

function problem(cause: unknown, data: Problem): ProblemError {
  return new ProblemError(data, { cause });
}
