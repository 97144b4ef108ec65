import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { taskMessage } from '#main/runs/prompt.ts';
import { systemPrompt } from '#shared/runs/system-prompt.ts';
import { Agent } from '#main/sandbox/agent.ts';
import { EventBatcher } from '#main/sandbox/event-batcher.ts';
import { loadPi, type Pi } from '#main/sandbox/pi.ts';
import { createLogTool } from '#main/sidecar/runtime-tools/log.ts';
import { createOutputTool } from '#main/sidecar/runtime-tools/output.ts';
import type { SandboxEvent, SidecarEvent } from '#shared/events/run-event.ts';
import { testGateway } from '#test/support/models/gateway.ts';
import { findPython } from '#test/support/models/python.ts';
import { readSample } from '#test/support/models/samples.ts';
import { temporaryFolder } from '#test/support/models/temporary-folder.ts';
import type { RunModel } from '../model-gateway.ts';

const pythonFolder = findPython() ?? '';

/** Pi's requests, relayed to the run's model as the sidecar does. */
function relay(run: RunModel): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const response = await run.send(
      {
        method: request.method,
        path: `${pathname.slice('/model'.length)}${search}`,
        headers: Object.fromEntries(request.headers),
        body: new Uint8Array(await request.arrayBuffer()),
      },
      request.signal,
    );
    return new Response(ReadableStream.from(response.body), response);
  };
}

interface PiRun {
  readonly workspace: string;
  readonly sandboxEvents: readonly SandboxEvent[];
  readonly sidecarEvents: readonly SidecarEvent[];
  readonly stopReason: string;
  readonly run: RunModel;
}

/** One run of an agent in the program of the sandbox, with the tools of the sidecar, without containers. */
async function runInPi(pi: Pi, agentId: string, outputSchema: Record<string, unknown>): Promise<PiRun> {
  const workspace = temporaryFolder();
  mkdirSync(join(workspace, 'documents'));
  const sample = readSample(agentId.startsWith('@slipway/') ? agentId : '@slipway/csv-report');
  for (const { name, bytes } of sample.exampleFiles) writeFileSync(join(workspace, 'documents', name), bytes);

  await using made = testGateway({ walkthroughPaceMs: 1 });
  const run = await made.gateway.open(undefined, { runId: 'r', agentId });
  const sandboxEvents: SandboxEvent[] = [];
  const sidecarEvents: SidecarEvent[] = [];
  const emit = async (event: SidecarEvent) => void sidecarEvents.push(event);
  const tools = [createOutputTool(outputSchema, emit), createLogTool(emit)];
  using events = new EventBatcher(async (batch) => void sandboxEvents.push(...batch));
  const { description } = run;
  using agent = await Agent.create({
    pi,
    socketFetch: relay(run),
    events,
    toolServer: {
      listTools: async () => tools.map(({ definition }) => definition),
      callTool: async (name, input) =>
        tools
          .find(({ definition }) => definition.name === name)!
          .call(input, { signal: AbortSignal.timeout(60_000) }),
    },
    configuration: {
      runId: 'r',
      workspace,
      systemPrompt: systemPrompt({
        agentName: 'Sample',
        agentPrompt: 'Do it.',
        timeoutSeconds: 300,
        workspaceBytes: 1e9,
        runtimeTools: ['output', 'log'],
        hasOutputSchema: true,
      }),
      model: {
        api: description.api,
        id: description.modelId,
        name: description.displayName,
        contextWindow: description.contextWindow,
        maxTokens: description.maxTokens,
        reasoning: description.reasoning,
        images: description.images,
      },
      sidecar: { socketPath: '/nonexistent', token: 'none' },
      sandboxTools: ['read', 'write', 'edit', 'bash', 'grep', 'find', 'ls'],
      skills: [],
      shownResultBytes: 10_000,
    },
  });
  const files = sample.exampleFiles.map(({ name, field, bytes }) => ({
    name,
    field,
    originalName: name,
    size: bytes.length,
  }));
  const { stopReason } = await agent.prompt(taskMessage(sample.exampleInput, files), undefined);
  return { workspace, sandboxEvents, sidecarEvents, stopReason, run };
}

describe.skipIf(pythonFolder === '')('the walkthrough in Pi’s own loop', () => {
  let pi: Pi;
  beforeAll(async () => {
    vi.stubEnv('PATH', `${pythonFolder}:${process.env['PATH'] ?? ''}`);
    pi = await loadPi();
  });

  it.each(['@slipway/csv-report', '@slipway/gather', '@slipway/fix-script'])(
    'plays %s to its output',
    async (agentId) => {
      const sample = readSample(agentId);
      const { run, sidecarEvents, sandboxEvents, stopReason } = await runInPi(
        pi,
        agentId,
        sample.outputSchema,
      );
      const outputs = sidecarEvents.flatMap((event) => (event.type === 'output.emitted' ? [event.data] : []));
      expect(outputs).toHaveLength(1);
      expect(sample.violations(outputs[0])).toEqual([]);
      expect(outputs[0]).toMatchObject({ status: expect.stringMatching(/^(done|fixed)$/) });
      expect(stopReason).toBe('toolUse');
      // Each sample fails once for a real reason, and goes on.
      const failed = sandboxEvents.filter((event) => event.type === 'tool.ended' && event.isError);
      expect(failed.length).toBeGreaterThan(0);
      expect(sandboxEvents.filter((event) => event.type === 'turn.started')).toHaveLength(
        run.usage.modelRequests,
      );
      expect(run.usage).toMatchObject({ cost: 0, pricing: 'priced' });
      expect(run.usage.inputTokens).toBeGreaterThan(1000);
      expect(run.lastFailure).toBeUndefined();
    },
  );

  it('leaves a report whose chart is an image by itself', async () => {
    const { workspace } = await runInPi(
      pi,
      '@slipway/csv-report',
      readSample('@slipway/csv-report').outputSchema,
    );
    expect(readFileSync(join(workspace, 'outputs/chart.svg'), 'utf8')).toMatch(
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"[\s\S]*<\/svg>\n$/,
    );
  });

  it('says plainly to another agent that it is a script, and claims nothing', async () => {
    const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
    const { sidecarEvents, stopReason } = await runInPi(pi, '@author/agent', schema);
    expect(sidecarEvents).toEqual([
      { type: 'log.written', level: 'warn', message: expect.stringContaining('not a language model') },
    ]);
    expect(stopReason).toBe('stop');

    const open = {
      type: 'object',
      properties: { answer: { type: ['number', 'null'] }, parts: { type: 'array' } },
      required: ['answer', 'parts'],
    };
    const filled = await runInPi(pi, '@author/agent', open);
    expect(filled.sidecarEvents.at(-1)).toEqual({
      type: 'output.emitted',
      data: { answer: null, parts: [] },
    });
  });
});
