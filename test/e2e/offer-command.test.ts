import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startService, type TestService } from '#main/sidecar/test-support/services.ts';
import { openDatabase } from '#main/store/index.ts';
import { integrationFiles, keyAuth } from '#test/support/test-packages.ts';
import { root } from '../../scripts/lib/build-state.ts';
import { instancesIn, removeEngineThings } from './engine-things.ts';

const KEY = `canary-${randomBytes(18).toString('hex')}`;
const RUN_MS = 90_000;

const offerSchema = z.object({
  url: z.string(),
  configurationFile: z.string(),
  tools: z.array(z.string()),
});
const configurationSchema = z.object({
  mcpServers: z.object({
    slipway: z.object({
      type: z.literal('http'),
      url: z.string(),
      headers: z.object({ Authorization: z.string() }),
    }),
  }),
});

let folder: string;
let service: TestService;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-offer-command-'));
  writeFileSync(join(folder, 'passphrase'), 'correct horse\n');
  service = await startService(({ url, headers }, response) => {
    response.writeHead(headers['x-api-key'] === KEY ? 200 : 401, { 'content-type': 'text/plain' });
    response.end(`You asked for ${url} with ${String(headers['x-api-key'])}`);
  });
  const manifest = {
    display_name: 'Keys',
    auths: { main: keyAuth(`http://127.0.0.1:${service.port}/**`) },
  };
  for (const [path, content] of integrationFiles('@you/keys', manifest)) {
    mkdirSync(dirname(join(folder, 'keys', path)), { recursive: true });
    writeFileSync(join(folder, 'keys', path), content);
  }
  await done(['import', join(folder, 'keys'), '--yes']);
  await done(['connect', '@you/keys', '--auth', 'main', '--label', 'Work', ...WITH_VAULT()], `${KEY}\n`);
}, 60_000);
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await removeEngineThings(instancesIn(join(folder, 'state')));
  rmSync(folder, { recursive: true, force: true });
});

const WITH_VAULT = () => ['--passphrase-file', join(folder, 'passphrase')];

function slipway(words: readonly string[]) {
  const program = join(root, 'out', 'cli', 'slipway.js');
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...words], {
    cwd: folder,
    env: {
      ...process.env,
      SLIPWAY_DATA_DIR: join(folder, 'data'),
      XDG_STATE_HOME: join(folder, 'state'),
      NO_COLOR: '1',
    },
  });
}

async function done(words: readonly string[], input = ''): Promise<{ code: number | null; errors: string }> {
  const child = slipway(words);
  child.stdin.end(input);
  const [[code], errors] = await Promise.all([once(child, 'close'), text(child.stderr), text(child.stdout)]);
  return { code: code as number | null, errors };
}

/** Starts an offer, and connects a client by the file that it has written, as a person would set one up. */
async function offer(...words: string[]) {
  const child = slipway(['offer', '--json', ...words]);
  const errors = text(child.stderr);
  const reader = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([
    once(reader, 'line'),
    errors.then((said) => Promise.reject(new Error(said))),
  ])) as [string];
  const offered = offerSchema.parse(JSON.parse(line));
  const { slipway: server } = configurationSchema.parse(
    JSON.parse(readFileSync(offered.configurationFile, 'utf8')),
  ).mcpServers;
  const client = new Client({ name: 'outside', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: server.headers } }),
  );
  const end = async () => {
    await client.close();
    child.kill('SIGTERM');
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, errors: await errors };
  };
  return { client, ...offered, line, token: server.headers.Authorization, end };
}

describe('slipway offer', () => {
  test('lets another program run an agent, told of its way, and gives what it delivered', async () => {
    const { client, tools, configurationFile, line, token, end } = await offer(
      '--agent',
      '@slipway/csv-report',
      '--model',
      'walkthrough',
    );
    expect(tools).toEqual(['slipway_csv_report__run']);
    expect(statSync(configurationFile).mode & 0o077).toBe(process.platform === 'win32' ? 0o066 : 0);
    const [tool] = (await client.listTools()).tools;
    expect(tool).toMatchObject({ title: 'CSV report', inputSchema: { type: 'object' } });
    const progress: string[] = [];
    const table = 'berth,dues\nNorth,10.5\nSouth,20\nNorth,4.5\n';
    const result = await client.callTool(
      { name: 'slipway_csv_report__run', arguments: { csv: [{ name: 'dues.csv', text: table }] } },
      undefined,
      {
        timeout: RUN_MS,
        onprogress: ({ message }) => void progress.push(message ?? ''),
      },
    );
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({ status: 'success', output: { rows: 3 } });
    expect(JSON.stringify(result.content)).toContain('35');
    expect(progress.some((message) => message.startsWith('Calls '))).toBe(true);

    const wrong = await client.callTool({ name: 'slipway_csv_report__run', arguments: { csv: 'dues.csv' } });
    expect(wrong).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('takes a list') }],
    });

    expect(await end()).toMatchObject({ code: 0 });
    expect(existsSync(configurationFile)).toBe(false);
    expect(line).not.toContain(token.slice('Bearer '.length));
    expect(written()).not.toContain(token.slice('Bearer '.length));
  });

  test('stops the run of a call that is called off', async () => {
    const { client, end } = await offer('--agent', '@slipway/csv-report', '--model', 'walkthrough');
    const abort = new AbortController();
    const call = client
      .callTool(
        { name: 'slipway_csv_report__run', arguments: { csv: [{ name: 'a.csv', text: 'a,b\n1,2\n' }] } },
        undefined,
        {
          signal: abort.signal,
          timeout: RUN_MS,
          onprogress: ({ message }) => {
            if (message?.startsWith('Calls ')) abort.abort();
          },
        },
      )
      .catch(String);
    expect(await call).toMatch(/abort/i);
    await end();
    using database = openDatabase(join(folder, 'data'));
    expect(database.get('SELECT status FROM run ORDER BY created_at DESC')).toMatchObject({
      status: 'cancelled',
    });
  });

  test('offers an account’s tools through the same gate as a run, and never its secret', async () => {
    const { client, tools, end } = await offer('--connection', '@you/keys=Work', ...WITH_VAULT());
    expect(tools).toEqual(['you_keys__api_call']);
    const address = `http://127.0.0.1:${service.port}/me`;
    const good = JSON.stringify(
      await client.callTool({ name: 'you_keys__api_call', arguments: { target: address } }),
    );
    expect(good).toContain('[api_call status=200]');
    expect(good).toContain('You asked for /me');
    expect(service.received.at(-1)?.headers['x-api-key']).toBe(KEY);
    const refused = JSON.stringify(
      await client.callTool({
        name: 'you_keys__api_call',
        arguments: { target: 'http://elsewhere.example/' },
      }),
    );
    expect(refused).toContain('code=unauthorized_target');
    const { errors } = await end();
    for (const said of [good, refused, errors, written()]) expect(said).not.toContain(KEY);
  });

  test.each([
    ['nothing', [], /Nothing is offered/],
    ['an agent that is none', ['--agent', '@you/none'], /@you\/none/],
    ['an account that is none', ['--connection', '@you/keys=Home'], /Home/],
    [
      'a tool that is none',
      ['--connection', '@you/keys=Work', '--tool', 'you_keys__other'],
      /you_keys__api_call/,
    ],
  ])('refuses %s before it listens', async (_what, words, message) => {
    const { code, errors } = await done(['offer', ...words, ...WITH_VAULT()]);
    expect(code).not.toBe(0);
    expect(errors).toMatch(message);
    expect(errors).not.toMatch(/\n\s+at /);
  });
});

/** Everything in the folder of the app. */
function written(): string {
  return readdirSync(join(folder, 'data'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}
