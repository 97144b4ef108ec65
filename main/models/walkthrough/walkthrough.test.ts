import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentNames } from '#main/runs/document-names.ts';
import { taskMessage } from '#main/runs/prompt.ts';
import { testGateway } from '#test/support/models/gateway.ts';
import { Completion } from './completion.ts';
import { parseConversation, parseTask } from './conversation.ts';
import { nextTurn } from './player.ts';
import { candidates } from './repair/candidates.ts';
import { mendBetween } from './repair/text-edit.ts';
import { parseTestReport } from './repair/test-report.ts';
import { quote } from './scripts/steps.ts';
import { call, turn, type Script } from './turn.ts';

const tools = ['read', 'write', 'edit', 'bash', 'ls', 'log', 'output'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
}));
const request = (fields: Record<string, unknown> = {}) => ({
  model: 'walkthrough',
  stream: true,
  tools,
  messages: [
    { role: 'system', content: 'You are an agent.' },
    {
      role: 'user',
      content: taskMessage({}, [{ name: 'a.csv', originalName: 'a.csv', size: 3, field: 'csv' }]),
    },
  ],
  ...fields,
});

async function answer(body: unknown, agentId = '@slipway/csv-report'): Promise<string> {
  await using made = testGateway();
  const run = await made.gateway.open(undefined, { runId: 'r', agentId });
  const response = await run.send(
    { method: 'POST', path: '/chat/completions', headers: {}, body: Buffer.from(JSON.stringify(body)) },
    new AbortController().signal,
  );
  return Buffer.concat(await Array.fromAsync(response.body)).toString();
}

describe('the walkthrough', () => {
  it('answers the same request with the same bytes', async () => {
    expect(await answer(request())).toBe(await answer(request()));
  });

  it('streams what it says when asked at once', async () => {
    const events = (await answer(request()))
      .split('\n\n')
      .filter((event) => event !== '' && event !== 'data: [DONE]')
      .map((event) => JSON.parse(event.slice('data: '.length)));
    const document = JSON.parse(await answer(request({ stream: false })));
    const [choice] = document.choices;
    const deltas = events.flatMap(({ choices }) => choices).map(({ delta }) => delta);
    expect(deltas.map(({ content }) => content ?? '').join('')).toBe(choice.message.content);
    const calls = deltas.flatMap(({ tool_calls }) => tool_calls ?? []);
    for (const [index, whole] of choice.message.tool_calls.entries()) {
      const parts = calls.filter((part) => part.index === index);
      expect(parts[0]).toMatchObject({ id: whole.id, function: { name: whole.function.name } });
      expect(parts.map((part) => part.function.arguments).join('')).toBe(whole.function.arguments);
    }
    expect(events.flatMap(({ choices }) => choices).at(-1).finish_reason).toBe(choice.finish_reason);
    expect(events.at(-1).usage).toEqual(document.usage);
  });

  it('ends where a conversation is not the one it began', async () => {
    const strange = request({
      stream: false,
      messages: [
        ...request().messages,
        {
          role: 'assistant',
          tool_calls: [
            { id: 'x', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'x', content: 'a.csv' },
      ],
    });
    expect(JSON.parse(await answer(strange)).choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: expect.stringContaining('has left the script') },
    });
  });

  it('says which tools it misses', async () => {
    const body = request({ stream: false, tools: tools.slice(0, 1) });
    expect(JSON.parse(await answer(body)).choices[0].message.content).toContain('write, edit, bash');
  });

  it('refuses as a provider would what is no chat', async () => {
    expect(
      await answer({ model: 'walkthrough', messages: [{ role: 'tool' }], tools: [{ type: 'function' }] }),
    ).toContain('invalid_request_error');
  });
});

describe('parseTask', () => {
  it('reads what a run’s first message says, whatever the values and names', () => {
    const values = fc.dictionary(
      fc.string({ unit: 'binary' }),
      fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.boolean()),
    );
    const names = fc.array(fc.string({ unit: 'binary', minLength: 1 }), { maxLength: 4 });
    fc.assert(
      fc.property(values, names, (input, originals) => {
        fc.pre(!Object.hasOwn(input, '__proto__'));
        const files = documentNames(originals).map((name) => ({
          name,
          originalName: name,
          size: 1,
          field: 'csv',
        }));
        const task = parseTask(taskMessage(input, files));
        expect(task.input).toEqual(JSON.parse(JSON.stringify(input)));
        expect(task.documents).toEqual(
          files.map(({ name }) => ({ path: `documents/${name}`, field: 'csv' })),
        );
      }),
    );
  });
});

describe('a replay', () => {
  const script: Script = function* (context): ReturnType<Script> {
    const [first = ''] = yield turn('Look', call('ls', { path: '.' }));
    yield turn(
      'Then',
      context.hasTool('log') ? call('log', { message: first }) : undefined,
      call('bash', { command: 'true' }),
    );
    return `Seen ${first}`;
  };
  const history = (count: number, offered = tools) => {
    const messages: unknown[] = request().messages.slice();
    for (let index = 0; index < count; index += 1) {
      const { calls } = nextTurn(script, parseConversation({ messages, tools })!);
      messages.push({
        role: 'assistant',
        content: '',
        tool_calls: calls.map(({ tool, arguments: args }, at) => ({
          id: `${index}-${at}`,
          function: { name: tool, arguments: JSON.stringify(args) },
        })),
      });
      for (const at of calls.keys())
        messages.push({
          role: 'tool',
          tool_call_id: `${index}-${at}`,
          content: [{ type: 'text', text: `result ${index}` }],
        });
      messages.push({ role: 'user', content: 'About 30 seconds are left.' });
    }
    return parseConversation({ messages, tools: offered })!;
  };

  it('goes on from what the tools gave, past messages in between', () => {
    expect(nextTurn(script, history(1)).calls.map(({ tool }) => tool)).toEqual(['log', 'bash']);
    expect(nextTurn(script, history(2))).toEqual({ text: 'Seen result 0', calls: [] });
  });

  it('takes the same way when fewer tools are offered later', () => {
    expect(nextTurn(script, history(2, tools.slice(0, 1))).text).toBe('Seen result 0');
  });

  it('cuts no character in two', async () => {
    const conversation = history(0);
    const text = '🚢'.repeat(500);
    const completion = new Completion({ text: '', calls: [call('write', { content: text })] }, conversation);
    const events = await Array.fromAsync(completion.events(0, new AbortController().signal));
    const joined = events
      .map((event) => /"arguments":"((?:[^"\\]|\\.)*)"/.exec(Buffer.from(event).toString())?.[1] ?? '')
      .map((piece) => JSON.parse(`"${piece}"`))
      .join('');
    expect(JSON.parse(joined)).toEqual({ content: text });
    expect(Buffer.concat(events).toString()).not.toContain('\\ud');
  });
});

describe('a mend', () => {
  it('turns one text into the other, as the edit tool applies it', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', '', '    c = 1'), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const [from, to] = [`x\n${before.join('\n')}`, `x\n${after.join('\n')}`];
        fc.pre(from !== to);
        const { oldText, newText } = mendBetween(from, to);
        expect(from.indexOf(oldText)).toBe(from.lastIndexOf(oldText));
        expect(from.replace(oldText, () => newText)).toBe(to);
      }),
    );
  });

  it('is looked for without an end in texts of any kind', () => {
    const failure = (message: string) =>
      `FAIL test_x ${message}\n  at s.py:1 in f: f([])\n  calls f\n0 passed, 1 failed\n`;
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom('NameError: name ', "SyntaxError: expected ':'", 'AssertionError: '),
        fc.string(),
        (script, error, rest) => {
          const report = parseTestReport(failure(`${error}${rest.replaceAll('\n', ' ')}`));
          expect(report).toBeDefined();
          for (const { text } of candidates(`def f(a):\n${script}`, 's.py', report!))
            expect(text).not.toBe(script);
        },
      ),
    );
  });
});

describe('quote', () => {
  it('gives bash one word', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (word) => {
        const quoted = quote(word);
        expect(
          quoted === word
            ? /^[\w./-]+$/.test(word)
            : quoted.replaceAll("'\\''", '').slice(1, -1).includes("'"),
        ).toBe(quoted === word);
      }),
    );
  });
});
