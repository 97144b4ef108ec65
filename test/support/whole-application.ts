import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApplication, type ApplicationOptions } from '#main/app/create-application.ts';
import type { Application } from '#main/app/application.ts';
import { developmentResourcePaths } from '#main/app/resource-paths.ts';
import { LABEL } from '#main/engines/labels.ts';
import { createFileLogger, Redactor } from '#main/logging/index.ts';
import { ProcessInstanceRegistry } from '#main/store/index.ts';
import type { RunEvent } from '#shared/events/run-event.ts';
import type { ModelReference } from '#shared/models/model.ts';
import type { RunDetail } from '#shared/runs/run.ts';
import type { Behaviour } from '#test/peers/model-provider.ts';
import { stream } from '#test/peers/model-provider.ts';
import { openTestClient, root } from './engine-harness.ts';

const EVENTS = 10_000;

/** The whole app but its shell, in folders of its own, over this machine's engine. */
export class WholeApplication implements AsyncDisposable {
  readonly folder: string;
  readonly application: Application;
  readonly #stack: AsyncDisposableStack;
  readonly #hostId: string;

  private constructor(folder: string, application: Application, hostId: string, stack: AsyncDisposableStack) {
    this.folder = folder;
    this.application = application;
    this.#hostId = hostId;
    this.#stack = stack;
  }

  /** @param options `dockerHost` takes the place of what this machine would choose */
  static async open(
    options: Partial<Pick<ApplicationOptions, 'modelTimeouts' | 'modelAddresses' | 'trigger'>> & {
      dockerHost?: string;
    } = {},
  ): Promise<WholeApplication> {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'slipway-whole-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    // An own registry, so that nothing of another instance is this one's to judge.
    stack.defer(setVariable('XDG_STATE_HOME', join(folder, 'state')));
    if (options.dockerHost !== undefined) stack.defer(setVariable('DOCKER_HOST', options.dockerHost));
    const redactor = new Redactor();
    const dataDirectory = join(folder, 'data');
    const logger = stack.use(createFileLogger(join(dataDirectory, 'logs'), redactor));
    const application = stack.use(
      await createApplication({
        dataDirectory,
        trigger: options.trigger ?? 'cli',
        resources: developmentResourcePaths(root),
        version: 'test',
        logger,
        redactor,
        nodePath: undefined,
        ...(options.modelTimeouts && { modelTimeouts: options.modelTimeouts }),
        ...(options.modelAddresses && { modelAddresses: options.modelAddresses }),
      }),
    );
    using registry = new ProcessInstanceRegistry(join(folder, 'state', 'slipway'));
    return new WholeApplication(folder, application, registry.hostId, stack.move());
  }

  /** Writes a small agent; gives its folder. */
  async writeAgent(manifest: Record<string, unknown> = {}): Promise<string> {
    const folder = join(this.folder, 'agent');
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, 'manifest.json'),
      JSON.stringify({
        name: '@test/agent',
        version: '1.0.0',
        type: 'agent',
        schema_version: '0.2',
        display_name: 'Agent of a test',
        author: 'Slipway',
        runtime_tools: ['log'],
        ...manifest,
      }),
    );
    await writeFile(join(folder, 'prompt.md'), 'Do what the test says.');
    return folder;
  }

  /** Adds a provider that speaks OpenAI's protocol. */
  async addProvider(baseUrl: string, key?: string): Promise<ModelReference> {
    const provider = await this.application.models.save({
      kind: 'openai-compatible',
      displayName: 'Provider of a test',
      baseUrl,
      ...(key !== undefined && { key }),
    });
    return { providerId: provider.id, modelId: 'served-model' };
  }

  async start(agent: string, model: ModelReference, timeoutSeconds?: number): Promise<string> {
    const { id } = await this.application.runs.start({
      agent,
      input: {},
      files: [],
      model,
      trigger: 'app',
      timeoutSeconds,
    });
    return id;
  }

  /** Resolves when an event of the run fits. */
  async event(runId: string, fits: (data: RunEvent['data']) => boolean): Promise<void> {
    const { runs } = this.application;
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (runs.events(runId, 0, EVENTS).some(({ data }) => fits(data))) resolve();
    };
    const stop = runs.onEvents(runId, look);
    look();
    await promise.finally(stop);
  }

  /** A run's record once it has ended. */
  async record(runId: string): Promise<{ detail: RunDetail; events: RunEvent[] }> {
    const { runs } = this.application;
    await runs.ended(runId);
    return { detail: runs.get(runId), events: runs.events(runId, 0, EVENTS) };
  }

  /** Ids of the containers that this app has in the engine, by role. */
  async containers(): Promise<Map<string, string>> {
    using client = await openTestClient();
    const filters = { label: [`${LABEL.host}=${this.#hostId}`] };
    const list = await client.docker.listContainers({ all: true, filters });
    return new Map(list.map(({ Labels, Id }) => [Labels[LABEL.role] ?? Id, Id]));
  }

  /** Names of the volumes that this app has in the engine. */
  async volumes(): Promise<string[]> {
    using client = await openTestClient();
    const filters = { label: [`${LABEL.host}=${this.#hostId}`] };
    const { Volumes } = await client.docker.listVolumes({ filters });
    return (Volumes ?? []).map(({ Name }) => Name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack[Symbol.asyncDispose]();
  }
}

/** Sets a variable of this process; gives what sets it back. */
function setVariable(name: string, value: string): () => void {
  const before = process.env[name];
  process.env[name] = value;
  return () => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  };
}

/** A model's turn that calls tools, or says a text and ends. */
export function turn(says: string | { tool: string; input: unknown }[]): Behaviour {
  return stream(...turnEvents(says));
}

/** What {@link turn} streams. */
export function turnEvents(says: string | { tool: string; input: unknown }[]): unknown[] {
  const chunk = (delta: object, finish: string | null) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'served-model',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const isText = typeof says === 'string';
  return [
    chunk(
      isText
        ? { role: 'assistant', content: says }
        : {
            role: 'assistant',
            tool_calls: says.map(({ tool, input }, index) => ({
              index,
              id: `call_${index}_${Math.random().toString(36).slice(2, 8)}`,
              type: 'function',
              function: { name: tool, arguments: JSON.stringify(input) },
            })),
          },
      null,
    ),
    chunk({}, isText ? 'stop' : 'tool_calls'),
    {
      ...chunk({}, null),
      choices: [],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    },
    '[DONE]',
  ];
}
