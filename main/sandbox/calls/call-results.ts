import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { CALL_ERROR_META_KEY, UPSTREAM_META_KEY } from '#shared/protocol/api-tools.ts';
import { callFailureCodeSchema, type CallFailureCode } from '#shared/tools/call-failure.ts';

const upstreamSchema = z.object({
  status: z.number().int(),
  headers: z.record(z.string(), z.string()),
  finalUrl: z.string().optional(),
});

/** What the sidecar says of a call, beside what the model reads. */
export interface CallFacts {
  /** The service's status, or 0 when the sidecar answered itself. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly finalUrl: string | undefined;
  readonly code: CallFailureCode | undefined;
  /** What follows the status line: the body, or why there is none. */
  readonly text: string;
}

/** Reads the facts of a result of `api_call`. @throws Error when it is none. */
export function factsOf(result: CallToolResult): CallFacts {
  const upstream = upstreamSchema.parse(result._meta?.[UPSTREAM_META_KEY]);
  return {
    ...upstream,
    finalUrl: upstream.finalUrl,
    code: callFailureCodeSchema.safeParse(result._meta?.[CALL_ERROR_META_KEY]).data,
    text: result.content
      .slice(1)
      .flatMap((block) => (block.type === 'text' ? [block.text] : []))
      .join('\n'),
  };
}

/** A failure in the sandbox before the call, told as the sidecar tells its own. */
export function refusal(label: string, message: string): CallToolResult {
  return {
    isError: true,
    content: [
      { type: 'text', text: '[api_call status=0]' },
      { type: 'text', text: `${label}: ${message}` },
    ],
    _meta: { [UPSTREAM_META_KEY]: { status: 0, headers: {} } },
  };
}
