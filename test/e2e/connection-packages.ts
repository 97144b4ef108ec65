import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeArchive } from '#main/library/archive/write-archive.ts';

export const MAIL = '@harbour/mail';
export const TIDES = '@harbour/tides';
export const AGENT = '@harbour/watch';

/** Key that the service of {@link startService} takes. */
export const API_KEY = 'canary-key-7d1f90ab34ce56';

/** A service that takes any bearer and one key, and keeps what it was shown. */
export interface Service extends AsyncDisposable {
  readonly address: string;
  /** Values of `Authorization` and `X-Api-Key`, in the order they came. */
  readonly shown: readonly string[];
}

export async function startService(): Promise<Service> {
  const shown: string[] = [];
  const server = createServer(({ headers }, response) => {
    const key = headers['x-api-key'];
    const bearer = headers.authorization;
    for (const value of [key, bearer]) if (typeof value === 'string') shown.push(value);
    const isKnown = key === API_KEY || (bearer !== undefined && /^Bearer .{20}/.test(bearer));
    response.writeHead(isKnown ? 200 : 401).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shown,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const common = { schema_version: '0.2', version: '1.0.0', author: 'Harbour' };

/** Two integrations, one with OAuth and one with a key, and an agent that uses both; as dropped files. */
export async function connectionPackages(issuer: string, service: string) {
  const integrations = [
    {
      ...common,
      type: 'integration',
      name: MAIL,
      display_name: 'Harbour mail',
      description: 'Letters of the harbour office.',
      source: { kind: 'none' },
      auths: {
        oauth: {
          type: 'oauth2',
          issuer,
          device_authorization_endpoint: `${issuer}/device/auth`,
          token_endpoint_auth_method: 'client_secret_basic',
          default_scopes: ['openid', 'email', 'offline_access'],
          scope_catalog: [
            { value: 'openid', label: 'Know who you are' },
            { value: 'email', label: 'Know your address' },
            { value: 'offline_access', label: 'Stay signed in' },
            { value: 'mail.send', label: 'Send letters', description: 'In the name of the office.' },
            { value: 'calendar', label: 'Read the calendar' },
            { value: 'admin', label: 'Administer the office' },
          ],
          authorization_params: { prompt: 'consent' },
          identity_claims: { account_id: 'email' },
          delivery: {
            http: {
              in: 'header',
              name: 'Authorization',
              prefix: 'Bearer',
              value: '{$credential.access_token}',
            },
          },
          authorized_uris: [`${service}/**`],
          _meta: { 'app.slipway/redirect': { kind: 'loopback', host: '127.0.0.1', port: 0 } },
        },
      },
      _meta: { 'dev.appstrate/api': { auths: { oauth: {} } } },
      tools_policy: {
        api_call: { required_scopes: { oauth: ['mail.send'] } },
      },
      default_tools: ['api_call'],
      setup_guide: {
        callback_url_hint: 'Enter {{callback_url}} as the redirect of the app.',
        steps: [
          { label: 'Open the console of the harbour office', url: 'https://console.harbour.example/' },
          { label: 'Make an app there, and copy its id and secret.' },
        ],
      },
    },
    {
      ...common,
      type: 'integration',
      name: TIDES,
      display_name: 'Tide tables',
      description: 'Heights of the water.',
      source: { kind: 'none' },
      auths: {
        key: {
          type: 'api_key',
          credentials: {
            schema: {
              type: 'object',
              properties: {
                api_key: { type: 'string', title: 'Key', description: 'From your page at the service.' },
              },
              required: ['api_key'],
            },
          },
          delivery: { http: { in: 'header', name: 'X-Api-Key', value: '{$credential.api_key}' } },
          authorized_uris: [`${service}/**`],
        },
      },
      _meta: { 'dev.appstrate/api': { auths: { key: {} } } },
      default_tools: ['api_call'],
    },
  ];
  const agent = {
    ...common,
    type: 'agent',
    name: AGENT,
    display_name: 'Harbour watch',
    description: 'Writes when the water is high.',
    runtime_tools: ['output', 'log'],
    dependencies: { integrations: { [MAIL]: '^1.0.0', [TIDES]: '^1.0.0' } },
    integrations_configuration: { [MAIL]: { tools: ['api_call'] }, [TIDES]: { tools: ['api_call'] } },
  };
  const files = [
    ...integrations.map((manifest) => ({ manifest, content: { 'INTEGRATION.md': 'How to use it.\n' } })),
    { manifest: agent, content: { 'prompt.md': 'Look at the tide table.\n' } },
  ];
  return Promise.all(
    files.map(async ({ manifest, content }) => ({
      name: `${manifest.name.split('/')[1]}.afps`,
      bytes: await writeArchive(
        new Map(
          Object.entries({ 'manifest.json': JSON.stringify(manifest, null, 2), ...content }).map(
            ([path, text]) => [path, Buffer.from(text)],
          ),
        ),
      ),
    })),
  );
}
