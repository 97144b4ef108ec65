import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LABEL } from '#main/engines/labels.ts';
import type { ToolServer } from '#main/sidecar/mcp-servers/tool-server.ts';
import { ProblemError } from '#shared/problem.ts';
import { never, openTestClient, openTestEngine, TestInstances } from '#test/support/engine-harness.ts';
import {
  openServerPlace,
  RelayedServers,
  type GivenServer,
  type ServerPlace,
} from '#test/support/relayed-servers.ts';
import { packNpmServer, packOwnServer } from '#test/support/server-bundles.ts';

const CANARY = 'canary-5b1f0c2e9d7a4463';

let place: ServerPlace;
beforeAll(async () => {
  place = await openServerPlace();
});
afterAll(() => place[Symbol.asyncDispose]());

const open = (...given: readonly GivenServer[]) => RelayedServers.open(place, given);

async function containers() {
  using client = await openTestClient();
  const filters = { label: [`${LABEL.instance}=${place.instances.instanceId}`] };
  const list = await client.docker.listContainers({ all: true, filters });
  const inspections = await Promise.all(list.map(({ Id }) => client.docker.getContainer(Id).inspect()));
  const { Volumes } = await client.docker.listVolumes({ filters });
  return { inspections, volumes: Volumes ?? [] };
}

const textOf = (result: { content: readonly unknown[] }) => (result.content[0] as { text: string }).text;

function callOf(server: ToolServer, tool: string, input: Record<string, unknown> = {}) {
  return server.call(tool, input, { signal: never });
}

async function problemOf(work: Promise<unknown>): Promise<{ code: string; detail: string }> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ProblemError) return error.problem;
  throw new Error(`It was to fail: ${String(error)}`);
}

afterEach(async () => {
  const { inspections, volumes } = await containers();
  if (inspections.length + volumes.length > 0) throw new Error('Something of a server was left behind.');
});

describe('servers of others', () => {
  it('run as they come from npm: files, memory and everything', async () => {
    const [filesystem, memory, everything] = await Promise.all(
      ['filesystem', 'memory', 'everything'].map((name) =>
        packNpmServer(`@modelcontextprotocol/server-${name}`),
      ),
    );
    await using bench = await open(
      { ...filesystem!, type: 'node', arguments: ['/tmp'] },
      { ...memory!, type: 'node' },
      {
        ...everything!,
        type: 'node',
        delivery: { env: { SERVICE_TOKEN: { value: '{$credential.token}' } } },
        fields: { token: CANARY },
      },
    );
    const [files, graph, all] = await Promise.all(['c0', 'c1', 'c2'].map((id) => bench.connect(id)));

    await callOf(files!, 'write_file', { path: '/tmp/note.txt', content: 'kept' });
    expect(textOf(await callOf(files!, 'read_text_file', { path: '/tmp/note.txt' }))).toBe('kept');
    const outside = await callOf(files!, 'read_text_file', { path: '/etc/passwd' });
    expect(outside.isError).toBe(true);

    const entities = [{ name: 'Slipway', entityType: 'app', observations: ['runs'] }];
    await callOf(graph!, 'create_entities', { entities });
    expect(textOf(await callOf(graph!, 'read_graph'))).toContain('Slipway');

    expect(textOf(await callOf(all!, 'echo', { message: 'hello' }))).toContain('hello');
    const environment = textOf(await callOf(all!, 'get-env'));
    expect(environment).toContain('SERVICE_TOKEN');
    expect(environment).not.toContain(CANARY);
  });
});

describe('what a server is given', () => {
  it('reaches it alone: no trace is in the engine, nor in what the server writes', async () => {
    const packed = await packOwnServer('ledger.py');
    await using bench = await open({
      ...packed,
      type: 'python',
      arguments: ['--mode', 'strict'],
      environment: { PLAIN: 'value' },
      delivery: {
        env: { LEDGER_TOKEN: { value: '{$credential.token}' } },
        files: { '/credentials/key.pem': { value: 'KEY {$credential.token}\n' } },
      },
      fields: { token: CANARY },
    });
    const server = await bench.connect();
    expect(textOf(await callOf(server, 'add', { number: 2 }))).toBe('2');
    expect(textOf(await callOf(server, 'add', { number: 3 }))).toBe('5');
    const told = JSON.parse(textOf(await callOf(server, 'told', { file: '/credentials/key.pem' }))) as Record<
      string,
      unknown
    >;
    expect(told).toMatchObject({
      variables: { LEDGER_TOKEN: '[secret]', PLAIN: 'value', HOME: '/home/runner' },
      arguments: ['--mode', 'strict'],
      user: 1002,
      text: '[secret]\n',
      mode: '0o400',
    });
    expect(Object.keys(told['variables'] as object)).not.toContain('NODE_COMPILE_CACHE');
    expect(bench.logs).toContain('ledger: ready with [secret]');

    const { inspections } = await containers();
    expect(inspections).toHaveLength(1);
    expect(JSON.stringify(inspections)).not.toContain(CANARY);
    const [{ HostConfig, Config }] = inspections as [(typeof inspections)[0]];
    expect(Config.User).toBe('1002:1002');
    expect(Config.Labels).toMatchObject({ [LABEL.role]: 'runner', [LABEL.run]: 'run' });
    expect(HostConfig).toMatchObject({
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      Memory: 256 * 1024 * 1024,
      PidsLimit: 128,
      Init: true,
    });
  });
});

describe('a server that fails', () => {
  const hostile = async (harm: string): Promise<GivenServer> => ({
    ...(await packOwnServer('hostile.mjs')),
    type: 'node',
    environment: { HARM: harm },
  });

  it('at its start is told with its last words', async () => {
    await using bench = await open(await hostile('crash-at-start'));
    const problem = await problemOf(bench.connect());
    expect(problem.detail).toMatch(/ended with code 3.*no such luck/);
  });

  it('for good is started three times at most', async () => {
    await using bench = await open(await hostile('crash-at-start'));
    for (let count = 0; count < 3; count += 1) {
      await expect(problemOf(bench.connect())).resolves.toMatchObject({ code: 'mcp_server_gone' });
    }
    await expect(problemOf(bench.connect())).resolves.toMatchObject({ code: 'local_server_gave_up' });
  });

  it('by saying nothing is left after the time it has', async () => {
    await using bench = await open(await hostile('silent'));
    await expect(problemOf(bench.connect('c0', 5_000))).resolves.toMatchObject({
      code: 'mcp_server_timeout',
    });
  });

  it('in the midst of a call ends that call, and is there for the next', async () => {
    await using bench = await open(await hostile('crash-in-call'));
    const server = await bench.connect();
    const problem = await problemOf(callOf(server, 'work'));
    expect(problem.detail).toMatch(/code 4.*giving up in the middle/);
    // It runs again, and does the same again.
    await expect(problemOf(callOf(server, 'work'))).resolves.toMatchObject({ code: 'mcp_server_gone' });
    expect(bench.ends).toHaveLength(2);
  });

  it('by an answer of 100 MiB fails that call alone', async () => {
    await using bench = await open(await hostile('long-line'));
    const server = await bench.connect();
    const problem = await problemOf(callOf(server, 'work'));
    expect(problem.detail).toContain('are the most that are passed on');
    expect(bench.ends).toEqual([]);
  });

  it.each([
    ['flood', /(?:lines a|messages in a) second/],
    ['not-text', /not UTF-8/],
    ['memory', /256 MB of memory/],
  ])('by %s is ended', async (harm, detail) => {
    await using bench = await open(await hostile(harm));
    const server = await bench.connect();
    expect((await problemOf(callOf(server, 'work'))).detail).toMatch(detail);
  });

  it('by printing greetings is understood all the same', async () => {
    await using bench = await open(await hostile('garbage'));
    const server = await bench.connect();
    expect(textOf(await callOf(server, 'work'))).toBe('done');
    expect(bench.logs).toContain('Welcome to the hostile server!');
  });
});

describe('what a killed app leaves', () => {
  it('is removed by the next that starts, a server that takes no notice of its end included', async () => {
    const packed = await packOwnServer('hostile.mjs');
    await using bench = await open({ ...packed, type: 'node', environment: { HARM: 'silent' } });
    await expect(problemOf(bench.connect('c0', 3_000))).resolves.toMatchObject({
      code: 'mcp_server_timeout',
    });
    await using second = await open({ ...packed, type: 'node' });
    await second.connect();
    expect((await containers()).inspections.length).toBeGreaterThan(0);
    // Another instance on the same machine, which sees that this one no longer lives.
    await using next = await openTestEngine({ instances: new TestInstances(place.instances.hostId) });
    const reaped = await next.reap();
    expect(reaped.containers).toBeGreaterThan(0);
    expect(await containers()).toEqual({ inspections: [], volumes: [] });
  });
});
