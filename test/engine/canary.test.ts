import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { refuseKey, startModelProvider, stream, type Behaviour } from '#test/peers/model-provider.ts';
import { searchContainer } from '#test/support/search-container.ts';
import { formsOf, searchFolder, searchText } from '#test/support/search.ts';
import { WholeApplication, turn, turnEvents } from '#test/support/whole-application.ts';

describe("a provider's key", () => {
  it('reaches the provider, and is found nowhere else', async () => {
    const canary = `sk-canary-${randomBytes(24).toString('hex')}`;
    // Written by the agent, to show that the same search finds what is there.
    const planted = `planted-${randomBytes(24).toString('hex')}`;
    const needles = { canary: formsOf(canary), planted: formsOf(planted) };
    await using provider = await startModelProvider({ vendor: 'compatible', key: canary });
    await using whole = await WholeApplication.open();
    const { application } = whole;
    await application.secrets.unlock('a passphrase of this test');
    const model = await whole.addProvider(provider.baseUrl, canary);
    const agent = await whole.writeAgent();

    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const waiting: Behaviour = async (response, request) => {
      asked.resolve();
      await go.promise;
      await stream(...turnEvents('Done.'))(response, request);
    };
    const script = `env > outputs/env.txt; echo ${planted} > outputs/planted.txt; (MARK=${planted} sleep 600 >/dev/null 2>&1 &)`;
    provider.answer(
      turn([
        { tool: 'bash', input: { command: `mkdir -p outputs; ${script}` } },
        { tool: 'log', input: { level: 'info', message: `I know ${planted}` } },
      ]),
      waiting,
    );
    const runId = await whole.start(agent, model);
    await Promise.race([
      asked.promise,
      application.runs.ended(runId).then(() => {
        throw new Error(JSON.stringify(application.runs.get(runId).summary.problem));
      }),
    ]);

    const containers = await whole.containers();
    expect([...containers.keys()].toSorted()).toEqual(['sandbox', 'sidecar']);
    for (const [role, id] of containers)
      expect(await searchContainer(id, needles)).toEqual({
        inspection: [],
        fileSystem: [],
        processes: role === 'sandbox' ? ['planted'] : [],
        memoryFolders: role === 'sandbox' ? ['planted'] : [],
      });

    go.resolve();
    const { detail, events } = await whole.record(runId);
    expect(detail.summary).toMatchObject({ status: 'success', fileCount: 2 });
    const said = JSON.stringify([
      detail,
      events,
      await application.models.list(),
      application.engines.report,
    ]);
    expect(await searchText(said, needles)).toEqual(['planted']);
    // The database with its journal, the vault, the logs and the run's files.
    const { found, files } = await searchFolder(whole.folder, needles);
    expect(found).toEqual(['planted']);
    expect(files).toBeGreaterThan(5);

    const calls = provider.requests.filter(({ method }) => method === 'POST');
    expect(calls.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${canary}`,
      `Bearer ${canary}`,
    ]);
    expect(await whole.containers()).toEqual(new Map());
    expect(await whole.volumes()).toEqual([]);
  });

  it('is in no record of a refusal that repeats it', async () => {
    const canary = `sk-canary-${randomBytes(24).toString('hex')}`;
    await using provider = await startModelProvider({ vendor: 'compatible' });
    provider.answer(refuseKey('compatible'));
    await using whole = await WholeApplication.open();
    await whole.application.secrets.unlock('a passphrase of this test');
    const model = await whole.addProvider(provider.baseUrl, canary);
    const runId = await whole.start(await whole.writeAgent(), model);
    const { detail, events } = await whole.record(runId);
    expect(detail.summary).toMatchObject({ status: 'failed', problem: { code: 'model_key_refused' } });
    expect(provider.requests.at(-1)?.headers.authorization).toBe(`Bearer ${canary}`);
    const needles = { canary: formsOf(canary), refusal: [Buffer.from('Incorrect API key')] };
    expect(await searchText(JSON.stringify([detail, events]), needles)).toEqual(['refusal']);
    expect((await searchFolder(whole.folder, needles)).found).toEqual(['refusal']);
  });
});
