import { z } from 'zod';

/**
 * The messages of local MCP servers, which run in containers of their own: main holds their standard streams,
 * the sidecar their clients. `openServer` puts a server that runs behind a new channel, started anew where the
 * one of before has ended. `serverMessage` carries one JSON-RPC message as one line of text, both ways;
 * `serverEnded` is the last of a channel, and `closeServer` how the sidecar leaves one.
 */

/** Characters of one message; a line of more bytes is never passed on. */
export const MAX_SERVER_MESSAGE = 4 * 1024 * 1024;

const channel = z.number().int().nonnegative();

export const openServerRequest = {
  input: z.object({
    /** Each bound connection has a server of its own. */
    connectionId: z.string(),
    /** Of the sidecar's choice, each once: what the server says at once may be there before the answer. */
    channel,
  }),
  output: z.object({}),
} as const;

export const serverMessageSchema = z.object({ channel, message: z.string().max(MAX_SERVER_MESSAGE) });
export const closeServerSchema = z.object({ channel });
export const serverEndedSchema = z.object({
  channel,
  /** How it ended, with the last lines of its standard error. */
  detail: z.string(),
});
