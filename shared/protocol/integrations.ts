import { z } from 'zod';
import { callFailureCodeSchema } from '../tools/call-failure.ts';

/** What the sidecar is told of a run's integrations, and what it asks main for while the run goes on. */

/** How a credential gets into a request; `value` is a template over its fields. */
export const httpDeliverySchema = z.object({
  header: z.string(),
  prefix: z.string(),
  value: z.string(),
  encoding: z.literal('base64').optional(),
  /** Whether a header of the same name that the model gives takes its place. */
  allowsOverride: z.boolean(),
});
export type HttpDelivery = z.infer<typeof httpDeliverySchema>;

/** One authentication method of an integration that `api_call` may use in this run. */
export const apiAuthSchema = z.object({
  authKey: z.string(),
  /** Names without the namespace: `api_call`, or `api_call__<token>` where several methods have one. */
  callTool: z.string(),
  /** Absent when no upload protocol is declared that the runtime can drive. */
  uploadTool: z.string().optional(),
  uploadProtocols: z.array(z.string()),
  authorizedUris: z.array(z.string()),
  allowsAllUris: z.boolean(),
  /** Absent when nothing is put into requests. */
  delivery: httpDeliverySchema.optional(),
  /** Connections show the certificate that is among the credential's fields. */
  showsCertificate: z.boolean().optional(),
  /** Whether main may have another credential when a service refuses the present one. */
  canRefresh: z.boolean(),
});
export type ApiAuth = z.infer<typeof apiAuthSchema>;

/** A connection that is bound to the run. */
export const boundConnectionSchema = z.object({
  id: z.string(),
  authKey: z.string(),
  /** Tells it from the others of the integration; unique among them. */
  label: z.string().min(1),
  /** Whose account it is, for the model to choose by. */
  account: z.string().optional(),
});
export type BoundConnection = z.infer<typeof boundConnectionSchema>;

/** How the credential of a connection gets to a server on the internet. */
export const serverAuthSchema = apiAuthSchema.pick({
  delivery: true,
  showsCertificate: true,
  canRefresh: true,
});
export type ServerAuth = z.infer<typeof serverAuthSchema>;

/** Where a local server may go, and what admits it to the proxy that leads there. */
export const serverWaySchema = apiAuthSchema
  .pick({ authorizedUris: true, allowsAllUris: true })
  .extend({ token: z.string() });
export type ServerWay = z.infer<typeof serverWaySchema>;

/** Where an integration's MCP server is. */
export const serverSourceSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('remote'),
    url: z.string(),
    transport: z.enum(['streamable-http', 'sse']),
    /** By authentication method. */
    auths: z.record(z.string(), serverAuthSchema),
  }),
  z.object({
    kind: z.literal('local'),
    /** Folders the server is told of when it asks; absent when it shares none. */
    roots: z.array(z.object({ uri: z.string(), name: z.string() })).optional(),
    /** By connection; a server without one has no way out. */
    ways: z.record(z.string(), serverWaySchema),
  }),
]);
export type ServerSource = z.infer<typeof serverSourceSchema>;
export type RemoteSource = Extract<ServerSource, { kind: 'remote' }>;
export type LocalSource = Extract<ServerSource, { kind: 'local' }>;

/** The MCP server of an integration, and what of its tools the agent has. */
export const runServerSchema = z.object({
  source: serverSourceSchema,
  /** The server's own names for them; all that are not hidden when `*`. */
  tools: z.union([z.literal('*'), z.array(z.string())]),
  /** Never offered, whatever is chosen: what the integration hides, and what only signs in. */
  hidden: z.array(z.string()),
});
export type RunServer = z.infer<typeof runServerSchema>;

/** Connections of one integration that a run may bind (the page: Several connections). */
export const MAX_CONNECTIONS = 20;

export const runIntegrationSchema = z.object({
  /** `@scope/name` */
  id: z.string(),
  displayName: z.string(),
  namespace: z.string(),
  apis: z.array(apiAuthSchema),
  /** Absent where there is none, or the agent has chosen none of its tools. */
  server: runServerSchema.optional(),
  connections: z.array(boundConnectionSchema).max(MAX_CONNECTIONS),
});
export type RunIntegration = z.infer<typeof runIntegrationSchema>;

/** What an author may set by `SIDECAR_*` (reference: sidecar, section 8.1). */
export const sidecarLimitsSchema = z.object({
  maxRequestBodyBytes: z.number().int().positive(),
  maxMcpEnvelopeBytes: z.number().int().positive(),
  inlineToolOutputTokens: z.number().int().positive(),
  runToolOutputBudgetTokens: z.number().int().positive(),
  apiCallConcurrency: z.number().int().positive(),
  /** Milliseconds for one call of an MCP server's tool. */
  serverCallMs: z.number().int().positive(),
});
export type SidecarLimits = z.infer<typeof sidecarLimitsSchema>;

export const callLimitsSchema = sidecarLimitsSchema.pick({
  maxRequestBodyBytes: true,
  maxMcpEnvelopeBytes: true,
});
/** The limits that the sandbox keeps to as well. */
export type CallLimits = z.infer<typeof callLimitsSchema>;

/** How the author's network lets requests out. */
export const sidecarNetworkSchema = z.object({
  /** `http://host:port`, with user and password where the proxy wants them; absent for none. */
  proxy: z.string().optional(),
  /** Hosts that are reached without it, as in `NO_PROXY`. */
  noProxy: z.array(z.string()),
  /** Certificates in PEM that are trusted beside the well-known ones. */
  certificateAuthorities: z.array(z.string()),
  /** Hosts on private networks at which an MCP server may be, also without TLS; none when absent. */
  internalHosts: z.array(z.string()).optional(),
});
export type SidecarNetwork = z.infer<typeof sidecarNetworkSchema>;

/**
 * `credentials` answers what a connection's requests may carry. With `refresh` main gets a new one, unless
 * it has done so within moments or is doing so: then it answers that one. An error means that there is none,
 * and says in its `detail` what the person can do; the call then fails with `credential_unusable`, or keeps
 * the service's own refusal.
 */
export const credentialsRequest = {
  input: z.object({ connectionId: z.string(), reason: z.enum(['initial', 'refresh']) }),
  output: z.object({
    /** What templates and placeholders are filled from, such as `access_token`; never a refresh token. */
    fields: z.record(z.string(), z.string()),
    /** Fields that are no secret and may be read in a response. */
    publicFields: z.array(z.string()),
    /** Milliseconds since the epoch after which main must be asked again; absent while the run lasts. */
    expiresAt: z.number().optional(),
  }),
} as const;
export type CredentialsAnswer = z.infer<typeof credentialsRequest.output>;

/** A tool as an MCP server describes it, cleaned. */
export const serverToolSchema = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  outputSchema: z.looseObject({ type: z.literal('object') }).optional(),
  annotations: z.record(z.string(), z.union([z.boolean(), z.string()])).optional(),
});

/**
 * `reviewTools` holds what servers list against what the author has accepted, and remembers what is new. The
 * first list of a server is accepted as it comes; after that a tool which has changed is withheld until the
 * author accepts the change.
 */
export const reviewToolsRequest = {
  input: z.object({
    integrationId: z.string(),
    listings: z.array(z.object({ connectionId: z.string(), tools: z.array(serverToolSchema) })),
  }),
  output: z.object({
    withheld: z.array(z.object({ connectionId: z.string(), tool: z.string() })),
  }),
} as const;

/** One request that left the sidecar, or was refused before; it holds neither secrets nor bodies. */
export const outboundCallSchema = z.object({
  tool: z.string(),
  integrationId: z.string(),
  connectionId: z.string(),
  method: z.string(),
  /** Scheme, host, port and path of each hop, without the query. A secret is written as its placeholder. */
  url: z.string(),
  /** The service's status, or 0 when the sidecar answered itself. */
  status: z.number().int(),
  code: callFailureCodeSchema.optional(),
  /** The entry of `authorized_uris` that let it go; absent when every address is allowed, or it was refused. */
  rule: z.string().optional(),
  bytesSent: z.number().int().nonnegative(),
  bytesReceived: z.number().int().nonnegative(),
  durationMs: z.number().nonnegative(),
});
export type OutboundCall = z.infer<typeof outboundCallSchema>;
