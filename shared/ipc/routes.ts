import { z } from 'zod';
import { engineReportSchema } from '../engines/engine-report.ts';
import { findingSchema } from '../manifest/finding.ts';
import {
  modelDescriptionSchema,
  modelReferenceSchema,
  providerKindSchema,
  providerStateSchema,
} from '../models/model.ts';
import { problemSchema } from '../problem.ts';
import { chosenConnectionsSchema, connectionRoutes } from './connection-routes.ts';
import { libraryRoutes } from './library-routes.ts';
import { typedTextRoutes } from './typed-text-routes.ts';
import { memoryRoutes } from './memory-routes.ts';
import { playgroundRoutes } from './playground-routes.ts';
import { serverRoutes } from './server-routes.ts';
import { callExportFormatSchema, callFilterSchema, recordedCallSchema } from '../runs/recorded-call.ts';
import { runDifferenceSchema } from '../runs/differences.ts';
import {
  keptFolderSchema,
  replayModeSchema,
  runDetailSchema,
  runPositionSchema,
  runSummarySchema,
} from '../runs/run.ts';
import { settingsSchema } from '../settings/settings.ts';

const nothing = z.object({});

/** How the vault keeps secrets, and whether it is open. */
export const vaultStateSchema = z.object({
  backend: z.enum(['system', 'passphrase', 'memory']),
  state: z.enum(['absent', 'locked', 'open']),
  detail: z.string(),
  /** Why the vault that lies on disk cannot be opened here, when that is known. */
  problem: problemSchema.optional(),
});
export type VaultState = z.infer<typeof vaultStateSchema>;

export const agentSummarySchema = z.object({
  id: z.string(),
  version: z.string(),
  displayName: z.string(),
  description: z.string(),
  origin: z.enum(['sample', 'library', 'folder']),
  /** Errors found in the package; a run is refused while there are any. */
  errorCount: z.number().int().nonnegative(),
  tools: z.array(z.string()),
  inputFieldCount: z.number().int().nonnegative(),
});
export type AgentSummary = z.infer<typeof agentSummarySchema>;

export const exampleFileSchema = z.object({
  /** Input field the example is for. */
  field: z.string(),
  /** Path in the package, such as `examples/sales.csv`. */
  path: z.string(),
  name: z.string(),
  size: z.number().int().nonnegative(),
});
export type ExampleFile = z.infer<typeof exampleFileSchema>;

export const agentDetailSchema = z.object({
  summary: agentSummarySchema,
  manifestText: z.string(),
  promptText: z.string(),
  /** The `input` wrapper of the manifest: JSON Schema, file limits, hints and order. */
  input: z
    .object({
      schema: z.record(z.string(), z.unknown()),
      fileConstraints: z.record(
        z.string(),
        z.object({ accept: z.string().optional(), maxSize: z.number().optional() }),
      ),
      hints: z.record(z.string(), z.object({ placeholder: z.string().optional() })),
      order: z.array(z.string()),
    })
    .optional(),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  timeoutSeconds: z.number(),
  runtimeTools: z.array(z.string()),
  files: z.array(z.object({ path: z.string(), size: z.number().int().nonnegative() })),
  examples: z.array(exampleFileSchema),
  /** Values that make a first run work without typing. */
  exampleInput: z.record(z.string(), z.unknown()),
  findings: z.array(findingSchema),
});
export type AgentDetail = z.infer<typeof agentDetailSchema>;

/** A file for a run: registered with the shell, an example of the agent's own package, or kept with another run. */
export const runFileSchema = z.object({
  field: z.string().optional(),
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('registered'), handle: z.string() }),
    z.object({ kind: z.literal('example'), path: z.string() }),
    z.object({
      kind: z.literal('run'),
      runId: z.string(),
      folder: z.enum(['outputs', 'documents']),
      path: z.string(),
    }),
  ]),
});
export type RunFile = z.infer<typeof runFileSchema>;

export const modelTestSchema = z.object({
  models: z.array(modelDescriptionSchema),
  latencyMs: z.number().nonnegative(),
});

/**
 * Every request the renderer may make, with what it takes and what it gets. Main parses the input;
 * a route that is not here does not exist.
 */
export const routes = {
  'app.describe': {
    input: nothing,
    output: z.object({
      version: z.string(),
      shell: z.enum(['electron', 'browser']),
      platform: z.string(),
      nodeVersion: z.string(),
      dataDirectory: z.string(),
      canReveal: z.boolean(),
    }),
  },
  'app.openLink': { input: z.object({ url: z.url({ protocol: /^https$/ }) }), output: nothing },

  'library.list': { input: nothing, output: z.object({ agents: z.array(agentSummarySchema) }) },
  'library.get': { input: z.object({ agentId: z.string() }), output: agentDetailSchema },
  ...libraryRoutes,
  ...typedTextRoutes,
  ...connectionRoutes,
  ...memoryRoutes,
  ...playgroundRoutes,
  ...serverRoutes,

  'engine.describe': { input: nothing, output: engineReportSchema },
  'engine.look': { input: nothing, output: engineReportSchema },
  'engine.prefer': {
    input: z.object({ preference: z.enum(['automatic', 'docker', 'process']) }),
    output: engineReportSchema,
  },
  'engine.consent': { input: z.object({ granted: z.boolean() }), output: engineReportSchema },
  'engine.prepareImage': { input: nothing, output: nothing },

  'models.list': {
    input: nothing,
    output: z.object({ providers: z.array(providerStateSchema), defaultModel: modelReferenceSchema }),
  },
  /** Adds or changes a provider. An absent key leaves a kept one; an empty one removes it. */
  'models.saveProvider': {
    input: z.object({
      id: z.string().optional(),
      kind: providerKindSchema,
      displayName: z.string().optional(),
      baseUrl: z.url({ protocol: /^https?$/ }).optional(),
      key: z.string().optional(),
    }),
    output: providerStateSchema,
  },
  'models.removeProvider': { input: z.object({ id: z.string() }), output: nothing },
  /** Asks the provider for its models, with the given key and address or with the kept ones. */
  'models.test': {
    input: z.object({
      id: z.string().optional(),
      kind: providerKindSchema,
      baseUrl: z.url({ protocol: /^https?$/ }).optional(),
      key: z.string().optional(),
    }),
    output: modelTestSchema,
  },
  'models.setDefault': { input: modelReferenceSchema, output: nothing },

  'vault.describe': { input: nothing, output: vaultStateSchema },
  'vault.unlock': { input: z.object({ passphrase: z.string().min(1) }), output: vaultStateSchema },
  'vault.lock': { input: nothing, output: vaultStateSchema },
  /** Keys are held until the app closes, instead of in a vault; a vault on disk stays as it is. */
  'vault.keepInMemory': { input: nothing, output: vaultStateSchema },
  /** Renames a vault that cannot be opened, so that a new one can be made; nothing is lost. */
  'vault.setAside': { input: nothing, output: vaultStateSchema.extend({ keptAs: z.string() }) },

  'settings.get': { input: nothing, output: settingsSchema },
  'settings.update': { input: settingsSchema.partial(), output: settingsSchema },

  /**
   * Queues a run. Where accounts are missing it fails with `missing_integration_connection`, a cause for each
   * integration: `connections.requirements` with the same choice tells all of it, for the sheet that asks.
   */
  'runs.start': {
    input: z.object({
      agentId: z.string(),
      input: z.record(z.string(), z.unknown()),
      files: z.array(runFileSchema),
      model: modelReferenceSchema.optional(),
      /** Connections for this run, one or up to 20 of each integration; the agent remembers them. */
      connections: chosenConnectionsSchema.optional(),
    }),
    output: z.object({ runId: z.string() }),
  },
  /** Queues another run of a recorded one, which the recording answers. */
  'runs.replay': {
    input: z.object({
      runId: z.string(),
      mode: replayModeSchema,
      /** The live model; the recorded run's when absent. */
      model: modelReferenceSchema.optional(),
    }),
    output: z.object({ runId: z.string() }),
  },
  /** Where a replay came out otherwise than the run it replays; none when it did not. */
  'runs.differences': {
    input: z.object({ runId: z.string() }),
    output: z.object({ differences: z.array(runDifferenceSchema) }),
  },
  'runs.stop': { input: z.object({ runId: z.string() }), output: nothing },
  'runs.list': {
    input: z.object({
      agentId: z.string().optional(),
      limit: z.number().int().min(1).max(500).default(100),
      /** Only runs older than this one, to page backwards. */
      before: runPositionSchema.optional(),
    }),
    output: z.object({ runs: z.array(runSummarySchema), hasMore: z.boolean() }),
  },
  'runs.get': { input: z.object({ runId: z.string() }), output: runDetailSchema },
  'runs.remove': { input: z.object({ runId: z.string() }), output: nothing },
  /** The beginning of a kept file as text, for previews. */
  'runs.readText': {
    input: z.object({
      runId: z.string(),
      path: z.string(),
      folder: keptFolderSchema.optional(),
      limit: z.number().int().positive().max(2_000_000),
    }),
    output: z.object({ text: z.string(), size: z.number(), truncated: z.boolean(), binary: z.boolean() }),
  },
  /** Electron asks where to save; in the browser the page downloads by URL and never calls this. */
  'runs.saveFile': {
    input: z.object({ runId: z.string(), path: z.string(), folder: keptFolderSchema.optional() }),
    output: z.object({ savedTo: z.string().optional() }),
  },
  /** The audit: what a run sent to services, oldest first, a page at a time. */
  'runs.calls': {
    input: z.object({
      runId: z.string(),
      filter: callFilterSchema.default({}),
      after: z.number().int().nonnegative().default(0),
      limit: z.number().int().min(1).max(500).default(200),
    }),
    output: z.object({ calls: z.array(recordedCallSchema), total: z.number().int().nonnegative() }),
  },
  /** Electron asks where to save the audit; in the browser the page downloads it by URL. */
  'runs.saveCalls': {
    input: z.object({
      runId: z.string(),
      filter: callFilterSchema.default({}),
      format: callExportFormatSchema,
    }),
    output: z.object({ savedTo: z.string().optional() }),
  },
  'runs.reveal': { input: z.object({ runId: z.string() }), output: nothing },
} as const;

export type Routes = typeof routes;
export type RouteName = keyof Routes;
/** What a caller writes; defaults may be left out. */
export type RouteInput<R extends RouteName> = z.input<Routes[R]['input']>;
/** What a handler gets, after parsing. */
export type RouteParsedInput<R extends RouteName> = z.output<Routes[R]['input']>;
export type RouteOutput<R extends RouteName> = z.output<Routes[R]['output']>;
