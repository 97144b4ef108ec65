import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSocketFetch } from './socket-fetch.ts';

async function serve(listener: RequestListener) {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-fetch-'));
  const socketPath = join(folder, 's.sock');
  const server = createServer(listener);
  server.listen(socketPath);
  await once(server, 'listening');
  return {
    fetch: createSocketFetch({ socketPath, token: 'run-token' }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}

describe('createSocketFetch', () => {
  it('goes to the socket whatever the host, with the token in the place of any other', async () => {
    await using server = await serve((request, response) => {
      let body = '';
      request.on('data', (part) => (body += String(part)));
      request.on('end', () => {
        const { method, url, headers } = request;
        response.setHeader('x-one', ['a', 'b']);
        response.end(
          JSON.stringify({ method, url, host: headers.host, authorization: headers.authorization, body }),
        );
      });
    });
    const response = await server.fetch('http://anywhere.example/a/b?c=d', {
      method: 'POST',
      headers: { authorization: 'Bearer other' },
      body: 'é',
    });
    expect(await response.json()).toEqual({
      method: 'POST',
      url: '/a/b?c=d',
      host: 'anywhere.example',
      authorization: 'Bearer run-token',
      body: 'é',
    });
    expect(response.headers.get('x-one')).toBe('a, b');
  });

  it('gives the body as it comes', async () => {
    const next = Promise.withResolvers<void>();
    await using server = await serve((_request, response) => {
      response.write('first');
      void next.promise.then(() => response.end('second'));
    });
    const response = await server.fetch('http://sidecar/');
    const reader = response.body!.getReader();
    expect(Buffer.from((await reader.read()).value ?? '').toString()).toBe('first');
    next.resolve();
    expect(Buffer.from((await reader.read()).value ?? '').toString()).toBe('second');
    expect((await reader.read()).done).toBe(true);
  });

  it.each([202, 204, 304])('reads an empty answer with status %i', async (status) => {
    await using server = await serve((_request, response) => response.writeHead(status).end());
    const response = await server.fetch('http://sidecar/');
    expect([response.status, await response.text()]).toEqual([status, '']);
  });

  it('fails as the platform’s own does, in words the clients know to try again', async () => {
    const unreachable = createSocketFetch({ socketPath: '/nonexistent/s.sock', token: 't' });
    await expect(unreachable('http://sidecar/')).rejects.toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: 'fetch failed',
        cause: expect.objectContaining({ code: 'ENOENT' }),
      }),
    );
    await using server = await serve((_request, response) => {
      response.write('half', () => response.destroy());
    });
    const response = await server.fetch('http://sidecar/');
    await expect(response.text()).rejects.toThrow(
      expect.objectContaining({ name: 'TypeError', message: 'terminated' }),
    );
  });

  it('ends with the reason of an abort, before the answer and within it, and lets go of the connection', async () => {
    const closed = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let count = 0;
    await using server = await serve((request, response) => {
      const index = count;
      count += 1;
      request.on('close', () => closed[index]?.resolve());
      if (index === 1) response.write('begun');
    });
    const before = new AbortController();
    const pending = server.fetch('http://sidecar/', { signal: before.signal });
    setTimeout(() => before.abort(), 20);
    await expect(pending).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    await closed[0]?.promise;
    const within = new AbortController();
    const response = await server.fetch('http://sidecar/', { signal: within.signal });
    within.abort();
    await expect(response.text()).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    await closed[1]?.promise;
  });

  it('lets go of the connection when a body is not wanted any more', async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await serve((request, response) => {
      request.on('close', () => closed.resolve());
      response.write('begun');
    });
    const response = await server.fetch('http://sidecar/');
    await response.body?.cancel();
    await expect(closed.promise).resolves.toBeUndefined();
  });
});
