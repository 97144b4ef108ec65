import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HttpOutbound } from '#main/network/index.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { CLIENT_SECRET, startAuthorizationServer } from '#test/peers/authorization-server.ts';
import { findChromium } from '#test/support/find-chromium.ts';
import { AuthorizationServers } from './authorization-server.ts';
import { RedirectReceiver } from './redirect-receiver.ts';
import { SignIn } from './sign-in.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
}, 60_000);
afterAll(() => browser.close());

it('goes through a real browser: sign in, consent, and a page of ours that breaks none of its own rules', async () => {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startAuthorizationServer({ scopes: ['repo'] }));
  const receiver = stack.use(new RedirectReceiver());
  const outbound = stack.use(
    new HttpOutbound({
      network: () => ({ proxy: { mode: 'none', address: '', exceptions: '' }, extraCertificates: '' }),
      environment: {},
    }),
  );
  const auth: AuthMethod = {
    type: 'oauth2',
    issuer: server.issuer,
    tokenEndpointAuthMethod: 'client_secret_basic',
    authorizationParameters: {},
    scopeSeparator: ' ',
    refreshTokenIssuance: 'default',
    defaultScopes: [],
    scopeCatalog: [],
    identityClaims: {},
    requiredIdentityClaims: [],
    delivery: {},
    authorizedUris: [],
    allowsAllUris: false,
    required: true,
  };
  const signIn = stack.use(
    await SignIn.start(
      'flow',
      {
        integrationId: '@test/service',
        authKey: 'oauth',
        service: 'Harbour <Office>',
        auth,
        server: await new AuthorizationServers(outbound).describe(auth),
        client: {
          clientId: 'basic',
          clientSecret: CLIENT_SECRET,
          redirect: { kind: 'loopback', host: '127.0.0.1', port: 0 },
          authMethod: 'client_secret_basic',
        },
        scopes: ['openid', 'email', 'repo'],
        kind: 'browser',
        choosesAccount: false,
        connectionId: undefined,
        keep: async ({ identity }) => ({ id: 'c', label: identity.accountId }),
      },
      { outbound, receiver, browserMs: 60_000, onChange: () => undefined },
    ),
  );
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(signIn.flow.authorizationUrl ?? '');
  await page.fill('input[name=login]', 'ada');
  await page.fill('input[name=password]', 'x');
  await page.click('button[type=submit]');
  await page.click('button[type=submit]:has-text("Continue")');
  await page.waitForURL(`${signIn.flow.redirectUri}*`);
  expect(await page.textContent('h1')).toBe('Harbour <Office> is connected');
  expect(await page.textContent('main')).toContain('ada@example.com');
  expect(signIn.flow).toMatchObject({ state: 'connected', missingScopes: [] });
  expect(complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
  expect(await page.evaluate('getComputedStyle(document.body).display')).toBe('grid');
}, 60_000);
