import { randomBytes } from 'node:crypto';
import type { Duplex, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Demultiplexer } from '#main/engines/docker/demultiplexer.ts';
import { refuseKey, startModelProvider, stream, type Behaviour } from '#test/peers/model-provider.ts';
import { openTestClient } from '#test/support/engine-harness.ts';
import { formsOf, search, searchFolder, searchText, type Needles } from '#test/support/search.ts';
import { WholeApplication, turn, turnEvents } from '#test/support/whole-application.ts';

/** Searches what a command in a container prints. */
async function searchCommand(container: string, command: string, needles: Needles): Promise<string[]> {
  using client = await openTestClient();
  const execution = await client.docker
    .getContainer(container)
    .exec({ Cmd: ['sh', '-c', command], AttachStdout: true, AttachStderr: true });
  const connection: Duplex = await execution.start({ hijack: true, stdin: false });
  const outputs = new Demultiplexer();
  connection.pipe(outputs);
  outputs.stderr.resume();
  return search(outputs.stdout, needles);
}

/** Every place of a container that could hold something, each with what it holds. */
async function searchContainer(id: string, needles: Needles): Promise<Record<string, string[]>> {
  using client = await openTestClient();
  const container = client.docker.getContainer(id);
  const inspection = await container.inspect();
  const volumes = await Promise.all(
    inspection.Mounts.map(({ Name = '' }) => client.docker.getVolume(Name).inspect()),
  );
  const image = await client.docker.getImage(inspection.Image).inspect();
  const folders = '/workspace /run/slipway /tmp /home /dev/shm';
  return {
    inspection: await searchText(JSON.stringify([inspection, volumes, image]), needles),
    fileSystem: await search((await container.export()) as Readable, needles),
    processes: await searchCommand(id, 'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline', needles),
    memoryFolders: await searchCommand(id, `tar -cf - ${folders} 2>/dev/null`, needles),
  };
}

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
