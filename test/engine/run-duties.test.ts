import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startModelProvider, type ModelProvider } from '#test/peers/model-provider.ts';
import { WholeApplication, turn } from '#test/support/whole-application.ts';

let provider: ModelProvider;
beforeEach(async () => {
  provider = await startModelProvider({ vendor: 'compatible' });
});
afterEach(() => provider[Symbol.asyncDispose]());

/** An agent that owes an output with two fields. */
const OWING = {
  runtime_tools: ['output', 'log'],
  output: {
    schema: {
      type: 'object',
      properties: { city: { type: 'string' }, people: { type: 'integer' } },
      required: ['city', 'people'],
    },
  },
};
const DATA = { city: 'Port Alder', people: 4120 };

/** The messages of the newest request to the model, as text. */
function newestRequest(): string {
  return Buffer.from(provider.requests.at(-1)?.body ?? '').toString('utf8');
}

async function play(...turns: Parameters<ModelProvider['answer']>) {
  await using whole = await WholeApplication.open();
  provider.answer(...turns);
  const runId = await whole.start(await whole.writeAgent(OWING), await whole.addProvider(provider.baseUrl));
  const { detail, events } = await whole.record(runId);
  return { detail, nudges: events.flatMap(({ data }) => (data.type === 'run.nudged' ? [data] : [])) };
}

describe('an agent that owes an output', () => {
  it('is asked once more when it ends without one, and what it then gives is the result', async () => {
    const { detail, nudges } = await play(
      turn('There are 4120 people.'),
      turn([{ tool: 'output', input: { data: DATA } }]),
    );
    expect(detail.summary).toMatchObject({ status: 'success', hasOutput: true });
    expect(detail.output).toEqual(DATA);
    expect(nudges).toMatchObject([{ reason: 'output' }]);
    expect(newestRequest()).toContain('Required fields: city, people.');
  });

  it('fails with the fields named when it gives none then either, and is not asked again', async () => {
    const { detail, nudges } = await play(turn('No.'), turn('Still no.'), turn('Never.'));
    expect(detail.summary).toMatchObject({ status: 'failed', problem: { code: 'output_missing' } });
    expect(detail.summary.problem?.detail).toContain('Missing: city, people.');
    expect(nudges).toHaveLength(1);
    expect(provider.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  it('may call it again: the last call that fits is the result', async () => {
    const { detail } = await play(
      turn([
        { tool: 'output', input: { data: { city: 'Old Alder', people: 1 } } },
        { tool: 'output', input: { data: DATA } },
      ]),
    );
    expect(detail.output).toEqual(DATA);
  });
});

describe('an agent whose time runs out', () => {
  it('is told so before its next request to the model', async () => {
    await using whole = await WholeApplication.open();
    provider.answer(turn([{ tool: 'bash', input: { command: 'sleep 23.5' } }]), turn('Done in time.'));
    const model = await whole.addProvider(provider.baseUrl);
    const { detail, events } = await whole.record(await whole.start(await whole.writeAgent(), model, 30));
    expect(detail.summary.status).toBe('success');
    expect(events.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ type: 'run.nudged', reason: 'deadline' }),
    );
    expect(newestRequest()).toMatch(/About 8 seconds are left of this run/);
  });
});
