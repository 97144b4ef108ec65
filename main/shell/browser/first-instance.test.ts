import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askFirstInstance, FirstInstance } from './first-instance.ts';

let folder: string;
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-first-'));
});
afterEach(() => {
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function serve(first: FirstInstance): Promise<number> {
  server = createServer((request, response) => {
    const taken = first.handle(request, response, async (open) => ({
      address: 'http://127.0.0.1/#token=t',
      opened: open,
    }));
    if (!taken) response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('a second start is answered by the first, also when the first is still starting', async () => {
  const first = FirstInstance.claim(folder)!;
  expect(FirstInstance.claim(folder)).toBeUndefined();
  const asked = askFirstInstance(folder, true);
  first.announce(await serve(first));
  expect(await asked).toEqual({ address: 'http://127.0.0.1/#token=t', opened: true });
  expect(await askFirstInstance(folder, false)).toMatchObject({ opened: false });
  expect(statSync(join(folder, 'browser-shell.json')).mode & 0o077).toBe(0);
  first[Symbol.dispose]();
  const next = FirstInstance.claim(folder);
  expect(next).toBeDefined();
  next?.[Symbol.dispose]();
});

test('who does not know the secret gets no address', async () => {
  using first = FirstInstance.claim(folder)!;
  const port = await serve(first);
  first.announce(port);
  const { secret } = JSON.parse(readFileSync(join(folder, 'browser-shell.json'), 'utf8')) as {
    secret: string;
  };
  for (const authorization of ['', 'Bearer ', `Bearer ${secret.slice(1)}x`, `Bearer ${secret}x`]) {
    const response = await fetch(`http://127.0.0.1:${port}/control/open`, {
      method: 'POST',
      headers: { authorization },
      body: '{"open":true}',
    });
    expect(response.status).toBe(403);
    expect(await response.text()).toBe('');
  }
});

test('a first that never answers is given up on', async () => {
  using first = FirstInstance.claim(folder)!;
  expect(first).toBeDefined();
  expect(await askFirstInstance(folder, true, AbortSignal.timeout(300))).toBeUndefined();
});
