import { z } from 'zod';
import { problemSchema } from '../problem.ts';

/** Connections of one integration that an agent or a run may have. */
export const MAX_CHOSEN_CONNECTIONS = 20;

export const authTypeSchema = z.enum(['oauth2', 'api_key', 'basic', 'mtls', 'custom']);

/** An account of a service that the author has connected. Holds nothing secret. */
export const connectionSchema = z.object({
  id: z.string(),
  integrationId: z.string(),
  authKey: z.string(),
  authType: authTypeSchema,
  /** Unique among the connections of its integration; the model chooses by it. */
  label: z.string(),
  /** Account at the service; `default` when the service does not tell. */
  accountId: z.string(),
  /** What else the service told of the account, such as `name` and `email`. */
  identity: z.record(z.string(), z.string()),
  /** Scopes that are granted. */
  scopes: z.array(z.string()),
  /** Scopes that were granted once and are no longer. */
  lostScopes: z.array(z.string()),
  state: z.enum(['connected', 'needs_sign_in']),
  /** Why it does not work, or what the service last objected to. */
  problem: problemSchema.optional(),
  /** When the access ends, in milliseconds; absent when it does not, or when nobody knows. */
  expiresAt: z.number().optional(),
  /** Whether the app can renew the access by itself. */
  renewable: z.boolean(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type Connection = z.infer<typeof connectionSchema>;

/** Whether only a person can make it work again. @param now milliseconds since the epoch */
export function hasEnded(
  { state, renewable, expiresAt }: Pick<Connection, 'state' | 'renewable' | 'expiresAt'>,
  now: number,
): boolean {
  return state === 'needs_sign_in' || (!renewable && expiresAt !== undefined && expiresAt <= now);
}

/** When the next of these will end by itself, in milliseconds since the epoch; undefined when none will. */
export function nextEnd(
  connections: Iterable<Pick<Connection, 'renewable' | 'expiresAt'>>,
  now: number,
): number | undefined {
  let next: number | undefined;
  for (const { renewable, expiresAt } of connections) {
    if (renewable || expiresAt === undefined || expiresAt <= now) continue;
    next = Math.min(expiresAt, next ?? expiresAt);
  }
  return next;
}

/** A sign-in with the browser or on another device, from its beginning to its end. */
export const connectFlowSchema = z.object({
  id: z.string(),
  integrationId: z.string(),
  authKey: z.string(),
  kind: z.enum(['browser', 'device']),
  /** `waiting` for the person; `exchanging` what came back. The others are ends. */
  state: z.enum(['waiting', 'exchanging', 'connected', 'failed', 'cancelled', 'expired']),
  /** Address the browser is sent to. */
  authorizationUrl: z.string().optional(),
  redirectUri: z.string().optional(),
  /** For another device: what to type in, and where. */
  userCode: z.string().optional(),
  verificationUri: z.string().optional(),
  /** When it gives up, in milliseconds. */
  expiresAt: z.number(),
  requestedScopes: z.array(z.string()),
  /** What was granted, once it is known. */
  grantedScopes: z.array(z.string()).optional(),
  /** Requested scopes that were not granted: the person may have unticked them. */
  missingScopes: z.array(z.string()).optional(),
  /** The connection that was made or renewed; while waiting, the one to be renewed. */
  connectionId: z.string().optional(),
  problem: problemSchema.optional(),
});
export type ConnectFlow = z.infer<typeof connectFlowSchema>;

/** Where a service sends the person back to. */
export const redirectChoiceSchema = z.object({
  /** `loopback` is a port of this computer; `scheme` is `slipway://`, which only the desktop app receives. */
  kind: z.enum(['loopback', 'scheme']),
  /** The spelling that is registered at the service. */
  host: z.enum(['127.0.0.1', 'localhost']),
  /** 0 for any free port, which only services that follow RFC 8252 accept. */
  port: z.number().int().min(0).max(65_535),
});
export type RedirectChoice = z.infer<typeof redirectChoiceSchema>;

/** What a package may ask for: any free port, or one that needs no rights of its own. */
export const loopbackRedirectSchema = redirectChoiceSchema.extend({
  kind: z.literal('loopback'),
  port: z.union([z.literal(0), z.number().int().min(1024).max(65_535)]),
});

/** Path of every redirect URI at this computer. */
export const CALLBACK_PATH = '/oauth/callback';

/** The exact redirect URI of a choice; for any free port, without one, as it is registered then. */
export function redirectUriOf(redirect: RedirectChoice, boundPort?: number): string {
  if (redirect.kind === 'scheme') return 'slipway://oauth/callback';
  const port = boundPort ?? redirect.port;
  return `http://${redirect.host}${port === 0 ? '' : `:${port}`}${CALLBACK_PATH}`;
}
