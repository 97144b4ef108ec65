import { z } from 'zod';
import { outboundCallSchema } from '../protocol/integrations.ts';

/** A request that a run's sidecar made or refused, as the audit keeps it. No secret, query or body is in it. */
export const recordedCallSchema = outboundCallSchema.extend({
  /** 1, 2, 3 … within a run. */
  sequence: z.number().int().positive(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** What the connection was called then. */
  connectionLabel: z.string(),
});
export type RecordedCall = z.infer<typeof recordedCallSchema>;

/** `answered` with a status below 400, `rejected` by the service, or `unsent`: refused here, or without an answer. */
export const callOutcomeSchema = z.enum(['answered', 'rejected', 'unsent']);
export type CallOutcome = z.infer<typeof callOutcomeSchema>;

/** Which calls are wanted; all of them when empty. */
export const callFilterSchema = z.object({
  /** Stands somewhere in the address, the tool, the connection's label, the rule or the code. */
  text: z.string().max(200).optional(),
  outcome: callOutcomeSchema.optional(),
  integrationId: z.string().max(300).optional(),
});
export type CallFilter = z.infer<typeof callFilterSchema>;

export const callExportFormatSchema = z.enum(['csv', 'jsonl']);
export type CallExportFormat = z.infer<typeof callExportFormatSchema>;

/** What became of a call. */
export function outcomeOf({ status }: Pick<RecordedCall, 'status'>): CallOutcome {
  if (status === 0) return 'unsent';
  return status < 400 ? 'answered' : 'rejected';
}

const COLUMNS = [
  ['time', ({ at }) => new Date(at).toISOString()],
  ['integration', ({ integrationId }) => integrationId],
  ['connection', ({ connectionLabel }) => connectionLabel],
  ['tool', ({ tool }) => tool],
  ['method', ({ method }) => method],
  ['url', ({ url }) => url],
  ['status', ({ status }) => String(status)],
  ['code', ({ code }) => code ?? ''],
  ['rule', ({ rule }) => rule ?? ''],
  ['bytes_sent', ({ bytesSent }) => String(bytesSent)],
  ['bytes_received', ({ bytesReceived }) => String(bytesReceived)],
  ['duration_ms', ({ durationMs }) => String(Math.round(durationMs))],
] as const satisfies readonly (readonly [string, (call: RecordedCall) => string])[];

/** Calls as CSV (RFC 4180) or as JSON lines. */
export function formatCalls(calls: readonly RecordedCall[], format: CallExportFormat): string {
  if (format === 'jsonl') return calls.map((call) => `${JSON.stringify(call)}\n`).join('');
  const lines = calls.map((call) => COLUMNS.map(([, valueOf]) => csvField(valueOf(call))));
  return [COLUMNS.map(([name]) => name), ...lines].map((fields) => `${fields.join(',')}\r\n`).join('');
}

/** A field that a spreadsheet would take for a formula begins with a quote, which it shows as text. */
function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
