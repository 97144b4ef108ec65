import { z } from 'zod';
import { problemSchema } from '../problem.ts';
import { registeredFileSchema } from './frames.ts';

/** Path at which the browser shell takes WebSocket connections. */
export const CONNECT_PATH = '/connect';
/** Name of the one-time token in the page's URL fragment. */
export const TOKEN_PARAMETER = 'token';

/** First message of a page: the one-time token it was opened with, or the secret of a session it has. */
export const helloSchema = z.union([
  z.strictObject({ kind: z.literal('hello'), token: z.string().max(128) }),
  z.strictObject({ kind: z.literal('hello'), session: z.string().max(128) }),
]);
export type Hello = z.infer<typeof helloSchema>;

/** Main's answer. The session's secret opens further connections, after a reload or a cut. */
export const welcomeSchema = z.object({
  kind: z.literal('welcome'),
  session: z.string(),
  /** Segment of this session's resource addresses; they cannot carry the secret, since addresses are shown. */
  capability: z.string(),
});
export type Welcome = z.infer<typeof welcomeSchema>;

/** WebSocket close code for a token or session that is not valid: connecting again is of no use. */
export const SESSION_REFUSED_CODE = 4401;

/** Answer to an upload. */
export const uploadAnswerSchema = z.union([
  z.object({ ok: z.literal(true), data: registeredFileSchema }),
  z.object({ ok: z.literal(false), error: problemSchema }),
]);
