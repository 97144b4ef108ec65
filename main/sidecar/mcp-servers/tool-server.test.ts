import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { ProblemError } from '#shared/problem.ts';
import { openToolServer, type ToolServer, type ToolServerOptions } from './tool-server.ts';

type Call = (
  name: string,
  extra: { signal: AbortSignal; report: (n: number) => Promise<void> },
) => Promise<CallToolResult>;

/** A real server behind a transport in memory, whose list and calls a test decides. */
class Bench {
  pages: unknown[][] = [[{ name: 'add', inputSchema: { type: 'object' } }]];
  call: Call = async (name) => ({ content: [{ type: 'text', text: name }] });
  readonly servers: Server[] = [];
  readonly #open: ToolServer[] = [];

  readonly open = async (options: Partial<ToolServerOptions> = {}, signal = new AbortController().signal) => {
    const opened = await openToolServer(
      { name: 'Bench', openTransport: () => this.#transport(), ...options },
      signal,
    );
    this.#open.push(opened);
    return opened;
  };

  async #transport() {
    const [own, other] = InMemoryTransport.createLinkedPair();
    const server = new Server(
      { name: 'bench', version: '1' },
      { capabilities: { tools: { listChanged: true } } },
    );
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      const page = Number(params?.cursor ?? 0);
      const hasMore = page + 1 < this.pages.length;
      return { tools: this.pages[page] as never, ...(hasMore && { nextCursor: String(page + 1) }) };
    });
    server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal, sendNotification }) =>
      this.call(params.name, {
        signal,
        report: (progress) =>
          sendNotification({
            method: 'notifications/progress',
            params: { progress, total: 2, progressToken: params._meta?.progressToken ?? 'none' },
          }),
      }),
    );
    this.servers.push(server);
    await server.connect(other);
    return own;
  }

  async close(): Promise<void> {
    for (const server of this.#open.splice(0)) await server[Symbol.asyncDispose]();
    for (const server of this.servers.splice(0)) await server.close();
  }
}

let bench = new Bench();
afterEach(async () => {
  await bench.close();
  bench = new Bench();
});

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
const never = new AbortController().signal;

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof ProblemError ? error.problem.code : String(error);
}

describe('what a server lists', () => {
  it('is read over all its pages, without what is malformed', async () => {
    bench.pages = [[tool('one'), { name: 'bad' }], [tool('two'), 7], [tool('three')]];
    const server = await bench.open();
    expect(server.tools.map(({ name }) => name)).toEqual(['one', 'two', 'three']);
    expect(server.refused).toHaveLength(2);
  });

  it('must end', async () => {
    bench.pages = Array.from({ length: 200 }, (_, page) => [tool(`t${page}`)]);
    await expect(codeOf(bench.open())).resolves.toBe('mcp_list_too_large');
    bench.pages = [Array.from({ length: 1001 }, (_, index) => tool(`t${index}`))];
    await expect(codeOf(bench.open())).resolves.toBe('mcp_list_too_large');
  });

  it('is read again when the server says that it has changed', async () => {
    const changed = Promise.withResolvers<readonly string[]>();
    await bench.open({ onToolsChanged: ({ tools }) => changed.resolve(tools.map(({ name }) => name)) });
    bench.pages = [[tool('other')]];
    await bench.servers[0]?.sendToolListChanged();
    await expect(changed.promise).resolves.toEqual(['other']);
  });
});

describe('a call', () => {
  it('tells of progress, and of its cancellation at the server', async () => {
    const cancelled = Promise.withResolvers<void>();
    const reported = Promise.withResolvers<string>();
    bench.call = async (_, { signal, report }) => {
      signal.addEventListener('abort', () => cancelled.resolve());
      await report(1);
      await cancelled.promise;
      return { content: [] };
    };
    const server = await bench.open();
    const abort = new AbortController();
    const call = server.call('add', {}, { signal: abort.signal, onProgress: reported.resolve });
    await expect(reported.promise).resolves.toBe('1 of 2');
    abort.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await cancelled.promise;
  });

  it('ends when its time is up though the server goes on reporting', async () => {
    let isOver = false;
    bench.call = async (_, { signal, report }) => {
      while (!signal.aborted) {
        await report(1);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      isOver = true;
      return { content: [] };
    };
    const server = await bench.open({ times: { callMs: 200 } });
    const began = performance.now();
    await expect(
      codeOf(server.call('add', {}, { signal: never, onProgress: () => undefined })),
    ).resolves.toBe('mcp_server_timeout');
    expect(performance.now() - began).toBeLessThan(2_000);
    await expect.poll(() => isOver).toBe(true);
  });

  it('connects anew when the process of before has ended', async () => {
    const server = await bench.open();
    await bench.servers[0]?.close();
    await expect(server.call('add', {}, { signal: never })).resolves.toMatchObject({
      content: [{ text: 'add' }],
    });
    expect(bench.servers).toHaveLength(2);
  });

  it('fails when the connection ends in its midst, and is not made twice', async () => {
    let calls = 0;
    bench.call = async () => {
      calls += 1;
      await bench.servers[0]?.close();
      return new Promise(() => undefined);
    };
    const server = await bench.open();
    await expect(codeOf(server.call('add', {}, { signal: never }))).resolves.toBe('mcp_server_gone');
    expect(calls).toBe(1);
  });

  it('outlives one who waits for the same connection and gives up', async () => {
    const gate = Promise.withResolvers<void>();
    const first = await bench.open();
    await first[Symbol.asyncDispose]();
    let opened = 0;
    const server = await bench.open({
      openTransport: async () => {
        opened += 1;
        if (opened > 1) await gate.promise;
        const [own, other] = InMemoryTransport.createLinkedPair();
        const again = new Server({ name: 'again', version: '1' }, { capabilities: { tools: {} } });
        again.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
        again.setRequestHandler(CallToolRequestSchema, () => ({ content: [] }));
        bench.servers.push(again);
        await again.connect(other);
        return own;
      },
    });
    await bench.servers.at(-1)?.close();
    const abort = new AbortController();
    const impatient = server.call('x', {}, { signal: abort.signal });
    const patient = server.call('x', {}, { signal: never });
    abort.abort();
    await expect(impatient).rejects.toThrow(/abort/i);
    gate.resolve();
    await expect(patient).resolves.toEqual({ content: [] });
    expect(opened).toBe(2);
  });
});

it('is not told that what it has answered was cancelled', async () => {
  const abort = new AbortController();
  const server = await bench.open({}, abort.signal);
  await server.call('add', {}, { signal: abort.signal });
  const heard: string[] = [];
  const [peer] = bench.servers;
  if (peer !== undefined) peer.fallbackNotificationHandler = async ({ method }) => void heard.push(method);
  peer?.removeNotificationHandler('notifications/cancelled');
  abort.abort();
  await server[Symbol.asyncDispose]();
  expect(heard).toEqual([]);
});

describe('a server that is not good', () => {
  it('may not take longer to say hello than it is given', async () => {
    const silent = async () => {
      const [own, other] = InMemoryTransport.createLinkedPair();
      await other.start();
      return own;
    };
    await expect(codeOf(bench.open({ openTransport: silent, times: { openMs: 100 } }))).resolves.toBe(
      'mcp_server_timeout',
    );
  });

  it('is left when it floods', async () => {
    bench.call = async (_, { report }) => {
      for (let count = 0; count < 5_000; count += 1) await report(count);
      return { content: [] };
    };
    const server = await bench.open();
    const floods = server.call('add', {}, { signal: never, onProgress: () => undefined });
    await expect(codeOf(floods)).resolves.toBe('mcp_server_floods');
  });
});
