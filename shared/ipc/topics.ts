import { z } from 'zod';
import { engineReportSchema } from '../engines/engine-report.ts';
import { runEventSchema } from '../events/run-event.ts';
import { modelReferenceSchema, providerStateSchema } from '../models/model.ts';
import { runSummarySchema } from '../runs/run.ts';
import { settingsSchema } from '../settings/settings.ts';
import { connectionStateSchema } from './connection-routes.ts';
import { libraryStateSchema } from './library-routes.ts';
import { agentMemorySchema } from './memory-routes.ts';
import { playgroundStateSchema } from './playground-routes.ts';
import { protocolEntrySchema, serverStateSchema } from './server-routes.ts';
import { agentSummarySchema, vaultStateSchema } from './routes.ts';

const nothing = z.object({});

/**
 * Every stream the renderer may subscribe to. A message carries the cursor to resume from: the server
 * sends only what comes after the cursor it is given, so that a reconnect neither loses nor repeats.
 * A topic of state sends its whole state when it differs from what the cursor stands for.
 */
export const topics = {
  engine: { parameters: nothing, message: engineReportSchema },
  models: {
    parameters: nothing,
    message: z.object({ providers: z.array(providerStateSchema), defaultModel: modelReferenceSchema }),
  },
  vault: { parameters: nothing, message: vaultStateSchema },
  settings: { parameters: nothing, message: settingsSchema },
  /** Packages of every type, and the folders that are followed. */
  packages: { parameters: nothing, message: libraryStateSchema },
  library: { parameters: nothing, message: z.object({ agents: z.array(agentSummarySchema) }) },
  /** The author's accounts at services, and the sign-ins under way. */
  connections: { parameters: nothing, message: connectionStateSchema },
  /** Calls made by hand since the app was started. */
  playground: { parameters: nothing, message: playgroundStateSchema },
  /** MCP servers that are called by hand, and those that are tried. */
  servers: { parameters: nothing, message: serverStateSchema },
  /** What was said to a server and by it, in order and in batches; the cursor is the last sequence number. */
  serverLog: {
    parameters: z.object({ sessionId: z.string() }),
    message: z.object({ entries: z.array(protocolEntrySchema) }),
  },
  /** What an agent remembers from run to run. */
  memory: { parameters: z.object({ agentId: z.string().min(1).max(300) }), message: agentMemorySchema },
  /** Changes of the list of runs. `reset` replaces all that was known, after a restart of main. */
  runs: {
    parameters: nothing,
    message: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('reset'), runs: z.array(runSummarySchema) }),
      z.object({ kind: z.literal('changed'), runs: z.array(runSummarySchema), removed: z.array(z.string()) }),
    ]),
  },
  /** A run's events, in order and in batches; the cursor is the last sequence number as text. */
  run: {
    parameters: z.object({ runId: z.string() }),
    message: z.object({ events: z.array(runEventSchema) }),
  },
} as const;

export type Topics = typeof topics;
export type TopicName = keyof Topics;
export type TopicParameters<T extends TopicName> = z.output<Topics[T]['parameters']>;
export type TopicMessage<T extends TopicName> = z.output<Topics[T]['message']>;
