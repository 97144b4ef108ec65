import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '#main/sidecar/test-support/services.ts';
import {
  CLIENT_SECRET,
  startAuthorizationServer,
  type AuthorizationServer,
} from '#test/peers/authorization-server.ts';
import { integrationFiles } from '#test/support/test-packages.ts';
import { CommandLine } from './command-program.ts';

const PASSPHRASE = 'correct horse';
const KEY = `canary-${randomBytes(18).toString('hex')}`;

let folder: string;
let commandLine: CommandLine;
let server: AuthorizationServer;
let service: TestService;
let passphraseFile: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-connect-'));
  commandLine = new CommandLine(folder);
  passphraseFile = join(folder, 'passphrase');
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`);
  server = await startAuthorizationServer({ scopes: ['repo', 'mail'] });
  service = await startService(({ url, headers }, response) => {
    const isKnown = headers['x-api-key'] === KEY || /^Bearer ./.test(headers.authorization ?? '');
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'text/plain' });
    response.end(isKnown ? `welcome to ${url}` : 'who are you?');
  });
  const api = `http://127.0.0.1:${service.port}`;
  const bearer = {
    http: { in: 'header', name: 'Authorization', prefix: 'Bearer', value: '{$credential.access_token}' },
  };
  const oauth = {
    type: 'oauth2',
    authorization_endpoint: `${server.issuer}/auth`,
    token_endpoint: `${server.issuer}/token`,
    device_authorization_endpoint: `${server.issuer}/device/auth`,
    default_scopes: ['openid', 'email'],
    scope_catalog: ['openid', 'email', 'repo', 'mail'].map((value) => ({ value, label: value })),
    identity_claims: { accountId: '$.email' },
    authorized_uris: [`${api}/**`],
    delivery: bearer,
  };
  await bring('mail', {
    display_name: 'Mail',
    auths: { main: { ...oauth, issuer: server.issuer } },
    setup_guide: { steps: [{ label: 'Make an app', url: 'https://mail.example/apps' }] },
  });
  await bring('keys', {
    display_name: 'Keys',
    auths: {
      main: {
        type: 'api_key',
        credentials: {
          schema: {
            type: 'object',
            properties: { api_key: { type: 'string', title: 'Key' } },
            required: ['api_key'],
          },
        },
        authorized_uris: [`${api}/**`],
        delivery: { http: { in: 'header', name: 'X-Api-Key', value: '{$credential.api_key}' } },
      },
      basic: {
        type: 'basic',
        credentials: {
          schema: {
            type: 'object',
            properties: { username: { type: 'string' }, password: { type: 'string' } },
            required: ['username', 'password'],
          },
        },
        authorized_uris: [`${api}/**`],
        delivery: {
          http: {
            in: 'header',
            name: 'Authorization',
            prefix: 'Basic',
            value: '{$credential.username}:{$credential.password}',
            encoding: 'base64',
          },
        },
      },
    },
  });
}, 120_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Takes an integration into the library by the program itself. */
async function bring(name: string, manifest: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [path, content] of integrationFiles(`@you/${name}`, manifest)) {
    mkdirSync(dirname(join(folder, name, path)), { recursive: true });
    writeFileSync(join(folder, name, path), content);
  }
  const outcome = await slipway(['import', join(folder, name), '--yes']).ended;
  if (outcome.code !== 0) throw new Error(`${outcome.output}${outcome.errors}`);
}

const slipway = (words: readonly string[], input?: string) => commandLine.run(words, input);
const atTerminal = (words: readonly string[], data: string) => commandLine.atTerminal(words, data);

const withVault = (...words: string[]) => [...words, '--passphrase-file', passphraseFile];

/** Everything that was written to the folder of the app. */
function written(data = join(folder, 'data')): string {
  return readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

async function listed(): Promise<{ id: string; integrationId: string; label: string; accountId: string }[]> {
  const { output } = await slipway(['connections', '--json']).ended;
  return (JSON.parse(output) as { connections: Awaited<ReturnType<typeof listed>> }).connections;
}

describe('a key', () => {
  test('comes by the standard input, is tested at the service, used by a script, and removed', async () => {
    const connect = slipway(
      withVault('connect', '@you/keys', '--auth', 'main', '--label', 'Work'),
      `${KEY}\n`,
    );
    const connected = await connect.ended;
    expect(connected).toMatchObject({
      code: 0,
      errors: 'Reading "Key" from the standard input, to its end.\n',
    });
    expect(connected.output).toBe('Keys is connected as "Work".\n');

    const address = `http://127.0.0.1:${service.port}/me`;
    const tried = await slipway(withVault('connections', 'test', '@you/keys', 'Work', '--url', address))
      .ended;
    expect(tried.code).toBe(0);
    expect(service.received.at(-1)?.headers['x-api-key']).toBe(KEY);

    const script = join(folder, 'script.mjs');
    writeFileSync(
      script,
      `import { readFileSync } from 'node:fs';
       const { SLIPWAY_PROXY_URL: url, SLIPWAY_PROXY_HEADERS: file } = process.env;
       const [name, token] = readFileSync(file, 'utf8').trim().split(': ');
       const response = await fetch(url, { headers: { [name]: token, 'X-Integration-Id': '@you/keys', 'X-Target': process.argv[2] } });
       console.log(JSON.stringify({ file, token, text: await response.text(), line: response.headers.get('x-api-call'), environment: process.env }));
       process.exit(7);`,
    );
    const proxied = await slipway([...withVault('proxy'), '--', process.execPath, script, address]).ended;
    expect(proxied.code).toBe(7);
    const { file, token, environment, ...answered } = JSON.parse(proxied.output) as {
      file: string;
      token: string;
      environment: Record<string, string>;
    };
    expect(answered).toEqual({ text: 'welcome to /me', line: '[api_call status=200]' });
    expect(proxied.errors).toContain(`GET ${address} · 200`);
    expect(JSON.stringify(environment)).not.toContain(token);
    expect(proxied.errors).not.toContain(token);
    expect(existsSync(file)).toBe(false);

    const said = [connected, tried, proxied].map(({ output, errors }) => output + errors).join('');
    expect(said).not.toContain(KEY);
    expect(written()).not.toContain(KEY);
    expect(await slipway(withVault('disconnect', '@you/keys')).ended).toMatchObject({ code: 0 });
    expect(await listed()).toEqual([]);
  });

  test('typed at a terminal is not echoed, nor is the passphrase of a new vault', async () => {
    const data = join(folder, 'terminal-data');
    const imported = atTerminal(['import', join(folder, 'keys'), '--yes'], data);
    expect((await imported.ended).code).toBe(0);
    const program = atTerminal(['connect', '@you/keys', '--auth', 'main'], data);
    const type = async (question: RegExp, answer: string) => {
      await program.said(question);
      program.child.stdin?.write(`${answer}\r`);
    };
    await type(/A passphrase for the new vault: /, PASSPHRASE);
    await type(/The same once more: /, PASSPHRASE);
    await type(/Key: /, KEY);
    const { code, output } = await program.ended;
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining('Keys is connected as'),
    });
    for (const secret of [KEY, PASSPHRASE]) {
      expect(output).not.toContain(secret);
      expect(written(data)).not.toContain(secret);
    }
    const vault = atTerminal(
      ['connections', 'test', '@you/keys', '--url', `http://127.0.0.1:${service.port}/x`],
      data,
    );
    await vault.said(/Passphrase of the vault: /);
    vault.child.stdin?.write(`${PASSPHRASE}\r`);
    expect((await vault.ended).code).toBe(0);
    expect(service.received.at(-1)?.headers['x-api-key']).toBe(KEY);
  });

  test('is asked for at a terminal until the person gives up', async () => {
    const program = atTerminal(withVault('connect', '@you/keys', '--auth', 'main'), join(folder, 'data'));
    await program.said(/Key: /);
    program.child.stdin?.write('\u0003');
    expect(await program.ended).toMatchObject({ code: 130 });
    expect(await listed()).toEqual([]);
  });

  test('of several fields comes as JSON', async () => {
    const words = withVault('connect', '@you/keys', '--auth', 'basic', '--label', 'Login', '--json');
    const { code, output, errors } = await slipway(words, '{"username":"ada","password":"pw-1"}').ended;
    expect(code).toBe(0);
    expect(errors).toBe(
      'Reading a JSON object with "username", "password" from the standard input, to its end.\n',
    );
    expect(JSON.parse(output)).toMatchObject({ connection: { label: 'Login', authType: 'basic' } });
    expect(output).not.toContain('pw-1');
    await slipway(withVault('disconnect', '@you/keys', 'Login')).ended;
  });
});

describe('a sign-in', () => {
  test('goes by the browser and back to the program, with an app of the author’s own', async () => {
    const program = slipway(
      withVault('connect', '@you/mail', '--no-browser', '--scopes', 'repo,mail'),
      `basic\n${CLIENT_SECRET}\n`,
    );
    await program.said(/Make an app \(https:\/\/mail\.example\/apps\)/);
    await program.said(/Reading two lines of the standard input/);
    const address = await program.said(/^(http:\/\/\S+\/auth\?\S+)$/m);
    const back = await server.visit(address, { login: 'ada' });
    expect(await (await fetch(back)).text()).toContain('connected');
    const { code, output, errors } = await program.ended;
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('ada@example.com') });
    expect(output).toMatch(/Granted: .*repo.*mail/);
    expect(output + errors).not.toContain(CLIENT_SECRET);
    expect(written()).not.toContain(CLIENT_SECRET);
    const address2 = `http://127.0.0.1:${service.port}/mine`;
    expect((await slipway(withVault('connections', 'test', '@you/mail', '--url', address2)).ended).code).toBe(
      0,
    );
  });

  test('is renewed in the connection there is, on another device by a code', async () => {
    const [before] = await listed();
    const program = slipway(
      withVault(
        'connect',
        '@you/mail',
        '--device',
        '--no-browser',
        '--renew',
        'ada@example.com',
        '--label',
        'Home',
      ),
    );
    const page = await program.said(/Go to (\S+) on any device/);
    const code = await program.said(/type in this code: (\S+)/);
    await server.allowDevice(page, code, 'ada');
    expect(await program.ended).toMatchObject({ code: 0 });
    expect(await listed()).toMatchObject([{ id: before?.id, label: 'Home', accountId: 'ada@example.com' }]);
  });

  test('that is denied changes nothing and says why', async () => {
    const before = await listed();
    const program = slipway(withVault('connect', '@you/mail', '--no-browser'));
    const address = await program.said(/^(http:\/\/\S+\/auth\?\S+)$/m);
    await fetch(await server.visit(address, { login: 'ada', denies: true }));
    const { code, errors } = await program.ended;
    expect(code).toBe(2);
    expect(errors).toMatch(/denied|refused|declined|not allowed/i);
    expect(await listed()).toEqual(before);
  });

  test('ends with Ctrl+C', async () => {
    const program = slipway(withVault('connect', '@you/mail', '--no-browser'));
    await program.said(/^(http:\/\/\S+\/auth\?\S+)$/m);
    program.child.kill('SIGINT');
    expect(await program.ended).toMatchObject({ code: 130 });
  });
});

test.each<[string, string[], RegExp]>([
  ['a secret as an argument', ['connect', '@you/keys', '--api-key', 'x'], /unknown option '--api-key'/],
  [
    'no method where there are several',
    withFile('connect', '@you/keys'),
    /main \(api_key\), basic \(basic\)/,
  ],
  ['another method', withFile('connect', '@you/keys', '--auth', 'x'), /has no method "x"/],
  ['another integration', withFile('connect', '@you/none'), /@you\/none/],
  [
    'a connection there is not',
    withFile('disconnect', '@you/keys', 'Nope'),
    /Nothing of @you\/keys is connected/,
  ],
  ['a vault that nobody can open', ['connect', '@you/keys', '--auth', 'main'], /--passphrase-file/],
  ['a command that is none', withFile('proxy', '--', '/no/such/program'), /cannot be run \(ENOENT\)/],
])('refuses %s', async (_what, words, expected) => {
  const outcome = await slipway(
    words.map((word) => (word === '<file>' ? passphraseFile : word)),
    'x',
  ).ended;
  expect(outcome.code).toBe(2);
  expect(outcome.errors).toMatch(expected);
  expect(outcome.output).toBe('');
});

function withFile(command: string, ...words: string[]): string[] {
  return [command, '--passphrase-file', '<file>', ...words];
}
