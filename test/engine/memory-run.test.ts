import { expect, it } from 'vitest';
import { startModelProvider, type ModelProvider } from '#test/peers/model-provider.ts';
import { WholeApplication, turn } from '#test/support/whole-application.ts';

const TOOLS = { runtime_tools: ['note', 'pin', 'publish_file', 'log'] };

/** The system prompt of the request to the model that had this number. */
function promptOf(provider: ModelProvider, request: number): string {
  const body = provider.requests.filter(({ method }) => method === 'POST')[request]?.body;
  const parsed = JSON.parse(Buffer.from(body ?? '{}').toString('utf8')) as {
    messages: { role: string; content: string }[];
  };
  return parsed.messages.find(({ role }) => role === 'system')?.content ?? '';
}

it('remembers from run to run what an agent notes and pins, and what it published first', async () => {
  await using provider = await startModelProvider({ vendor: 'compatible' });
  await using whole = await WholeApplication.open();
  const model = await whole.addProvider(provider.baseUrl);
  const agent = await whole.writeAgent(TOOLS);
  const play = async (...turns: Parameters<ModelProvider['answer']>) => {
    provider.answer(...turns);
    return whole.record(await whole.start(agent, model));
  };

  const first = await play(
    turn([
      { tool: 'note', input: { content: 'Invoices come from billing@example.com' } },
      { tool: 'pin', input: { key: 'checkpoint', content: { page: 7 } } },
      { tool: 'pin', input: { key: 'Bad Key', content: 1 } },
      { tool: 'note', input: { content: 'x'.repeat(2001) } },
      {
        tool: 'bash',
        input: {
          command:
            'mkdir -p work outputs; echo A > work/a.md; echo B > outputs/b.md; ln -s /etc/passwd work/l; mkfifo work/p; ln -s /proc work/s',
        },
      },
    ]),
    turn([
      { tool: 'publish_file', input: { path: 'work/a.md', presentation: 'primary' } },
      { tool: 'publish_file', input: { path: 'work/l' } },
      { tool: 'publish_file', input: { path: 'work/p' } },
      { tool: 'publish_file', input: { path: 'work/s/self/environ' } },
      { tool: 'publish_file', input: { path: '../etc/passwd' } },
      { tool: 'publish_file', input: { path: 'work/none' } },
    ]),
    turn([{ tool: 'bash', input: { command: 'rm -r work' } }]),
    turn('Done.'),
  );
  expect(first.detail.summary.status).toBe('success');
  const results = first.events.flatMap(({ data }) =>
    data.type === 'tool.ended' && data.tool !== 'bash' ? [[data.isError, JSON.stringify(data.content)]] : [],
  );
  // Calls of one turn end in any order.
  expect(results).toHaveLength(10);
  const expected = [
    [false, expect.stringContaining('Noted. The memory has 1 of 100 notes.')],
    [false, expect.stringContaining('Pinned')],
    [true, expect.stringContaining('key: expected to match')],
    [true, expect.stringContaining('It has 2001 characters; a note may have 2000.')],
    [false, expect.stringContaining('Published a.md (2 bytes)')],
    [true, expect.stringContaining('\\"work/l\\" is no plain file')],
    [true, expect.stringContaining('\\"work/p\\" is no plain file')],
    [true, expect.stringContaining('inside the workspace')],
    [true, expect.stringContaining('There is no file \\"work/none')],
    [true, expect.stringContaining('There is no file \\"work/s/self/environ')],
  ];
  for (const result of expected) expect(results).toContainEqual(result);
  expect(first.detail.outputFiles.map(({ path }) => path)).toEqual(['a.md', 'b.md']);
  const told = first.events.map(({ data }) => data);
  expect(told).toContainEqual({ type: 'file.published', path: 'a.md', isPrimary: true });
  expect(told).toContainEqual({
    type: 'memory.added',
    noteId: expect.any(String) as string,
    content: 'Invoices come from billing@example.com',
    scope: 'actor',
  });
  expect(promptOf(provider, 0)).not.toContain('## Checkpoint');

  const before = provider.requests.filter(({ method }) => method === 'POST').length;
  const second = await play(
    turn([
      { tool: 'recall_memory', input: { q: 'billing INVOICES' } },
      { tool: 'run_history', input: { fields: ['checkpoint'] } },
    ]),
    turn('Done.'),
  );
  const prompt = promptOf(provider, before);
  expect(prompt).toContain('## Checkpoint');
  expect(prompt).toContain('"page": 7');
  expect(prompt).toContain('There is 1 note of earlier runs.');
  const answers = second.events.flatMap(({ data }) => (data.type === 'tool.ended' ? [data] : []));
  const answerOf = (name: string) => JSON.stringify(answers.find(({ tool }) => tool === name)?.content);
  expect(answerOf('recall_memory')).toContain('Invoices come from billing@example.com');
  expect(answerOf('run_history')).toContain('\\"checkpoint\\":{\\"page\\":7}');
  expect(second.events.map(({ data }) => data)).toContainEqual(
    expect.objectContaining({ type: 'memory.recalled', query: 'billing INVOICES' }),
  );
});
