import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { textsOf } from '../test-support/services.ts';
import { HOST, serve, type Served } from '../test-support/served-integration.ts';

/** The reference server of the MCP project, as it is on npm, over HTTP. */

const program = join(
  import.meta.dirname,
  '../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const stack = new AsyncDisposableStack();
let everything: Served;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

beforeAll(async () => {
  const port = await freePort();
  const child = spawn(process.execPath, [program, 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  stack.defer(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null) await once(child, 'exit');
  });
  child.stderr.resume();
  // Not there yet is a passing failure, which opening tries again.
  everything = stack.use(await serve({ port, url: `http://${HOST}:${port}/mcp` }));
}, 40_000);
afterAll(() => stack.disposeAsync());

const prefix = 'acme_tracker__';

it('lists the reference server under names that every provider takes', () => {
  expect(everything.names).toContain(`${prefix}echo`);
  expect(everything.names.length).toBeGreaterThan(8);
  for (const name of everything.names) expect(name).toMatch(/^[a-z0-9_]+__[a-z][a-z0-9_]*$/);
});

it('calls its tools: text, an image, resources, and one that tells how far it is', async () => {
  expect(textsOf(await everything.call(`${prefix}echo`, { message: 'hello' }))).toEqual(['Echo: hello']);
  const image = await everything.call(`${prefix}get_tiny_image`);
  expect(image.content.map(({ type }) => type)).toContain('image');
  const linked = await everything.call(`${prefix}get_resource_links`, { count: 2 });
  expect(linked.content.filter(({ type }) => type === 'resource_link')).toHaveLength(2);
  expect(everything.stored(linked).size).toBeGreaterThan(0);
  const long = everything.call(
    `${prefix}trigger_long_running_operation`,
    { duration: 1, steps: 3 },
    { meta: { 'slipway/call-id': 'long' } },
  );
  await expect.poll(() => everything.main.events.length, { timeout: 5_000 }).toBeGreaterThan(0);
  expect((await long).isError).toBeUndefined();
});
