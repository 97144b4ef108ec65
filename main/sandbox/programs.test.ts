import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { SandboxEvent } from '#shared/events/run-event.ts';
import { modelApiSchema } from '#shared/models/model.ts';
import { ProblemError } from '#shared/problem.ts';
import type { ModelStreamResponse } from '#shared/protocol/model-stream-server.ts';
import {
  eventStream,
  plainResponse,
  ScriptedModel,
  type ScriptedTurn,
} from './test-support/scripted-model.ts';
import { startTestRun, TEST_TOKEN, type TestRun, type TestRunOptions } from './test-support/test-run.ts';

// Two real programs and their commands run here at a time; each test starts its own pair.
vi.setConfig({ testTimeout: 60_000 });

function scriptedRun(turns: readonly ScriptedTurn[], options: Omit<Partial<TestRunOptions>, 'send'> = {}) {
  const model = new ScriptedModel(options.api ?? 'openai-completions', turns);
  return { model, starting: startTestRun({ ...options, send: async (request) => model.answer(request) }) };
}

function ofType<Type extends SandboxEvent['type']>(run: TestRun, type: Type) {
  return run.events.filter((event): event is Extract<SandboxEvent, { type: Type }> => event.type === type);
}

/** Commands whose command line holds this text. */
function processesWith(text: string): string[] {
  const lines = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(text) && !line.includes('ps -eo'));
}

describe.each(modelApiSchema.options)('a run over %s', (api) => {
  it('runs a command, reads, logs and ends with the output', async () => {
    const { model, starting } = scriptedRun(
      [
        {
          text: 'I look.',
          calls: [{ name: 'bash', input: { command: 'printf "a,b" > data.csv; echo done' } }],
        },
        { calls: [{ name: 'read', input: { path: 'data.csv' } }] },
        {
          calls: [
            { name: 'log', input: { level: 'info', message: 'Half way' } },
            { name: 'output', input: { data: { total: 3 } } },
          ],
        },
        { text: 'This must never be asked for.' },
      ],
      { api },
    );
    await using run = await starting;
    const outcome = await run.sandbox.peer.request('prompt', { text: 'Do it' });

    expect(outcome).toEqual({ stopReason: 'toolUse', aborted: false, turns: 3 });
    expect(run.sidecarEvents).toEqual([
      { type: 'log.written', level: 'info', message: 'Half way' },
      { type: 'output.emitted', data: { total: 3 } },
    ]);
    expect(model.requests).toHaveLength(3);
    expect(model.requests[0]).toMatchObject({
      system: `You are a test.\n\n<cwd>\n${run.workspace}\n</cwd>`,
      texts: ['Do it'],
    });
    expect(model.requests[0]?.tools.map((tool) => tool.name)).toEqual(run.tools.map((tool) => tool.name));
    expect(model.requests[2]?.texts.join('\n')).toMatch(/done[^]*a,b/);
    expect(JSON.stringify(model.requests)).not.toContain(TEST_TOKEN);
    expect(ofType(run, 'message.ended')[0]).toMatchObject({ text: 'I look.', stopReason: 'toolUse' });
    expect(ofType(run, 'turn.ended')[2]).toMatchObject({ inputTokens: 100, outputTokens: 20, turn: 3 });
    expect(run.events.map((event) => event.type)).toEqual([
      'turn.started',
      'message.delta',
      'message.ended',
      'tool.started',
      'tool.ended',
      'turn.ended',
      'turn.started',
      'message.ended',
      'tool.started',
      'tool.ended',
      'turn.ended',
      'turn.started',
      'message.ended',
      'tool.started',
      'tool.started',
      'tool.ended',
      'tool.ended',
      'turn.ended',
    ]);
    expect([...run.sandbox.faults, ...run.sidecar.faults]).toEqual([]);
    expect(run.sandbox.stderr() + run.sidecar.stderr()).toBe('');
  });

  it('tells of a refused key without trying again', async () => {
    await using run = await startTestRun({ api, send: async () => failure(401, 'The key is wrong') });
    const outcome = await run.sandbox.peer.request('prompt', { text: 'Do it' });
    expect(outcome).toMatchObject({ stopReason: 'error', aborted: false, turns: 1 });
    expect(outcome.errorMessage).toContain('The key is wrong');
    expect(ofType(run, 'model.retried')).toEqual([]);
  });

  // Most of their time is the wait before the next attempt, so they may wait together.
  it.concurrent.each([
    ['429', () => failure(429, 'Slow down')],
    ['500', () => failure(500, 'It broke')],
    ['a stream that is cut', () => cutStream()],
  ] satisfies [string, () => ModelStreamResponse][])('tries again after %s', async (_what, fail) => {
    const model = new ScriptedModel(api, [{ text: 'Here I am.' }]);
    let isFirst = true;
    await using run = await startTestRun({
      api,
      send: async (request) => {
        if (!isFirst) return model.answer(request);
        isFirst = false;
        return fail();
      },
    });
    const outcome = await run.sandbox.peer.request('prompt', { text: 'Do it' });
    expect(outcome).toMatchObject({ stopReason: 'stop', turns: 2 });
    expect(outcome).not.toHaveProperty('errorMessage');
    expect(ofType(run, 'model.retried')).toMatchObject([{ attempt: 1, delayMs: 2000 }]);
    expect(ofType(run, 'message.ended').map((event) => event.stopReason)).toEqual(['error', 'stop']);
  });
});

/** An error with what each of the four APIs puts into one. */
function failure(status: number, message: string): ModelStreamResponse {
  const body = { type: 'error', error: { type: 'api_error', code: status, status: 'ERROR', message } };
  return plainResponse(status, 'application/json', JSON.stringify(body));
}

/** Begins to answer and breaks off. */
function cutStream(): ModelStreamResponse {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: (async function* () {
      yield Buffer.from(': begins\n\n');
      throw new ProblemError({ code: 'model_unreachable', title: 'Cut', detail: 'The provider hung up.' });
    })(),
  };
}

describe('the model endpoint', () => {
  it('shows what main could not do, as the problem it was', async () => {
    await using run = await startTestRun({
      send: async () => {
        throw new ProblemError({
          code: 'model_key_missing',
          title: 'No key',
          detail: 'No key is kept for this provider.',
        });
      },
    });
    const outcome = await run.sandbox.peer.request('prompt', { text: 'Do it' });
    expect(outcome.stopReason).toBe('error');
    expect(outcome.errorMessage).toContain('No key is kept for this provider.');
    expect(ofType(run, 'model.retried')).toEqual([]);
  });

  it('ends with an error when a page answers in the place of a model', async () => {
    await using run = await startTestRun({
      send: async () => plainResponse(404, 'text/html', '<html><body>Not a model</body></html>'),
    });
    const outcome = await run.sandbox.peer.request('prompt', { text: 'Do it' });
    expect(outcome.stopReason).toBe('error');
    expect(outcome.errorMessage).toContain('404');
  });
});

describe('abort', () => {
  it('ends a model request in the middle of its stream, up to the provider', async () => {
    const providerGone = Promise.withResolvers<void>();
    await using run = await startTestRun({
      send: async (_request, signal) => {
        signal.addEventListener('abort', () => providerGone.resolve(), { once: true });
        return {
          ...eventStream([]),
          body: (async function* () {
            yield Buffer.from(
              `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Once' } }] })}\n\n`,
            );
            await providerGone.promise;
          })(),
        };
      },
    });
    const prompting = run.sandbox.peer.request('prompt', { text: 'Tell a long story' });
    await run.event((event) => event.type === 'message.delta');
    await run.sandbox.peer.request('abort', {});
    await providerGone.promise;
    expect(await prompting).toMatchObject({ stopReason: 'aborted', aborted: true, turns: 1 });
    expect(ofType(run, 'message.ended')).toMatchObject([{ text: 'Once', stopReason: 'aborted' }]);
  });

  it('ends a command with all it started', async () => {
    const marker = `61.${process.pid}`;
    const { starting } = scriptedRun([
      { calls: [{ name: 'bash', input: { command: `(sleep ${marker} & sleep ${marker}); true` } }] },
    ]);
    await using run = await starting;
    const prompting = run.sandbox.peer.request('prompt', { text: 'Wait' });
    await vi.waitFor(() => expect(processesWith(`sleep ${marker}`).length).toBeGreaterThan(1), 10_000);
    await run.sandbox.peer.request('abort', {});
    expect(await prompting).toMatchObject({ aborted: true });
    await vi.waitFor(() => expect(processesWith(`sleep ${marker}`)).toEqual([]));
    expect(ofType(run, 'tool.ended')[0]).toMatchObject({ tool: 'bash', isError: true });
  });

  it('lets the agent go on afterwards', async () => {
    const { model, starting } = scriptedRun([
      { calls: [{ name: 'bash', input: { command: 'sleep 60' } }] },
      { text: 'Yes?' },
    ]);
    await using run = await starting;
    const prompting = run.sandbox.peer.request('prompt', { text: 'Wait' });
    await run.event((event) => event.type === 'tool.started');
    await run.sandbox.peer.request('abort', {});
    await prompting;
    const outcome = await run.sandbox.peer.request('prompt', { text: 'Are you there?' });
    expect(outcome).toMatchObject({ stopReason: 'stop', aborted: false });
    expect(model.requests[1]?.texts.at(-1)).toBe('Are you there?');
  });
});

describe('the end of main', () => {
  it.each(['sandbox', 'sidecar'] as const)('ends the %s', async (name) => {
    const { starting } = scriptedRun([]);
    await using run = await starting;
    expect(await run[name].hangUp()).toBe(0);
  });

  it('ends the command that runs', async () => {
    const marker = `62.${process.pid}`;
    const { starting } = scriptedRun([{ calls: [{ name: 'bash', input: { command: `sleep ${marker}` } }] }]);
    await using run = await starting;
    const prompting = run.sandbox.peer.request('prompt', { text: 'Wait' }).catch(() => undefined);
    await vi.waitFor(() => expect(processesWith(`sleep ${marker}`)).not.toEqual([]), 10_000);
    expect(await run.sandbox.hangUp()).toBe(0);
    await prompting;
    await vi.waitFor(() => expect(processesWith(`sleep ${marker}`)).toEqual([]));
  });
});

describe('steering', () => {
  it('reaches the model before its next request', async () => {
    const { model, starting } = scriptedRun([
      { calls: [{ name: 'bash', input: { command: 'while [ ! -e go ]; do sleep 0.05; done' } }] },
      { text: 'As you say.' },
    ]);
    await using run = await starting;
    const prompting = run.sandbox.peer.request('prompt', { text: 'Start' });
    await run.event((event) => event.type === 'tool.started');
    await run.sandbox.peer.request('steer', { text: 'Be quick about it' });
    await writeFile(join(run.workspace, 'go'), '');
    expect(await prompting).toMatchObject({ stopReason: 'stop', turns: 2 });
    expect(model.requests[1]?.texts.at(-1)).toBe('Be quick about it');
  });

  it('is refused when nothing is in progress', async () => {
    const { starting } = scriptedRun([]);
    await using run = await starting;
    await expect(run.sandbox.peer.request('steer', { text: 'Hello' })).rejects.toMatchObject({
      problem: { code: 'agent_idle' },
    });
  });
});

describe('output', () => {
  const outputSchema = {
    type: 'object',
    properties: { total: { type: 'number' }, lines: { $ref: '#/$defs/lines' } },
    required: ['total', 'lines'],
    $defs: { lines: { type: 'array', items: { type: 'string' } } },
  };

  it('is refused with what is wrong, and ends the loop once it is right', async () => {
    const { model, starting } = scriptedRun(
      [
        { calls: [{ name: 'output', input: { data: { total: 'many', lines: [] } } }] },
        { calls: [{ name: 'output', input: { data: { total: 2, lines: ['a', 'b'] } } }] },
        { text: 'This must never be asked for.' },
      ],
      { sidecar: { outputSchema } },
    );
    await using run = await starting;
    await run.sandbox.peer.request('prompt', { text: 'Do it' });
    expect(model.requests).toHaveLength(2);
    expect(model.requests[1]?.texts.at(-1)).toContain('total');
    expect(ofType(run, 'tool.ended').map((event) => event.isError)).toEqual([true, false]);
    expect(run.sidecarEvents).toEqual([{ type: 'output.emitted', data: { total: 2, lines: ['a', 'b'] } }]);
  });

  it('is what a corrective prompt with fewer tools can ask for', async () => {
    const { model, starting } = scriptedRun(
      [
        { text: 'I am done.' },
        { calls: [{ name: 'output', input: { data: { total: 1, lines: [] } } }] },
        { text: 'Back again.' },
      ],
      { sidecar: { outputSchema } },
    );
    await using run = await starting;
    await run.sandbox.peer.request('prompt', { text: 'Do it' });
    const outcome = await run.sandbox.peer.request('prompt', {
      text: 'Call output',
      tools: ['output', 'read'],
    });
    expect(outcome).toMatchObject({ turns: 2, stopReason: 'toolUse' });
    expect(model.requests[1]?.tools.map((tool) => tool.name).toSorted()).toEqual(['output', 'read']);
    await run.sandbox.peer.request('prompt', { text: 'And now?' });
    expect(model.requests[2]?.tools).toHaveLength(run.tools.length);
  });

  it('of an author’s broken schema fails the configuration, naming the fault', async () => {
    const starting = startTestRun({
      send: async () => plainResponse(500, 'text/plain', ''),
      sidecar: { outputSchema: { type: 'object', properties: { a: { type: 'text' } } } },
    });
    await expect(starting).rejects.toMatchObject({
      problem: { code: 'output_schema_invalid', pointer: '/output/schema' },
    });
  });
});

describe('the workspace', () => {
  it('cannot add to the agent or run anything by itself', async () => {
    const { model, starting } = scriptedRun([{ text: 'Nothing here.' }], {
      prepare: async (workspace) => {
        const trap = `require('node:fs').writeFileSync(${JSON.stringify(join(workspace, 'trapped'))}, '')`;
        const extension = `export default () => { ${trap.replace("require('node:fs')", "process.getBuiltinModule('node:fs')")} };`;
        await mkdir(join(workspace, '.pi', 'extensions'), { recursive: true });
        await mkdir(join(workspace, '.pi', 'skills', 'trap'), { recursive: true });
        await mkdir(join(workspace, '.pi', 'agent', 'extensions'), { recursive: true });
        await mkdir(join(workspace, '.git'));
        await Promise.all([
          writeFile(join(workspace, '.pi', 'extensions', 'trap.ts'), extension),
          writeFile(join(workspace, '.pi', 'agent', 'extensions', 'trap.ts'), extension),
          writeFile(
            join(workspace, '.pi', 'settings.json'),
            JSON.stringify({ extensions: ['.pi/extensions/trap.ts'], shellCommandPrefix: 'touch trapped;' }),
          ),
          writeFile(join(workspace, '.pi', 'SYSTEM.md'), 'TRAP'),
          writeFile(join(workspace, '.pi', 'APPEND_SYSTEM.md'), 'TRAP'),
          writeFile(
            join(workspace, '.pi', 'skills', 'trap', 'SKILL.md'),
            '---\nname: trap\ndescription: TRAP\n---\nTRAP',
          ),
          writeFile(join(workspace, 'AGENTS.md'), 'TRAP'),
          writeFile(join(workspace, 'CLAUDE.md'), 'TRAP'),
          writeFile(join(workspace, 'package.json'), '{"pi":{"extensions":["./.pi/extensions/trap.ts"]}}'),
        ]);
      },
    });
    await using run = await starting;
    await run.sandbox.peer.request('prompt', { text: 'Hello' });
    expect(JSON.stringify(model.requests)).not.toContain('TRAP');
    expect(run.tools).toHaveLength(11);
    expect(run.events.some((event) => JSON.stringify(event).includes('trapped'))).toBe(false);
    await expect(
      import('node:fs/promises').then((fs) => fs.stat(join(run.workspace, 'trapped'))),
    ).rejects.toThrow('ENOENT');
  });

  it('tells of two skills of one name, and of each by its own path', async () => {
    const { model, starting } = scriptedRun([{ text: 'Yes.' }], {
      prepare: async (workspace) => {
        for (const folder of ['tally', 'tally-2']) {
          await mkdir(join(workspace, '.pi', 'skills', folder), { recursive: true });
          const head = `---\nname: tally\ndescription: Counts as ${folder} does.\n---\nBody`;
          await writeFile(join(workspace, '.pi', 'skills', folder, 'SKILL.md'), head);
        }
      },
      sandbox: { skills: ['.pi/skills/tally', '.pi/skills/tally-2'] },
    });
    await using run = await starting;
    await run.sandbox.peer.request('prompt', { text: 'Hello' });
    const system = model.requests[0]?.system;
    for (const folder of ['tally', 'tally-2']) {
      expect(system).toContain(`<name>${folder}</name>`);
      expect(system).toContain(`Counts as ${folder} does.`);
      expect(system).toContain(`.pi/skills/${folder}/SKILL.md`);
    }
  });

  it('gives the skills of the named folders only', async () => {
    const skill = (name: string) => `---\nname: ${name}\ndescription: How to ${name}.\n---\nBody`;
    const { model, starting } = scriptedRun([{ text: 'Yes.' }], {
      prepare: async (workspace) => {
        for (const name of ['wanted', 'other']) {
          await mkdir(join(workspace, '.pi', 'skills', name), { recursive: true });
          await writeFile(join(workspace, '.pi', 'skills', name, 'SKILL.md'), skill(name));
        }
      },
      sandbox: { skills: ['.pi/skills/wanted'] },
    });
    await using run = await starting;
    await run.sandbox.peer.request('prompt', { text: 'Hello' });
    expect(model.requests[0]?.system).toContain('<name>wanted</name>');
    expect(model.requests[0]?.system).not.toContain('other');
  });

  it('holds no secret, and nor does a command’s environment', async () => {
    const { model, starting } = scriptedRun([
      { calls: [{ name: 'bash', input: { command: 'env; cat /proc/$PPID/environ | tr "\\0" "\\n"' } }] },
      { text: 'Seen.' },
    ]);
    await using run = await starting;
    await run.sandbox.peer.request('prompt', { text: 'Look' });
    expect(model.requests[1]?.texts.at(-1)).toContain('PATH=');
    expect(model.requests[1]?.texts.at(-1)).not.toContain(TEST_TOKEN);
  });

  it('has its outputs reported while they are written, links and hidden files left out', async () => {
    const { starting } = scriptedRun([
      {
        calls: [
          {
            name: 'bash',
            input: {
              command:
                'mkdir -p outputs/charts outputs/.hidden; echo a > outputs/a.txt; ln -s /etc/passwd outputs/link; ' +
                'echo x > outputs/.secret; echo x > outputs/.hidden/x; while [ ! -e go ]; do sleep 0.05; done; ' +
                'echo svg > outputs/charts/c.svg; rm outputs/a.txt',
            },
          },
        ],
      },
      { text: 'Done.' },
    ]);
    await using run = await starting;
    const prompting = run.sandbox.peer.request('prompt', { text: 'Write' });
    await run.event((event) => event.type === 'file.written');
    await writeFile(join(run.workspace, 'go'), '');
    await prompting;
    expect(ofType(run, 'file.written').map(({ path, size }) => [path, size])).toEqual([
      ['a.txt', 2],
      ['charts/c.svg', 4],
    ]);
    expect(ofType(run, 'file.removed')).toEqual([{ type: 'file.removed', path: 'a.txt' }]);
  });

  it('may be filled with 100 000 files, which are told as a number', async () => {
    const { starting } = scriptedRun([
      {
        calls: [
          {
            name: 'bash',
            input: {
              command:
                "python3 -c \"import os\nos.makedirs('outputs/many')\nfor i in range(100000): open(f'outputs/many/{i}', 'w').close()\"",
            },
          },
        ],
      },
      { text: 'Done.' },
    ]);
    await using run = await starting;
    expect(await run.sandbox.peer.request('prompt', { text: 'Write' })).toMatchObject({ stopReason: 'stop' });
    expect(ofType(run, 'file.written').length).toBeLessThanOrEqual(2000);
    expect(ofType(run, 'files.omitted').at(-1)).toMatchObject({ atLeast: true });
    expect(ofType(run, 'file.removed')).toEqual([]);
  });
});

describe('a command', () => {
  it('may print without end; its last lines are shown and kept within bounds', async () => {
    const { model, starting } = scriptedRun([
      {
        calls: [
          {
            name: 'bash',
            input: { command: 'head -c 200000000 /dev/zero | tr "\\0" "x"; echo; echo the end' },
          },
        ],
      },
      { text: 'Long.' },
    ]);
    await using run = await starting;
    await run.sandbox.peer.request('prompt', { text: 'Print' });
    const shown = model.requests[1]?.texts.at(-1) ?? '';
    expect(shown.length).toBeLessThan(51_200);
    expect(shown).toMatch(
      /the end\n[^]*Showing the last \d+ of 200000009 bytes\. The first \d+ bytes: \/.*\.log\]$/,
    );
    const [ended] = ofType(run, 'tool.ended');
    expect(ended).toMatchObject({ isError: false, truncated: true });
    expect(JSON.stringify(ended).length).toBeLessThan(40_000);
    expect(ended?.bytes).toBe(Buffer.byteLength(shown));
  });

  it('may find no space for its long output', async () => {
    const { model, starting } = scriptedRun(
      [{ calls: [{ name: 'bash', input: { command: 'seq 100000' } }] }, { text: 'Full.' }],
      { environment: { TMPDIR: '/dev/full' } },
    );
    await using run = await starting;
    expect(await run.sandbox.peer.request('prompt', { text: 'Print' })).toMatchObject({ stopReason: 'stop' });
    expect(model.requests[1]?.texts.at(-1)).toMatch(/100000\n[^]*The rest could not be kept\.\]$/);
  });

  it('may be fed megabytes without their travelling in an event', async () => {
    const { starting } = scriptedRun([
      { calls: [{ name: 'write', input: { content: 'é'.repeat(2_500_000), path: 'outputs/big.txt' } }] },
      { text: 'Written.' },
    ]);
    await using run = await starting;
    await run.sandbox.peer.request('prompt', { text: 'Write' });
    const [started] = ofType(run, 'tool.started');
    expect(JSON.stringify(started).length).toBeLessThan(40_000);
    expect(started?.arguments).toMatchObject({ path: 'outputs/big.txt' });
    expect(ofType(run, 'file.written')).toMatchObject([{ path: 'big.txt', size: 5_000_000 }]);
  });

  it('shows its progress while it runs', async () => {
    const { starting } = scriptedRun([
      {
        calls: [
          { name: 'bash', input: { command: 'echo step one; while [ ! -e go ]; do sleep 0.05; done' } },
        ],
      },
      { text: 'Done.' },
    ]);
    await using run = await starting;
    const prompting = run.sandbox.peer.request('prompt', { text: 'Work' });
    expect(await run.event((event) => event.type === 'tool.progress')).toMatchObject({ text: 'step one\n' });
    await writeFile(join(run.workspace, 'go'), '');
    await prompting;
  });
});

describe('a tool of the sidecar', () => {
  it('asks main', async () => {
    const { model, starting } = scriptedRun([
      {
        calls: [
          { name: 'recall_memory', input: { q: 'old' } },
          { name: 'run_history', input: {} },
        ],
      },
      { text: 'I remember.' },
    ]);
    await using run = await starting;
    await run.sandbox.peer.request('prompt', { text: 'Think back' });
    expect(model.requests[1]?.texts.slice(-2)).toEqual([
      '{"memories":[{"content":"an old note"}]}',
      '{"object":"list","data":[],"hasMore":false}',
    ]);
  });

  it('is told when its call is aborted', async () => {
    const { starting } = scriptedRun([{ calls: [{ name: 'recall_memory', input: {} }] }]);
    await using run = await starting;
    const [called, cancelled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    run.sidecar.peer.handle('recallMemory', async (_input, signal) => {
      signal.addEventListener('abort', () => cancelled.resolve(), { once: true });
      called.resolve();
      await cancelled.promise;
      return { memories: [] };
    });
    const prompting = run.sandbox.peer.request('prompt', { text: 'Think back' });
    await called.promise;
    await run.sandbox.peer.request('abort', {});
    await cancelled.promise;
    expect(await prompting).toMatchObject({ aborted: true });
  });

  it('that fails is an error the model reads', async () => {
    const { model, starting } = scriptedRun([
      { calls: [{ name: 'run_history', input: {} }] },
      { text: 'A pity.' },
    ]);
    await using run = await starting;
    run.sidecar.peer.handle('runHistory', async () => {
      throw new ProblemError({ code: 'x', title: 'The history is gone', detail: 'Its file is missing.' });
    });
    expect(await run.sandbox.peer.request('prompt', { text: 'Look' })).toMatchObject({ stopReason: 'stop' });
    expect(model.requests[1]?.texts.at(-1)).toBe('The history is gone: Its file is missing.');
    expect(ofType(run, 'tool.ended')).toMatchObject([{ isError: true }]);
  });

  it('is an error the model reads when the sidecar has gone', async () => {
    const { starting } = scriptedRun([
      { calls: [{ name: 'recall_memory', input: {} }] },
      { text: 'A pity.' },
    ]);
    await using run = await starting;
    run.sidecar.peer.handle('recallMemory', async () => {
      run.sidecar.child.kill('SIGKILL');
      return { memories: [] };
    });
    const prompting = run.sandbox.peer.request('prompt', { text: 'Look' });
    const ended = await run.event((event) => event.type === 'tool.ended');
    expect(ended).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('recall_memory could not be called') }],
    });
    await run.sandbox.peer.request('abort', {});
    await prompting;
  });
});

describe('a long conversation', () => {
  it('is compacted, over the same way to the model', async () => {
    const read = { name: 'bash', input: { command: 'seq -f %0100.0f 450' } };
    const { model, starting } = scriptedRun(
      [
        { calls: [read] },
        { calls: [read], inputTokens: 12_000 },
        { text: 'SUMMARY OF IT' },
        { text: 'SUMMARY OF THE TURN' },
        { text: 'Done.' },
        { text: 'Done.' },
      ],
      {
        sandbox: {
          model: {
            api: 'openai-completions',
            id: 'test-model',
            name: 'Small',
            contextWindow: 20_000,
            maxTokens: 1000,
            reasoning: false,
            images: false,
          },
        },
      },
    );
    await using run = await starting;
    const outcome = await run.sandbox.peer.request('prompt', { text: 'Read a lot' });
    expect(outcome.stopReason).toBe('stop');
    expect(ofType(run, 'context.compacted')[0]).toMatchObject({ reason: 'threshold' });
    expect(model.requests.some((request) => request.tools.length === 0)).toBe(true);
    expect(JSON.stringify(model.requests.at(-1)?.texts)).toContain('SUMMARY OF');
  });
});

describe('a pair that waits for its run', () => {
  it('rehearses in silence and then works as any other', async () => {
    const { model, starting } = scriptedRun([{ text: 'At last.' }], {
      prepare: async (_workspace, [sandbox, sidecar]) => {
        await sandbox.peer.notify('rehearse', {});
        await sidecar.peer.notify('rehearse', {});
        await delay(2500);
      },
    });
    await using run = await starting;
    expect(await run.sandbox.peer.request('prompt', { text: 'Now' })).toMatchObject({
      stopReason: 'stop',
      turns: 1,
    });
    expect(model.requests).toHaveLength(1);
    expect(run.events[0]).toEqual({ type: 'turn.started', turn: 1 });
    expect(run.sidecarEvents).toEqual([]);
    expect(run.sandbox.stderr() + run.sidecar.stderr()).toBe('');
  });
});

describe('a second configuration', () => {
  it('is refused', async () => {
    const { starting } = scriptedRun([]);
    await using run = await starting;
    await expect(
      run.sidecar.peer.request('configure', { runId: 'r', token: 't', socketPath: '/x', runtimeTools: [] }),
    ).rejects.toMatchObject({ problem: { code: 'already_configured' } });
  });
});
