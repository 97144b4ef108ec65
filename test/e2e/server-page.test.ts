import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startAuthorizationServer, type AuthorizationServer } from '#test/peers/authorization-server.ts';
import { startMcpPeer, type McpPeer } from '#test/peers/mcp-server.ts';
import { formsOf, searchFolder } from '#test/support/search.ts';
import { packNpmServer } from '#test/support/server-bundles.ts';
import { buildZip } from '#test/support/zip-builder.ts';
import { createVault, expectOpenToAll, signInAt } from './connecting.ts';
import { runnersOf } from './engine-things.ts';
import { recordWire } from './frames.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { goTo, libraryShown } from './steps.ts';

const PASSPHRASE = 'correct horse battery staple';
const SECRET = `canary-${randomBytes(12).toString('hex')}`;

describe('the page of an MCP server', () => {
  let app: LaunchedApp;
  let page: Page;
  let authority: AuthorizationServer;
  let peer: McpPeer;
  let wire: ReturnType<typeof recordWire>;
  let sheet: Locator;
  let form: Locator;
  let shown: Locator;
  let log: Locator;
  const live = new Set<McpServer>();
  const tokens = new Set<string>();
  let url = '';

  function createServer(): McpServer {
    const server = new McpServer(
      { name: 'harbour', title: 'Harbour office', version: '3.1.0' },
      {
        instructions: 'Ask for the tide before the weather.',
        capabilities: { tools: { listChanged: true } },
      },
    );
    server.registerTool(
      'tide',
      {
        description: 'Height of the water.',
        inputSchema: { place: z.string().describe('Name of a harbour.'), metres: z.boolean().optional() },
      },
      ({ place }, { requestInfo }) => ({
        content: [
          {
            type: 'text',
            text: `${place}: 3.2 m, asked by ${String(requestInfo?.headers['authorization'])}`,
          },
        ],
      }),
    );
    server.registerTool('slow', { description: 'Never answers.' }, async ({ signal }) => {
      await delay(60_000, undefined, { signal });
      return { content: [] };
    });
    server.registerTool('broken', {}, () => ({
      isError: true,
      content: [{ type: 'text', text: 'The gauge is broken.' }],
    }));
    server.registerPrompt(
      'report',
      { description: 'A report to write.', argsSchema: { place: z.string() } },
      ({ place }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: `Report on ${place}.` } }],
      }),
    );
    server.registerResource('chart', 'chart://north', { title: 'North chart' }, (uri) => ({
      contents: [{ uri: uri.href, mimeType: 'application/json', text: '{"depth":12}' }],
    }));
    server.registerResource(
      'any',
      new ResourceTemplate('chart://{area}', { list: undefined }),
      {},
      (uri) => ({
        contents: [{ uri: uri.href, text: `Chart of ${uri.host}` }],
      }),
    );
    live.add(server);
    return server;
  }

  beforeAll(async () => {
    authority = await startAuthorizationServer({ scopes: ['tides'] });
    peer = await startMcpPeer({
      kind: 'sessions',
      create: () => createServer().server,
      intercept: ({ headers, url: path = '' }, response) => {
        const origin = url.replace(/\/mcp$/, '');
        if (path.startsWith('/.well-known/oauth-protected-resource')) {
          const document = { resource: url, authorization_servers: [authority.issuer] };
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
          return true;
        }
        const token = headers.authorization?.replace(/^Bearer /, '');
        if (token !== undefined && token !== '') {
          tokens.add(token);
          return false;
        }
        const challenge = `Bearer scope="tides", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
        response.writeHead(401, { 'www-authenticate': challenge }).end();
        return true;
      },
    });
    url = `http://127.0.0.1:${peer.port}/mcp`;
    app = await launchApp({ shell: 'browser', onPage: (opened) => void (wire = recordWire(opened)) });
    ({ page } = app);
    page.setDefaultTimeout(15_000);
    await libraryShown(page);
    sheet = page.getByRole('dialog');
    form = page.getByRole('form', { name: 'Request' });
    shown = page.getByRole('article', { name: 'Shown answer' });
    log = page.getByRole('region', { name: 'Messages' });
  }, 120_000);
  afterAll(async () => {
    await app?.close();
    await peer?.[Symbol.asyncDispose]();
    await authority?.[Symbol.asyncDispose]();
  });

  const isOpenToAll = (name: string) => expectOpenToAll(page, name);
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const tools = () => page.getByRole('region', { name: 'Tools', exact: true });
  const list = (name: string) => page.getByRole('radio', { name, exact: true }).click();
  const tab = (name: RegExp) => page.getByRole('tab', { name }).click();

  test('takes an address that is pasted, and says that the server wants a sign-in', async () => {
    await goTo(page, '#/integrations');
    await button('Try a server').click();
    const address = page.getByRole('form', { name: 'From an address' });
    await address.waitFor();
    await isOpenToAll('try-empty');
    await address.getByLabel('Address').fill(url);
    expect(await address.getByLabel('Name').inputValue()).toBe(`@me/local-${peer.port}`);
    await address.getByLabel('Name').fill('@me/harbour');
    await address.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('Nothing is connected yet').waitFor();
    await isOpenToAll('try-before');
    await button('Connect').click();
    await page.locator('[data-problem="mcp_sign_in_needed"]').waitFor();
    await isOpenToAll('try-sign-in-needed');
  });

  test('signs in as the server itself says, and connects with that account', async () => {
    await button('Connect an account').click();
    await createVault(sheet, PASSPHRASE);
    await sheet.getByRole('button', { name: /^Sign in to/ }).click();
    const field = sheet.getByLabel('Address of the sign-in');
    await field.waitFor();
    await signInAt(page, await field.inputValue(), { login: 'ada' });
    await sheet.getByRole('button', { name: 'Done' }).click();
    await sheet.waitFor({ state: 'detached' });
    await button('Connect again').click();
    await page.getByRole('status').getByText('Harbour office').waitFor();
    await page.getByText('Ask for the tide before the weather.').waitFor();
    expect(tokens.size).toBe(1);
    await isOpenToAll('server-about');
  });

  test('calls a tool in a form made of its schema, by keyboard', async () => {
    await tools().getByRole('button', { name: 'tide' }).waitFor();
    expect(await tools().getByRole('button').allInnerTexts()).toEqual([
      expect.stringContaining('tide'),
      expect.stringContaining('slow'),
      expect.stringContaining('broken'),
    ]);
    expect(await form.getByRole('button', { name: 'Call' }).getAttribute('aria-disabled')).toBe('true');
    await form.getByLabel('place').fill('Brest');
    await form.getByRole('button', { name: 'Call' }).focus();
    await page.keyboard.press('Enter');
    const block = shown.getByRole('region', { name: 'Block 1' }).first();
    await block.getByText('Brest: 3.2 m').waitFor();
    // The server repeats the token that it was shown; nobody else is.
    expect(await block.innerText()).toContain('Bearer {{access_token}}');
    await isOpenToAll('server-answer');
    await tools().getByRole('button', { name: 'broken' }).click();
    await form.getByRole('button', { name: 'Call' }).click();
    await shown.getByText('failed').waitFor();
    await shown.getByText('The gauge is broken.').first().waitFor();
  });

  test('cancels a call at the server', async () => {
    await tools().getByRole('button', { name: 'slow' }).click();
    await form.getByRole('button', { name: 'Call' }).click();
    await shown.getByRole('button', { name: 'Cancel' }).click();
    await shown.getByText('cancelled').waitFor();
    await tab(/Protocol log/);
    await log.getByText('notifications/cancelled').waitFor();
    expect(await form.getByRole('button', { name: 'Call' }).getAttribute('aria-disabled')).toBeNull();
  });

  test('gets a prompt, and reads resources, also by a template', async () => {
    await list('Prompts');
    await form.getByLabel('place').fill('Lorient');
    await form.getByRole('button', { name: 'Get' }).click();
    await shown.getByText('Report on Lorient.').first().waitFor();
    await list('Resources');
    await form.getByText('chart://north').first().waitFor();
    await form.getByRole('button', { name: 'Read' }).click();
    await shown.getByText('"depth"').first().waitFor();
    await list('Templates');
    await form.getByRole('textbox', { name: 'area' }).fill('south');
    await form.getByRole('button', { name: 'Read' }).click();
    await shown.getByText('Chart of south').first().waitFor();
    expect(await shown.getByRole('heading', { level: 3 }).innerText()).toBe('chart://south');
    await isOpenToAll('server-resource');
  });

  test('shows at once what the server lists anew', async () => {
    await list('Tools');
    for (const server of live) {
      server.registerTool('wind', { description: 'Came later.' }, () => ({ content: [] }));
    }
    await tools().getByText('wind').waitFor();
    expect(await page.getByText(/changed \d+ times? since you connected/).innerText()).toMatch(/^4 tools/);
  });

  test('keeps every message with its time, finds it, opens it and exports it without a secret', async () => {
    await tab(/Protocol log/);
    const rows = log.getByRole('listitem');
    await log.getByText('initialize', { exact: true }).first().waitFor();
    await isOpenToAll('server-log');
    await page.getByLabel('Kind of message').selectOption('Errors');
    await expect.poll(() => rows.count()).toBe(1);
    await rows.first().getByText('says error').waitFor();
    await page.getByLabel('Kind of message').selectOption('Everything');
    await page.getByLabel('Search the log').fill('tools/call brest');
    await expect.poll(() => rows.count()).toBe(2);
    await rows.first().getByRole('button').first().click();
    await log.getByText('"content"').waitFor();
    expect(await rows.first().innerText()).toMatch(/\d+ ms/);
    await isOpenToAll('server-log-open');
    const [download] = await Promise.all([page.waitForEvent('download'), button('Export').last().click()]);
    expect(download.suggestedFilename()).toBe('harbour.jsonl');
    const text = readFileSync(await download.path(), 'utf8');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({ sequence: 1, direction: 'sent', message: { method: 'initialize' } });
    expect(lines.length).toBeGreaterThan(20);
    const [token = ''] = tokens;
    expect(token.length).toBeGreaterThan(10);
    expect(text).not.toContain(token);
    expect(wire.received.join('\n')).not.toContain(token);
    expect((await searchFolder(app.dataDirectory, { token: formsOf(token) })).found).toEqual([]);
    await page.getByLabel('Search the log').fill('');
  });

  test('saves it as a draft of an integration, whose page goes on with the same account', async () => {
    await button('Save as integration…').click();
    expect(await sheet.getByLabel('What people call it').inputValue()).toBe('Harbour office');
    await sheet.getByLabel('What it does').fill('Tides and charts.');
    await isOpenToAll('server-save');
    await sheet.getByRole('button', { name: 'Save' }).click();
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Harbour office', level: 1 }).waitFor();
    await goTo(page, '#/integrations/%40me%2Fharbour/files?file=manifest.json');
    await page.getByText('"tools_policy"').first().waitFor();
    await page.getByText('"oauth2"').first().waitFor();
    await goTo(page, '#/integrations/%40me%2Fharbour/connections');
    await page.getByText('Connected', { exact: true }).first().waitFor();
    await goTo(page, '#/try');
    await page.getByRole('form', { name: 'From an address' }).waitFor();
    expect(await page.getByRole('region', { name: 'Servers that are tried' }).count()).toBe(0);
  });

  test('tries a bundle in a container, with what it wants to be told, and leaves nothing of it', async () => {
    const { files, entryPoint } = await packNpmServer('@modelcontextprotocol/server-everything');
    const manifest = {
      manifest_version: '0.3',
      name: 'everything',
      version: '1.0.0',
      description: 'Shows what the protocol has.',
      author: { name: 'Reference' },
      server: {
        type: 'node',
        entry_point: entryPoint,
        mcp_config: {
          command: 'node',
          args: [`\${__dirname}/${entryPoint}`],
          env: { WORD: '${user_config.word}' },
        },
      },
      user_config: { word: { type: 'string', title: 'Word', sensitive: true, required: true } },
    };
    const entries = [...files].map(([name, content]) => ({ name, content }));
    const bytes = buildZip([{ name: 'manifest.json', content: JSON.stringify(manifest) }, ...entries]);
    await page
      .getByLabel('Bundle to try')
      .setInputFiles({ name: 'everything.mcpb', mimeType: 'application/zip', buffer: bytes });
    await page.getByRole('heading', { name: 'everything', level: 1 }).waitFor({ timeout: 60_000 });
    await button('Connect').click();
    await page.locator('[data-problem="server_settings_missing"]').waitFor({ timeout: 120_000 });
    await page.getByLabel('Word').fill(SECRET);
    await isOpenToAll('server-settings-missing');
    await button('Save').last().click();
    await expect.poll(() => page.getByLabel('Word').getAttribute('placeholder')).toBe('Kept in the vault');
    await button('Connect again').click();
    await page.getByRole('status').getByText('Connected', { exact: true }).waitFor({ timeout: 60_000 });
    expect(await runnersOf(app.instanceIds)).toHaveLength(1);
    await tools().getByRole('button', { name: 'get-env' }).click();
    await form.getByRole('button', { name: 'Call' }).click();
    await shown.getByText('WORD').first().waitFor();
    expect(await shown.innerText()).not.toContain(SECRET);
    await isOpenToAll('server-bundle');
    await button('Disconnect').click();
    await page.getByRole('status').getByText('Closed', { exact: true }).waitFor();
    await expect.poll(() => runnersOf(app.instanceIds), { timeout: 20_000 }).toEqual([]);
    expect(wire.received.join('\n')).not.toContain(SECRET);
    await button('Forget…').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('form', { name: 'From an address' }).waitFor();
    expect(app.problems).toEqual([]);
  }, 240_000);
});
