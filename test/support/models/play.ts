import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createBashToolDefinition,
  createEditToolDefinition,
  createLsToolDefinition,
  createReadToolDefinition,
  createWriteToolDefinition,
} from '@earendil-works/pi-coding-agent';
import { taskMessage } from '#main/runs/prompt.ts';
import { createSecretStore } from '#main/secrets/index.ts';
import { createModelGateway } from '#main/models/index.ts';
import { memoryConfiguration } from './memory-configuration.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface PlayedFile {
  readonly name: string;
  readonly field: string;
  readonly bytes: string | Uint8Array;
}

export interface PlayOptions {
  readonly agentId: string;
  readonly pythonFolder: string;
  readonly files: readonly PlayedFile[];
  readonly input?: Record<string, unknown>;
  readonly outputSchema?: Record<string, unknown>;
  readonly runtimeTools?: readonly string[];
}

export interface PlayedCall {
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  readonly result: string;
}

export interface Played {
  readonly workspace: string;
  /** Texts of all turns. */
  readonly said: readonly string[];
  readonly calls: readonly PlayedCall[];
  readonly logs: readonly { level: string; message: string }[];
  /** The data of the `output` that was called. */
  readonly output: Record<string, unknown> | undefined;
  /** Every request and answer, to be compared between two plays. */
  readonly transcript: string;
  read(path: string): string;
}

/**
 * Plays an agent with the walkthrough: real requests through `RunModel.send`, Pi's own tools on a real
 * folder, real Python.
 */
export async function play(options: PlayOptions): Promise<Played> {
  const workspace = temporaryFolder();
  mkdirSync(join(workspace, 'documents'));
  for (const { name, bytes } of options.files) writeFileSync(join(workspace, 'documents', name), bytes);
  const sandboxTools = toolsFor(workspace, options.pythonFolder);
  const runtimeTools = options.runtimeTools ?? ['output', 'log'];
  const offered = [
    ...[...sandboxTools.values()].map(({ name, parameters }) => ({
      name,
      parameters: parameters as unknown,
    })),
    ...runtimeTools.map((name) => ({ name, parameters: parametersOf(name, options.outputSchema) })),
  ];
  await using gateway = createModelGateway({
    secrets: createSecretStore({ directory: workspace, preference: 'memory' }),
    configuration: memoryConfiguration(),
  });
  const model = await gateway.open(undefined, { runId: 'run', agentId: options.agentId });

  const messages: Record<string, unknown>[] = [
    { role: 'system', content: 'You are an agent.' },
    {
      role: 'user',
      content: taskMessage(
        options.input ?? {},
        options.files.map(({ name, field, bytes }) => ({
          name,
          field,
          originalName: name,
          size: bytes.length,
        })),
      ),
    },
  ];
  const said: string[] = [];
  const calls: PlayedCall[] = [];
  const logs: { level: string; message: string }[] = [];
  let output: Record<string, unknown> | undefined;
  for (let turn = 0; turn < 80 && output === undefined; turn += 1) {
    const request = {
      model: 'walkthrough',
      messages,
      stream: false,
      tools: offered.map((tool) => ({ type: 'function', function: tool })),
    };
    const response = await model.send(
      { method: 'POST', path: '/chat/completions', headers: {}, body: Buffer.from(JSON.stringify(request)) },
      new AbortController().signal,
    );
    const message = JSON.parse(Buffer.concat(await Array.fromAsync(response.body)).toString()).choices[0]
      .message;
    messages.push(message);
    said.push(message.content);
    if (!message.tool_calls) break;
    for (const { id, function: called } of message.tool_calls) {
      const args = JSON.parse(called.arguments);
      const result = await execute(called.name, args);
      calls.push({ tool: called.name, arguments: args, result });
      messages.push({ role: 'tool', tool_call_id: id, content: result });
    }
  }
  return {
    workspace,
    said,
    calls,
    logs,
    output,
    transcript: JSON.stringify(messages),
    read: (path) => readFileSync(join(workspace, path), 'utf8'),
  };

  async function execute(name: string, args: Record<string, unknown>): Promise<string> {
    if (name === 'log') {
      logs.push(args as (typeof logs)[number]);
      return 'Logged';
    }
    if (name === 'output') {
      output = args['data'] as Record<string, unknown>;
      return 'Output recorded';
    }
    const tool = sandboxTools.get(name);
    if (!tool) return `There is no tool ${name}`;
    try {
      const { content } = await tool.execute('call', args as never, undefined, undefined, undefined as never);
      return content.map((block) => ('text' in block ? block.text : '')).join('\n');
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

function toolsFor(workspace: string, pythonFolder: string) {
  const bash = createBashToolDefinition(workspace, {
    exposeSessionEnvironment: false,
    spawnHook: (context) => ({
      ...context,
      env: {
        ...context.env,
        PATH: `${pythonFolder}:${process.env['PATH'] ?? ''}`,
        PYTHONDONTWRITEBYTECODE: '1',
      },
    }),
  });
  const tools = [
    bash,
    createReadToolDefinition(workspace),
    createWriteToolDefinition(workspace),
    createEditToolDefinition(workspace),
    createLsToolDefinition(workspace),
  ];
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function parametersOf(name: string, outputSchema: Record<string, unknown> | undefined): unknown {
  const properties =
    name === 'output'
      ? { data: outputSchema ?? { type: 'object' } }
      : { level: { type: 'string' }, message: { type: 'string' } };
  return { type: 'object', properties, required: Object.keys(properties) };
}
