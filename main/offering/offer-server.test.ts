import { request as httpRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLogger } from '#main/logging/index.ts';
import { ProblemError } from '#shared/problem.ts';
import { OfferServer } from './offer-server.ts';
import type { OfferedCall, OfferedTool } from './offered-tool.ts';

let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

const tool = (name: string, call: OfferedTool['call']): OfferedTool => ({
  definition: { name, description: `Does ${name}.`, inputSchema: { type: 'object' } },
  call,
});
const said = (text: string) => Promise.resolve({ content: [{ type: 'text' as const, text }] });

async function serve(...tools: OfferedTool[]): Promise<OfferServer> {
  return stack.use(await OfferServer.start({ tools, version: '1.2.3', logger: silentLogger }));
}

async function connect({ url, token }: OfferServer): Promise<Client> {
  const client = new Client({ name: 'client-of-a-test', version: '1' });
  const headers = { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  stack.defer(() => client.close());
  return client;
}

/** Sends a raw request; gives its status and what was said. */
async function send(
  { url }: OfferServer,
  headers: Record<string, string>,
  { method = 'POST', body = '{}', path = '/mcp' } = {},
): Promise<{ status: number | undefined; text: string }> {
  const outgoing = httpRequest(new URL(path, url), { method, headers, agent: false });
  outgoing.on('error', () => undefined);
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += String(part);
  return { status: response.statusCode, text };
}

describe('tools offered to other programs', () => {
  it('are listed and called by the SDK’s own client, with what is given and its progress', async () => {
    const server = await serve(
      tool('echo', (input, { onProgress }) => {
        onProgress('half');
        return said(JSON.stringify(input));
      }),
    );
    const client = await connect(server);
    expect(client.getServerVersion()).toMatchObject({ name: 'slipway', version: '1.2.3' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo']);
    const progress: (string | undefined)[] = [];
    const result = await client.callTool({ name: 'echo', arguments: { a: 1 } }, undefined, {
      onprogress: ({ message }) => progress.push(message),
    });
    expect(result.content).toEqual([{ type: 'text', text: '{"a":1}' }]);
    expect(progress).toEqual(['half']);
    await expect(client.callTool({ name: 'other' })).rejects.toThrow('Unknown tool: other');
  });

  it('are called off by their client, and by the end of the offer, which waits for them', async () => {
    const calls: OfferedCall[] = [];
    let ended = 0;
    const server = await OfferServer.start({
      logger: silentLogger,
      version: '1',
      tools: [
        tool('wait', async (_input, call) => {
          calls.push(call);
          await once(call.signal, 'abort');
          await new Promise((resolve) => setTimeout(resolve, 20));
          ended += 1;
          throw new Error('stopped');
        }),
      ],
    });
    const client = await connect(server);
    const abort = new AbortController();
    const first = client.callTool({ name: 'wait' }, undefined, { signal: abort.signal }).catch(String);
    await expect.poll(() => calls.length).toBe(1);
    abort.abort();
    expect(await first).toMatch(/abort/i);
    await expect.poll(() => ended).toBe(1);
    const second = client.callTool({ name: 'wait' }).catch(() => undefined);
    await expect.poll(() => calls.length).toBe(2);
    await server[Symbol.asyncDispose]();
    expect(ended).toBe(2);
    await client.close();
    await second;
  });

  it('tell a client what was wrong as a result that a model can read, and no stack', async () => {
    const server = await serve(
      tool('refuse', () => {
        throw new ProblemError({
          code: 'input_invalid',
          title: 'The input does not fit',
          detail: 'One value is wrong.',
          causes: [{ code: 'type', detail: 'It must be a number.', pointer: '/count' }],
          action: 'Correct it.',
        });
      }),
      tool('fault', () => Promise.reject(new Error('/home/someone/secret.ts:12'))),
    );
    const client = await connect(server);
    expect(await client.callTool({ name: 'refuse' })).toMatchObject({
      isError: true,
      content: [
        { text: 'The input does not fit: One value is wrong.\n/count: It must be a number.\nCorrect it.' },
      ],
    });
    const fault = await client.callTool({ name: 'fault' });
    expect(fault.isError).toBe(true);
    expect(JSON.stringify(fault)).not.toContain('secret.ts');
  });

  it('are kept from pages, other names of this computer, and whoever lacks the token', async () => {
    const server = await serve(tool('echo', () => said('no')));
    const good = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
    expect(await send(server, {})).toMatchObject({ status: 401 });
    expect(await send(server, { authorization: `Bearer ${server.token}x` })).toMatchObject({ status: 401 });
    expect(await send(server, { ...good, origin: 'http://localhost:3000' })).toMatchObject({ status: 403 });
    expect(await send(server, { ...good, host: 'rebound.example' })).toMatchObject({ status: 403 });
    expect(await send(server, good, { path: '/other' })).toMatchObject({ status: 404 });
    expect(await send(server, { ...good, 'mcp-session-id': 'unknown' })).toMatchObject({ status: 404 });
    expect(await send(server, good, { body: '{' })).toMatchObject({ status: 400 });
    const large = await send(server, { ...good, 'content-length': String(64 * 1024 * 1024) }, { body: '' });
    expect(large.status).toBe(413);
    for (const { text } of [await send(server, {}), large]) expect(text).not.toContain(server.token);
  });

  it('serve many clients, of which the longest silent one gives way', async () => {
    const server = await serve(tool('echo', () => said('yes')));
    const first = await connect(server);
    const second = await connect(server);
    for (let count = 0; count < 14; count += 1) await connect(server);
    await first.callTool({ name: 'echo' });
    await connect(server);
    await first.callTool({ name: 'echo' });
    await expect(second.callTool({ name: 'echo' })).rejects.toThrow(/no such session/);
  });

  it('have names that tell them apart', async () => {
    await expect(
      serve(
        tool('a', () => said('1')),
        tool('a', () => said('2')),
      ),
    ).rejects.toMatchObject({
      problem: { code: 'offer_ambiguous' },
    });
  });
});
