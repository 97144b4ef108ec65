import { z } from 'zod';
import { problemSchema } from '../problem.ts';
import { authTypeSchema, connectionSchema, redirectChoiceSchema } from './connection.ts';
import { credentialFieldSchema } from './credential-fields.ts';

/** What a service made of a credential. */
export const connectionTestSchema = z.object({
  /** `unclear`: it answered, but in a way that says nothing of the credential. */
  outcome: z.enum(['works', 'refused', 'unclear', 'unreachable', 'untested']),
  status: z.number().int().optional(),
  detail: z.string(),
});
export type ConnectionTest = z.infer<typeof connectionTestSchema>;

/** One way to connect an integration, with what the author has to do for it. */
export const authNeedsSchema = z.object({
  authKey: z.string(),
  type: authTypeSchema,
  /** `sign_in` at the service; `fields` are kept as they are; `login` trades them; `tool` has a server do it. */
  way: z.enum(['sign_in', 'fields', 'login', 'tool']),
  required: z.boolean(),
  fields: z.array(credentialFieldSchema),
  defaultScopes: z.array(z.string()),
  scopeCatalog: z.array(
    z.object({
      value: z.string(),
      label: z.string(),
      description: z.string(),
      implies: z.array(z.string()),
    }),
  ),
  authorizedUris: z.array(z.string()),
  /** For `sign_in`: the app that is registered at the service. */
  client: z
    .object({
      /** The author has to register an app; else it is done for him. */
      isManual: z.boolean(),
      isPublicByManifest: z.boolean(),
      clientId: z.string().optional(),
      hasSecret: z.boolean(),
      isPublic: z.boolean(),
      redirect: redirectChoiceSchema,
      /** To be copied to the service, exactly. */
      redirectUri: z.string(),
      /** The integration's own words on where to put it. */
      hint: z.string().optional(),
    })
    .optional(),
  /** A code may be typed in on another device. */
  hasDeviceFlow: z.boolean(),
});
export type AuthNeeds = z.infer<typeof authNeedsSchema>;

export const integrationNeedsSchema = z.object({
  integrationId: z.string(),
  displayName: z.string(),
  setupSteps: z.array(z.object({ label: z.string(), url: z.string().optional() })),
  auths: z.array(authNeedsSchema),
  connections: z.array(connectionSchema.extend({ agentCount: z.number().int().nonnegative() })),
});
export type IntegrationNeeds = z.infer<typeof integrationNeedsSchema>;

/** A connection as a run may take it. */
export const candidateSchema = z.object({
  connectionId: z.string(),
  authKey: z.string(),
  label: z.string(),
  accountId: z.string(),
  state: connectionSchema.shape.state,
  missingScopes: z.array(z.string()),
  problem: problemSchema.optional(),
});
export type Candidate = z.infer<typeof candidateSchema>;

const scopeReasonSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('default') }),
  z.object({ kind: z.literal('tool'), tool: z.string() }),
  z.object({ kind: z.literal('pinned') }),
]);

/** What a run needs of one integration, and what of it is there. */
export const integrationRequirementSchema = z.object({
  integrationId: z.string(),
  displayName: z.string(),
  status: z.enum([
    'ready',
    /** Nothing of it is taken, so no connection is needed. */
    'inert',
    'integration_not_found',
    'auth_key_mismatch',
    'not_connected',
    'needs_reconnection',
    'must_choose_connection',
    'too_many_connections',
    'insufficient_scopes',
  ]),
  /** A sentence for the person; empty when it is ready. */
  detail: z.string(),
  /** Tools of it that the agent takes, by the names a selection has for them. */
  tools: z.union([z.array(z.string()), z.literal('*')]),
  /** Ways to connect, with the scopes to ask for now. */
  auths: z.array(
    z.object({
      authKey: z.string(),
      type: authTypeSchema,
      neededScopes: z.array(z.string()),
      requestedScopes: z.array(z.string()),
      /** Why each of the requested scopes is asked for; one that is only granted already has no reason. */
      reasons: z.record(z.string(), z.array(scopeReasonSchema)),
      /** An app has to be set up at the service first. */
      needsClient: z.boolean(),
      /** Addresses the credential may be sent to. */
      authorizedUris: z.array(z.string()),
    }),
  ),
  candidates: z.array(candidateSchema),
  /** Connections the run would take. */
  chosen: z.array(z.string()),
  /** Who chose: this start, the agent earlier, or there was only one. */
  source: z.enum(['run', 'agent', 'only', 'none']),
});
export type IntegrationRequirement = z.infer<typeof integrationRequirementSchema>;

export const runRequirementsSchema = z.object({
  isReady: z.boolean(),
  integrations: z.array(integrationRequirementSchema),
});
export type RunRequirements = z.infer<typeof runRequirementsSchema>;
