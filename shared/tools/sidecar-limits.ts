import type { SidecarLimits } from '../protocol/integrations.ts';
import { ProblemError } from '../problem.ts';

const MEBIBYTE = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

/** No setting raises a request's body or a message above this. */
export const BYTES_CEILING = 100 * MEBIBYTE;
/** Bytes of a file `api_upload` sends; compiled in. */
export const MAX_UPLOAD_BYTES = 100 * MEBIBYTE;
/** Bytes of a response that are read. */
export const MAX_RESPONSE_BYTES = 32 * MEBIBYTE;

export const DEFAULT_SIDECAR_LIMITS: SidecarLimits = {
  maxRequestBodyBytes: 10 * MEBIBYTE,
  maxMcpEnvelopeBytes: 16 * MEBIBYTE,
  inlineToolOutputTokens: 8000,
  runToolOutputBudgetTokens: 100_000,
  apiCallConcurrency: 3,
  serverCallMs: 300_000,
};

/** One setting as a person finds it. */
export interface SidecarSetting {
  readonly variable: string;
  readonly limit: keyof SidecarLimits;
  readonly unit: 'bytes' | 'tokens' | 'calls' | 'milliseconds';
  readonly ceiling?: number;
  readonly explanation: string;
}

/** Every `SIDECAR_*` variable there is, in the order in which they are shown. */
export const SIDECAR_SETTINGS: readonly SidecarSetting[] = [
  {
    variable: 'SIDECAR_MAX_REQUEST_BODY_BYTES',
    limit: 'maxRequestBodyBytes',
    unit: 'bytes',
    ceiling: BYTES_CEILING,
    explanation:
      'The largest body one api_call may send, also from a file. Larger files go through api_upload. When you raise it, raise the message size too.',
  },
  {
    variable: 'SIDECAR_MAX_MCP_ENVELOPE_BYTES',
    limit: 'maxMcpEnvelopeBytes',
    unit: 'bytes',
    ceiling: BYTES_CEILING,
    explanation:
      'The largest message from the sandbox to the sidecar. A file in it takes a third more than its size.',
  },
  {
    variable: 'SIDECAR_INLINE_TOOL_OUTPUT_TOKENS',
    limit: 'inlineToolOutputTokens',
    unit: 'tokens',
    explanation: 'A tool result above this estimate is written to a file instead of into the conversation.',
  },
  {
    variable: 'SIDECAR_RUN_TOOL_OUTPUT_BUDGET_TOKENS',
    limit: 'runToolOutputBudgetTokens',
    unit: 'tokens',
    explanation:
      'What all tool results of a run may put into the conversation together; after that each goes to a file. Not below the limit for one result.',
  },
  {
    variable: 'SIDECAR_API_CALL_CONCURRENCY',
    limit: 'apiCallConcurrency',
    unit: 'calls',
    explanation: 'How many api_call requests of a run are under way at the same time; others wait.',
  },
  {
    variable: 'SIDECAR_MCP_CALL_TIMEOUT_MS',
    limit: 'serverCallMs',
    unit: 'milliseconds',
    ceiling: DAY_MS,
    explanation: "How long one call of an MCP server's tool may take. Progress does not lengthen it.",
  },
];

/** A variable that was set to something that is no such number, and is therefore left at its default. */
export interface IgnoredSetting {
  readonly variable: string;
  readonly reason: string;
}

/**
 * Reads the settings from an environment. What is no whole number above zero is left out and named; what
 * is one but cannot be is refused, since the author meant it.
 * @throws ProblemError `sidecar_settings_invalid`
 */
export function readSidecarLimits(environment: Readonly<Record<string, string | undefined>>): {
  readonly limits: SidecarLimits;
  readonly ignored: readonly IgnoredSetting[];
} {
  const limits = { ...DEFAULT_SIDECAR_LIMITS };
  const ignored: IgnoredSetting[] = [];
  for (const { variable, limit, ceiling } of SIDECAR_SETTINGS) {
    const text = environment[variable]?.trim();
    if (text === undefined || text === '') continue;
    if (!/^\d{1,15}$/.test(text) || Number(text) === 0) {
      const reason = `"${text.slice(0, 40)}" is no whole number above 0; ${DEFAULT_SIDECAR_LIMITS[limit]} is used.`;
      ignored.push({ variable, reason });
      continue;
    }
    if (ceiling !== undefined && Number(text) > ceiling) {
      throw invalid(`${variable} is ${text}; the most it may be is ${ceiling}.`);
    }
    limits[limit] = Number(text);
  }
  if (limits.inlineToolOutputTokens > limits.runToolOutputBudgetTokens) {
    throw invalid(
      `SIDECAR_INLINE_TOOL_OUTPUT_TOKENS is ${limits.inlineToolOutputTokens}, which is more than SIDECAR_RUN_TOOL_OUTPUT_BUDGET_TOKENS allows the whole run: ${limits.runToolOutputBudgetTokens}.`,
    );
  }
  return { limits, ignored };
}

function invalid(detail: string): ProblemError {
  return new ProblemError({
    code: 'sidecar_settings_invalid',
    title: 'A limit of the sidecar cannot be set like that',
    detail,
    action: 'Change the variable, or remove it to get the default back.',
  });
}
