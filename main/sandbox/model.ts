import type { CreateAgentSessionOptions, ModelRuntime } from '@earendil-works/pi-coding-agent';
import { ProblemError } from '#shared/problem.ts';
import type { SandboxConfiguration } from '#shared/protocol/sandbox.ts';
import type { Pi } from './pi.ts';

const PROVIDER = 'slipway';
/** The sidecar's model endpoint; what stands before the first slash names it, the socket reaches it. */
const BASE_URL = 'http://sidecar/model';
/** Pi's clients insist on a key. The run's token is added where the request leaves. */
const NO_KEY = 'none';

type SessionModel = NonNullable<CreateAgentSessionOptions['model']>;
type ThinkingLevel = NonNullable<CreateAgentSessionOptions['thinkingLevel']>;

export interface RunModelParts {
  readonly modelRuntime: ModelRuntime;
  readonly model: SessionModel;
  readonly thinkingLevel: ThinkingLevel;
}

/** Pi's provider for the run's one model, whose requests go through `socketFetch`. */
export async function createModel(
  pi: Pi,
  { model, thinkingLevel }: Pick<SandboxConfiguration, 'model' | 'thinkingLevel'>,
  socketFetch: typeof fetch,
): Promise<RunModelParts> {
  const modelRuntime = await pi.ModelRuntime.create({
    ...NOTHING_STORED,
    modelsPath: null,
    refreshOnCreate: false,
  });
  // Every request of the session passes here, those that compact its context too.
  const streamSimple = modelRuntime.streamSimple.bind(modelRuntime);
  modelRuntime.streamSimple = (requested, context, options) =>
    streamSimple(requested, context, { ...options, fetch: socketFetch });
  const { compat, thinkingLevelMap } = model.clientOptions ?? {};
  modelRuntime.registerProvider(PROVIDER, {
    baseUrl: BASE_URL,
    api: model.api,
    apiKey: NO_KEY,
    models: [
      {
        id: model.id,
        name: model.name,
        reasoning: model.reasoning,
        input: model.images ? ['text', 'image'] : ['text'],
        // Main keeps the accounts.
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        contextWindow: model.contextWindow,
        maxTokens: model.maxTokens,
        ...(compat && { compat }),
        ...(thinkingLevelMap && { thinkingLevelMap }),
      },
    ],
  });
  const registered = modelRuntime.getModel(PROVIDER, model.id);
  if (registered === undefined) {
    throw new ProblemError({
      code: 'model_unusable',
      title: 'The model cannot be used',
      detail: `Pi did not take the model ${model.id}: ${modelRuntime.getError() ?? 'no reason given'}.`,
    });
  }
  return {
    modelRuntime,
    model: registered,
    thinkingLevel: thinkingLevel ?? (model.reasoning ? 'medium' : 'off'),
  };
}

/** A store of credentials that holds none and keeps none. */
const NOTHING_STORED = {
  credentials: {
    read: () => Promise.resolve(undefined),
    list: () => Promise.resolve([]),
    modify: () => Promise.resolve(undefined),
    delete: () => Promise.resolve(),
  },
};
