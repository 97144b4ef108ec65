import { text as readText } from 'node:stream/consumers';
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { RunnableAgent } from '#main/library/library.ts';
import type { RunService } from '#main/runs/run-service.ts';
import type { RunEvent } from '#shared/events/run-event.ts';
import type { ChosenConnections } from '#shared/ipc/connection-routes.ts';
import type { ModelReference } from '#shared/models/model.ts';
import type { RunDetail, RunOutputFile } from '#shared/runs/run.ts';
import { readToolInput, toolInputOf } from './agent-input.ts';
import type { OfferedCall, OfferedTool } from './offered-tool.ts';

/** Bytes of text files that come with the answer; what is larger is named by its place. */
const INLINE_BYTES = 64 * 1024;
const EVENTS_AT_ONCE = 500;

export interface AgentToolOptions {
  readonly name: string;
  readonly agent: Pick<RunnableAgent, 'id' | 'displayName' | 'inputSchema'>;
  readonly description: string;
  /** What is given to the run to find the agent. */
  readonly reference: string;
  readonly model: ModelReference | undefined;
  readonly connections: ChosenConnections;
  readonly runs: RunService;
}

/** An agent as a tool: a call is a run like any other, with all its checks, kept in the app's history. */
export function agentTool({
  name,
  agent,
  description,
  reference,
  model,
  connections,
  runs,
}: AgentToolOptions): OfferedTool {
  return {
    definition: {
      name,
      title: agent.displayName,
      description,
      inputSchema: toolInputOf(agent.inputSchema),
    },
    async call(given, call) {
      call.signal.throwIfAborted();
      const { id } = await runs.start({
        agent: reference,
        ...readToolInput(agent.inputSchema, given),
        model,
        connections,
        trigger: 'cli',
      });
      await follow(runs, id, call);
      return answerOf(runs, runs.get(id));
    },
  };
}

/** Tells of the run's way until it has ended; stops it when the client has gone or called off. */
async function follow(runs: RunService, runId: string, { signal, onProgress }: OfferedCall): Promise<void> {
  let sequence = 0;
  const tell = () => {
    const events = runs.events(runId, sequence, EVENTS_AT_ONCE);
    sequence = events.at(-1)?.sequence ?? sequence;
    for (const { data } of events) {
      const message = progressOf(data);
      if (message !== undefined) onProgress(message);
    }
  };
  const stopListening = runs.onEvents(runId, tell);
  const stop = () => void runs.stop(runId).catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    tell();
    await runs.ended(runId);
  } finally {
    signal.removeEventListener('abort', stop);
    stopListening();
  }
}

function progressOf(data: RunEvent['data']): string | undefined {
  switch (data.type) {
    case 'phase.started':
      return data.detail === undefined || data.detail === ''
        ? `Preparing: ${data.phase}`
        : `Preparing: ${data.detail}`;
    case 'tool.started':
      return `Calls ${data.tool}`;
    case 'log.written':
      return data.message;
    case 'turn.started':
      return `Turn ${data.turn}`;
    default:
      return undefined;
  }
}

async function answerOf(runs: RunService, detail: RunDetail): Promise<CallToolResult> {
  const { summary, output, outputFiles } = detail;
  const { id, status, problem } = summary;
  const folder = runs.outputFolder(id);
  const kept = outputFiles.filter((file) => file.kept);
  const files = kept.map(({ path, size, mediaType }) => ({
    path: join(folder, ...path.split('/')),
    size,
    mediaType,
  }));
  const structuredContent = { runId: id, status, output: output ?? null, files };
  if (status !== 'success') {
    const words = problem
      ? [problem.title, problem.detail, problem.action].filter(Boolean).join(' ')
      : status;
    return { isError: true, content: [{ type: 'text', text: words }], structuredContent };
  }
  const content: CallToolResult['content'] = [
    {
      type: 'text',
      text: output === undefined ? 'The agent delivered no output.' : JSON.stringify(output, null, 2),
    },
  ];
  let room = INLINE_BYTES;
  for (const file of kept) {
    if (!isText(file) || file.size > room) continue;
    room -= file.size;
    const opened = await runs.openOutput(id, file.path);
    content.push({
      type: 'resource',
      resource: {
        uri: `slipway://runs/${id}/outputs/${encodeURI(file.path)}`,
        mimeType: file.mediaType,
        text: await readText(opened.stream()),
      },
    });
  }
  if (files.length > 0) {
    const list = files.map(({ path, size }) => `${path} (${size} bytes)`).join('\n');
    content.push({ type: 'text', text: `Files on this computer:\n${list}` });
  }
  return { content, structuredContent };
}

function isText({ mediaType }: RunOutputFile): boolean {
  return mediaType.startsWith('text/') || mediaType === 'application/json' || mediaType === 'image/svg+xml';
}
