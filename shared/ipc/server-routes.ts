import { z } from 'zod';
import { problemSchema } from '../problem.ts';

const nothing = z.object({});
const integrationId = z.string().min(1).max(300);
const sessionId = z.string().min(1).max(100);
const record = z.record(z.string(), z.unknown());

/** What a server lists, each under the name of the page's part. */
export const SERVER_LISTS = ['tools', 'prompts', 'resources', 'templates'] as const;
export const serverListSchema = z.enum(SERVER_LISTS);
export type ServerList = z.infer<typeof serverListSchema>;

/** What a server said of itself when it was greeted, cleaned for people. */
export const serverIdentitySchema = z.object({
  name: z.string(),
  title: z.string().optional(),
  version: z.string(),
  protocolVersion: z.string(),
  instructions: z.string().optional(),
  capabilities: record,
});
export type ServerIdentity = z.infer<typeof serverIdentitySchema>;

/** A connection to an MCP server that a person opened by hand. */
export const serverSessionSchema = z.object({
  id: z.string(),
  /** The integration, or the package of a local server, that it was opened from. */
  subject: z.string(),
  /** Absent for a server that was opened without an account. */
  connectionId: z.string().optional(),
  state: z.enum(['connecting', 'connected', 'closed']),
  /** What is waited for while it connects, such as the engine's image. */
  phase: z.string().optional(),
  /** Milliseconds since the epoch. */
  openedAt: z.number(),
  server: serverIdentitySchema.optional(),
  /** Another number whenever a list may be another. */
  listRevisions: z.record(serverListSchema, z.number().int().nonnegative()),
  /** Why it was closed, where nobody asked for it. */
  problem: problemSchema.optional(),
});
export type ServerSession = z.infer<typeof serverSessionSchema>;

/** A server that is tried and not in the library yet; it is used as an integration of its name. */
export const serverTrialSchema = z.object({
  /** Name of the integration that it is saved as. */
  integrationId: z.string(),
  displayName: z.string(),
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('remote'), url: z.string(), transport: z.enum(['streamable-http', 'sse']) }),
    z.object({
      kind: z.literal('bundle'),
      /** Name and version of the package that it becomes. */
      server: z.string(),
      version: z.string(),
      /** Where it may go. */
      authorizedUris: z.array(z.string()),
    }),
  ]),
});
export type ServerTrial = z.infer<typeof serverTrialSchema>;

/** All connections by hand and all trials; the topic `servers` sends the same. */
export const serverStateSchema = z.object({
  sessions: z.array(serverSessionSchema),
  trials: z.array(serverTrialSchema),
});
export type ServerState = z.infer<typeof serverStateSchema>;

/** One line of a session's protocol log. It stands above where credentials are put in, and so never has one. */
export const protocolEntrySchema = z.object({
  /** From 1, without gaps. */
  sequence: z.number().int().positive(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  direction: z.enum(['sent', 'received', 'note']),
  kind: z.enum(['request', 'result', 'error', 'notification', 'note']),
  /** Of an answer, that of its request. */
  method: z.string(),
  id: z.union([z.string(), z.number()]).optional(),
  /** Of an answer, or of a cancellation, the sequence number of its request. */
  answers: z.number().int().positive().optional(),
  /** Of the same: milliseconds since its request. */
  durationMs: z.number().nonnegative().optional(),
  /** Bytes of the message as JSON. */
  size: z.number().int().nonnegative(),
  /** The message as JSON, or the note; its beginning when it is very long. */
  text: z.string(),
  isCut: z.boolean(),
  /** A result that says of itself that it is an error. */
  saysError: z.boolean().optional(),
});
export type ProtocolEntry = z.infer<typeof protocolEntrySchema>;

/** A request made by hand. */
export const serverRequestSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('tool'), name: z.string().min(1).max(1_000), arguments: record }),
  z.object({
    kind: z.literal('prompt'),
    name: z.string().min(1).max(1_000),
    arguments: z.record(z.string(), z.string()),
  }),
  z.object({ kind: z.literal('resource'), uri: z.string().min(1).max(10_000) }),
]);
export type ServerRequest = z.infer<typeof serverRequestSchema>;

/** Requests of the page on which MCP servers are looked at and called by hand. No answer holds a credential. */
export const serverRoutes = {
  'servers.state': { input: nothing, output: serverStateSchema },
  /** Begins a connection; how it goes on is told by the topic. One of the same server is closed. */
  'servers.open': {
    input: z.object({
      /** An integration, a trial, or the package of a local server. */
      subject: integrationId,
      connectionId: z.string().max(100).optional(),
    }),
    output: z.object({ sessionId: z.string() }),
  },
  'servers.close': { input: z.object({ sessionId }), output: nothing },
  /** All pages of a list; nothing where the server has no such list. */
  'servers.list': {
    input: z.object({ sessionId, list: serverListSchema }),
    output: z.object({
      items: z.array(record),
      pages: z.number().int().nonnegative(),
      /** Tools that no agent would be offered, and why. */
      refused: z.array(z.object({ name: z.string(), reason: z.string() })),
    }),
  },
  /** Asks the server and waits for its answer; a cancelled request is cancelled at the server. */
  'servers.request': {
    input: z.object({ sessionId, request: serverRequestSchema }),
    output: z.object({ result: record, durationMs: z.number().nonnegative() }),
  },
  /** Electron asks where to save the log as JSON lines; in the browser the page makes the file itself. */
  'servers.saveLog': {
    input: z.object({ sessionId }),
    output: z.object({ savedTo: z.string().optional() }),
  },
  /** Makes a trial of a server on the internet. */
  'servers.tryAddress': {
    input: z.object({
      integrationId,
      url: z.string().max(4_000),
      transport: z.enum(['streamable-http', 'sse']),
      /** Header that a key goes in, and what stands before it. */
      header: z.string().min(1).max(200).default('Authorization'),
      prefix: z.string().max(100).default('Bearer '),
    }),
    output: serverTrialSchema,
  },
  /** Makes a trial of a bundle that was registered with the shell. */
  'servers.tryBundle': {
    input: z.object({
      handle: z.string(),
      authorizedUris: z.array(z.string().min(1).max(2_000)).max(100),
    }),
    output: serverTrialSchema,
  },
  /** Ends a trial and removes the accounts that were connected for it. */
  'servers.forget': { input: z.object({ integrationId }), output: nothing },
  /** Keeps a trial as a draft of an integration, with the tools that its server lists now. */
  'servers.save': {
    input: z.object({
      integrationId,
      displayName: z.string().min(1).max(200),
      description: z.string().max(2_000).optional(),
    }),
    output: z.object({ name: z.string() }),
  },
} as const;
