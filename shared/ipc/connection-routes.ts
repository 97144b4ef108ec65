import { z } from 'zod';
import {
  connectFlowSchema,
  connectionSchema,
  MAX_CHOSEN_CONNECTIONS,
  redirectChoiceSchema,
} from '../connections/connection.ts';
import {
  connectionTestSchema,
  integrationNeedsSchema,
  runRequirementsSchema,
} from '../connections/requirements.ts';
import { problemSchema } from '../problem.ts';
import { networkRoutes } from './network-routes.ts';
import { serverSettingRoutes } from './server-setting-routes.ts';
import { toolReviewRoutes } from './tool-review-routes.ts';

const nothing = z.object({});
const integrationId = z.string().min(1).max(300);
const connectionId = z.string().min(1).max(100);
const auth = { integrationId, authKey: z.string().min(1).max(100) };
/** Certificates and keys are longer than passwords. */
const fields = z.record(z.string().max(200), z.string().max(100_000));
const chosen = z.array(connectionId);

/**
 * Connections by the integration they are chosen for. An integration that is left out takes those its agent
 * remembers, or the only one there is.
 */
export const chosenConnectionsSchema = z.record(integrationId, chosen);
export type ChosenConnections = z.infer<typeof chosenConnectionsSchema>;

/** All connections and the sign-ins under way; the topic `connections` sends the same. */
export const connectionStateSchema = z.object({
  connections: z.array(connectionSchema),
  flows: z.array(connectFlowSchema),
  /** Agents that have chosen a connection, by its id. */
  uses: z.record(z.string(), z.array(z.string())),
});

/** Requests about the author's accounts at services. No answer holds a secret. */
export const connectionRoutes = {
  'connections.list': { input: nothing, output: connectionStateSchema },
  /** What connecting an integration takes: fields, setup steps, and the redirect URI to register. */
  'connections.describe': { input: z.object({ integrationId }), output: integrationNeedsSchema },
  /** Keeps the app that was registered at a service. An absent secret leaves a kept one. */
  'connections.saveClient': {
    input: z.object({
      ...auth,
      clientId: z.string().max(2_000),
      clientSecret: z.string().max(20_000).optional(),
      isPublic: z.boolean().default(false),
      redirect: redirectChoiceSchema.optional(),
    }),
    output: integrationNeedsSchema,
  },
  'connections.removeClient': { input: z.object(auth), output: integrationNeedsSchema },
  /** Begins a sign-in and opens the browser; how it goes on is told by the topic. */
  'connections.connect': {
    input: z.object({
      ...auth,
      scopes: z.array(z.string().max(1_000)).max(500).optional(),
      connectionId: connectionId.optional(),
      kind: z.enum(['browser', 'device']).optional(),
      choosesAccount: z.boolean().optional(),
    }),
    output: z.object({
      flow: connectFlowSchema,
      /** Why the browser could not be opened; then the person has to open the address. */
      notOpened: problemSchema.optional(),
    }),
  },
  /** Opens the address of a sign-in that still waits once more. */
  'connections.openAgain': { input: z.object({ flowId: z.string() }), output: nothing },
  'connections.cancel': { input: z.object({ flowId: z.string() }), output: nothing },
  /** Takes the address of the page a service sent the person to, where it could not reach this computer. */
  'connections.pasteRedirect': { input: z.object({ address: z.string().max(8_000) }), output: nothing },
  /** Keeps what was typed in, or what the declared login gives for it. */
  'connections.create': {
    input: z.object({
      ...auth,
      fields,
      label: z.string().max(200).optional(),
      connectionId: connectionId.optional(),
    }),
    output: connectionSchema,
  },
  /** Calls the service once: with a connection, or with what was typed in and is not kept. */
  'connections.test': {
    input: z.object({
      subject: z.union([z.object({ connectionId }), z.object({ ...auth, fields })]),
      url: z.string().max(4_000).optional(),
    }),
    output: connectionTestSchema,
  },
  'connections.rename': { input: z.object({ connectionId, label: z.string() }), output: connectionSchema },
  'connections.remove': { input: z.object({ connectionId }), output: nothing },
  /** Remembers which connections an agent uses; none forgets the choice. */
  'connections.choose': {
    input: z.object({
      agentId: z.string(),
      integrationId,
      connectionIds: chosen.max(MAX_CHOSEN_CONNECTIONS),
    }),
    output: nothing,
  },
  /** What a run of an agent needs and what is missing, with what this start would choose. */
  'connections.requirements': {
    input: z.object({
      agentId: z.string(),
      chosen: chosenConnectionsSchema.default({}),
    }),
    output: runRequirementsSchema,
  },
  ...networkRoutes,
  ...toolReviewRoutes,
  ...serverSettingRoutes,
} as const;
