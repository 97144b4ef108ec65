import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '#main/sidecar/test-support/services.ts';
import {
  CLIENT_SECRET,
  startAuthorizationServer,
  type AuthorizationServer,
} from '#test/peers/authorization-server.ts';
import { CommandLine, type Outcome } from './command-program.ts';
import { root } from '../../scripts/lib/build-state.ts';

const KEY = 'canary-key-of-the-office-5be1';
const PROGRAM = 'npm run -s slipway --';

let folder: string;
let commandLine: CommandLine;
let service: TestService;
let authority: AuthorizationServer;
let page: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-documented-'));
  commandLine = new CommandLine(folder);
  service = await startService(({ url, headers }, response) => {
    const isKnown = url.startsWith('/v1/')
      ? headers['x-api-key'] === KEY
      : /^Bearer .{20}/.test(headers.authorization ?? '');
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'text/plain' }).end('3.2 metres');
  });
  authority = await startAuthorizationServer({ scopes: ['mail.send'] });
  page = readFileSync(join(root, 'docs', 'integrations.md'), 'utf8')
    .replaceAll('https://api.harbour.example', `http://127.0.0.1:${service.port}`)
    .replaceAll('https://login.harbour.example', authority.issuer);
  writeFileSync(join(folder, 'passphrase'), 'correct horse\n');
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await authority?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** The page's blocks of a language, under a heading. */
function blocks(heading: string, language: string): string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^```(\w+)\n(.*?)^```/gms)]
    .filter(([, of]) => of === language)
    .map(([, , text = '']) => text);
}

/** Writes the first manifest of a section; gives the words of each of its commands. */
function follow(heading: string, name: string): string[][] {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'manifest.json'), blocks(heading, 'json')[0] ?? '');
  const lines = blocks(heading, 'sh').flatMap((text) => text.trim().split('\n'));
  expect(lines.every((line) => line.startsWith(`${PROGRAM} `))).toBe(true);
  return lines.map((line) => line.slice(PROGRAM.length + 1).split(' '));
}

/** A command of the page, with what only a terminal would be asked for. */
function completed(words: readonly string[]): string[] {
  const [command] = words;
  if (command === 'import') return [...words, '--yes'];
  const opensVault = command === 'connect' || command === 'connections';
  return opensVault ? [...words, '--passphrase-file', join(folder, 'passphrase')] : [...words];
}

test('the service with a key validates, connects and answers by the commands that stand there', async () => {
  const outcomes: Outcome[] = [];
  for (const words of follow('A service with a key, in five minutes', 'tides'))
    outcomes.push(await commandLine.run(completed(words), words[0] === 'connect' ? `${KEY}\n` : '').ended);
  expect(outcomes.map(({ code, errors }) => ({ code, errors: code === 0 ? '' : errors }))).toEqual(
    outcomes.map(() => ({ code: 0, errors: '' })),
  );
  const [validated, allowed, , connected, tested] = outcomes.map(({ output }) => output);
  expect(validated).toContain('no errors, no warnings');
  expect(allowed).toBe(
    `Allowed by http://127.0.0.1:${service.port}/v1/**: http://127.0.0.1:${service.port}/v1/heights\n`,
  );
  expect(connected).toContain('Tide tables is connected as "Office"');
  expect(tested).toMatch(/works|200/i);
  expect(service.received.at(-1)).toMatchObject({ url: '/v1/heights', headers: { 'x-api-key': KEY } });
});

test('the agent that uses it validates', async () => {
  const [, part = '{}'] = blocks('A service with a key, in five minutes', 'json');
  const agent = {
    name: '@me/watch',
    version: '1.0.0',
    type: 'agent',
    schema_version: '0.2',
    display_name: 'Watch',
    author: 'Me',
    ...(JSON.parse(part) as Record<string, unknown>),
  };
  mkdirSync(join(folder, 'watch'));
  writeFileSync(join(folder, 'watch', 'manifest.json'), JSON.stringify(agent));
  writeFileSync(join(folder, 'watch', 'prompt.md'), 'Look at the water.\n');
  expect(await commandLine.run(['validate', 'watch', '--json']).ended).toMatchObject({ code: 0 });
});

test('the sign-in validates, and connects through a real authorization server', async () => {
  const [validate = [], imports = [], connect = []] = follow('A sign-in with OAuth', 'mail');
  expect((await commandLine.run(completed(validate)).ended).code).toBe(0);
  expect((await commandLine.run(completed(imports)).ended).code).toBe(0);
  const program = commandLine.run([...completed(connect), '--no-browser'], `basic\n${CLIENT_SECRET}\n`);
  await program.said(/Make an app of your own there/);
  const address = await program.said(/^(http:\/\/\S+\/auth\?\S+)$/m);
  await fetch(await authority.visit(address, { login: 'ada' }));
  const { code, output } = await program.ended;
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('ada@example.com') });
  expect(output).toMatch(/Granted: .*mail\.send/);
  const target = `http://127.0.0.1:${service.port}/mail/today`;
  const words = completed(['connections', 'test', '@me/mail', '--url', target]);
  expect((await commandLine.run(words).ended).code).toBe(0);
  expect(service.received.at(-1)?.url).toBe('/mail/today');
});

test('the login is a way to connect that validates', async () => {
  const [login = '{}'] = blocks('Other ways to connect', 'json');
  const [whole = '{}'] = blocks('A service with a key, in five minutes', 'json');
  const manifest = {
    ...(JSON.parse(whole) as Record<string, unknown>),
    name: '@me/ledger',
    auths: { key: JSON.parse(login) as unknown },
  };
  mkdirSync(join(folder, 'ledger'));
  writeFileSync(join(folder, 'ledger', 'manifest.json'), JSON.stringify(manifest));
  const { code, output } = await commandLine.run(['validate', 'ledger', '--json']).ended;
  expect({ code, findings: JSON.parse(output) as unknown }).toMatchObject({
    code: 0,
    findings: { ok: true },
  });
});
