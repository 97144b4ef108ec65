import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '#main/sidecar/test-support/services.ts';
import {
  CLIENT_SECRET,
  startAuthorizationServer,
  type AuthorizationServer,
} from '#test/peers/authorization-server.ts';
import { integrationFiles } from '#test/support/test-packages.ts';
import { CommandLine, type Program } from './command-program.ts';

const SERVED_BY = 2;
/** Milliseconds after which an answer of a renewal counts no more for who asks again, and some. */
const COOL_DOWN_MS = 5_500;

let folder: string;
let commandLine: CommandLine;
let authority: AuthorizationServer;
let service: TestService;
/** Tokens the service takes no more. */
const ended = new Set<string>();
let shown = new Set<string>();
const refusals: string[] = [];
let proxies: Program[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-two-'));
  commandLine = new CommandLine(folder);
  authority = await startAuthorizationServer();
  authority.provider.on('grant.error', (_context, error: Error) => refusals.push(error.message));
  service = await startService(({ headers: { authorization = '' } }, response) => {
    shown.add(authorization);
    response.writeHead(ended.has(authorization) || authorization === '' ? 401 : 200).end();
  });
  const files = integrationFiles('@you/mail', {
    auths: {
      main: {
        type: 'oauth2',
        issuer: authority.issuer,
        default_scopes: ['openid', 'offline_access'],
        scope_catalog: ['openid', 'offline_access'].map((value) => ({ value, label: value })),
        authorization_params: { prompt: 'consent' },
        authorized_uris: [`http://127.0.0.1:${service.port}/**`],
        delivery: {
          http: {
            in: 'header',
            name: 'Authorization',
            prefix: 'Bearer',
            value: '{$credential.access_token}',
          },
        },
        _meta: { 'app.slipway/redirect': { kind: 'loopback', host: '127.0.0.1', port: 0 } },
      },
    },
  });
  for (const [path, content] of files) {
    mkdirSync(join(folder, 'mail'), { recursive: true });
    writeFileSync(join(folder, 'mail', path), content);
  }
  writeFileSync(join(folder, 'passphrase'), 'correct horse\n');
  await succeeded(commandLine.run(['import', 'mail', '--yes']));
  const words = ['connect', '@you/mail', '--no-browser', '--passphrase-file', 'passphrase'];
  const connect = commandLine.run(words, `basic\n${CLIENT_SECRET}\n`);
  const address = await connect.said(/^(http:\/\/\S+\/auth\?\S+)$/m);
  await fetch(await authority.visit(address, { login: 'ada' }));
  await succeeded(connect);
  proxies = Array.from({ length: SERVED_BY }, () =>
    commandLine.run(['proxy', '--passphrase-file', 'passphrase']),
  );
}, 120_000);
afterAll(async () => {
  for (const { child } of proxies) child.kill('SIGINT');
  await Promise.all(proxies.map(({ ended: end }) => end));
  await authority?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function succeeded(program: Program): Promise<void> {
  const { code, errors } = await program.ended;
  if (code !== 0) throw new Error(errors);
}

/** Has every process make a request at the same time; gives the statuses. */
async function callByAll(): Promise<number[]> {
  return Promise.all(
    proxies.map(async (proxy) => {
      const url = await proxy.said(/SLIPWAY_PROXY_URL='([^']+)'/);
      const file = await proxy.said(/SLIPWAY_PROXY_HEADERS='([^']+)'/);
      const [, authorization = ''] = /^Authorization: (.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
      const { status } = await fetch(url, {
        headers: {
          authorization,
          'X-Integration-Id': '@you/mail',
          'X-Target': `http://127.0.0.1:${service.port}/letters`,
        },
      });
      return status;
    }),
  );
}

const renewals = () =>
  authority.tokenRequests
    .filter(({ body }) => body.get('grant_type') === 'refresh_token')
    .map(({ body }) => body.get('refresh_token'));

test('two programs over one data folder renew an access once, each time with the newest token', async () => {
  expect(await callByAll()).toEqual([200, 200]);
  expect(renewals()).toEqual([]);
  for (let round = 1; round <= 3; round += 1) {
    for (const token of shown) ended.add(token);
    shown = new Set();
    expect(await callByAll()).toEqual([200, 200]);
    // Each of both asked in vain first, and both went on with one new access.
    expect([...shown].filter((token) => !ended.has(token))).toHaveLength(1);
    expect(renewals()).toHaveLength(round);
    await delay(COOL_DOWN_MS);
  }
  // The server rotates: it would take a token that is used twice for stolen, and end the grant.
  expect(new Set(renewals()).size).toBe(3);
  expect(refusals).toEqual([]);
});
