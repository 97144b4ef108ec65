import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HttpOutbound } from '#main/network/index.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { logIn } from './log-in.ts';

const code = (value: string) =>
  expect.objectContaining({ problem: expect.objectContaining({ code: value }) });

const SECRET = 'p&ss"w=rd {{user}} ü';

let stack: AsyncDisposableStack;
let outbound: HttpOutbound;
let base: string;
let received: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[];
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  received = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  outbound = stack.use(
    new HttpOutbound({
      network: () => ({ proxy: { mode: 'none', address: '', exceptions: '' }, extraCertificates: '' }),
      environment: {},
    }),
  );
  answer = (response) => json(response, { token: 'tok-1', expires: 60 });
});
afterEach(() => stack.disposeAsync());

function json(response: ServerResponse, body: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

type Login = NonNullable<NonNullable<AuthMethod['connect']>['login']>;

function run(
  login: Partial<Login>,
  fields: Record<string, string> = { user: 'ada', password: SECRET },
  change: { limits?: object; authorizedUris?: string[]; allowsAllUris?: boolean } = {},
) {
  const auth = {
    type: 'custom',
    authorizedUris: change.authorizedUris ?? [`${base}/**`],
    allowsAllUris: change.allowsAllUris ?? false,
    connect: {
      login: {
        request: { method: 'post', url: `${base}/login` },
        outputs: { token: '$response.body#/token' },
        ...login,
      },
      limits: change.limits,
    },
  } as unknown as AuthMethod;
  return logIn(auth, fields, outbound, undefined);
}

describe('the request of a login', () => {
  it('carries what was typed in so that no character of it means anything', async () => {
    const url = `${base}/login/{{user}}?p={{password}}`;
    await run({ request: { method: 'post', url, body: { name: '{{user}}', secret: ['{{password}}'] } } });
    await run({
      request: {
        method: 'POST',
        url,
        content_type: 'application/x-www-form-urlencoded',
        body: 'name={{user}}&secret={{ password }}',
      },
    });
    await run({
      request: {
        method: 'POST',
        url,
        content_type: 'application/x-www-form-urlencoded',
        body: { secret: '{{password}}' },
      },
    });
    await run({
      request: { method: 'POST', url, content_type: 'application/json', body: '{"secret":"{{password}}"}' },
    });
    expect(new Set(received.map((request) => new URL(request.url, base).searchParams.get('p')))).toEqual(
      new Set([SECRET]),
    );
    const [first, second, third, fourth] = received.map(({ body }) => body);
    expect(JSON.parse(first ?? '')).toEqual({ name: 'ada', secret: [SECRET] });
    expect(Object.fromEntries(new URLSearchParams(second))).toEqual({ name: 'ada', secret: SECRET });
    expect(Object.fromEntries(new URLSearchParams(third))).toEqual({ secret: SECRET });
    expect(JSON.parse(fourth ?? '')).toEqual({ secret: SECRET });
  });

  it('is not sent with something missing, nor with a line break in a header', async () => {
    const url = `${base}/login`;
    const headers = { 'X-Key': '{{password}}' };
    await expect(run({ request: { method: 'GET', url: `${url}/{{nobody}}` } })).rejects.toEqual(
      code('login_unresolved_placeholder'),
    );
    await expect(
      run({ request: { method: 'GET', url, headers } }, { password: 'a\r\nEvil: 1' }),
    ).rejects.toEqual(code('login_invalid_config'));
    expect(received).toEqual([]);
  });

  it('goes nowhere but to the addresses of the integration', async () => {
    const typed = { request: { method: 'GET', url: '{{site}}/login' } };
    expect((await run(typed, { site: base })).outputs).toEqual({ token: 'tok-1' });
    for (const site of ['https://evil.example', `${base}@evil.example`, 'http://localhost:1']) {
      await expect(run(typed, { site })).rejects.toEqual(code('login_url_not_allowed'));
    }
    await expect(run({}, {}, { authorizedUris: ['https://api.example.com/**'] })).rejects.toEqual(
      code('login_url_not_allowed'),
    );
    await expect(run({}, {}, { authorizedUris: [], allowsAllUris: true })).rejects.toEqual(
      code('login_url_not_allowed'),
    );
    expect(received).toHaveLength(1);
  });

  it('follows no redirect', async () => {
    answer = (response) => response.writeHead(302, { location: `${base}/elsewhere` }).end();
    await expect(run({})).rejects.toEqual(code('login_bad_status'));
    expect(received).toHaveLength(1);
  });
});

describe('the answer to a login', () => {
  const claims = Buffer.from(JSON.stringify({ user: { id: 7 } })).toString('base64url');

  it('gives what the manifest names, from wherever it stands', async () => {
    answer = (response) =>
      json(
        response,
        { data: [{ 'a b': 'deep' }], jwt: `x.${claims}.y`, html: 'csrf=abc123;', expires: 60 },
        201,
        {
          'x-session': 'from-header',
          'set-cookie': ['other=1', 'sid=from=cookie; HttpOnly'],
        },
      );
    const { outputs, expiresAt, identity } = await run({
      outputs: {
        who: { from: 'jwt', token: '$outputs.jwt', path: '$.user.id' },
        jwt: '$response.body#/jwt',
        status: '$statusCode',
        header: '$response.header.X-Session',
        cookie: { from: 'cookie', name: 'sid' },
        csrf: { from: 'regex', source: '$response.body#/html', pattern: 'csrf=(\\w+)' },
        path: { context: '$response.body', selector: "$.data[0]['a b']", type: 'jsonpath' },
        pointer: { context: '$response.body', selector: '/data/0/a b', type: 'jsonpointer' },
        expires: '$response.body#/expires',
      },
      expires_in_output: 'expires',
      identity_outputs: ['who'],
    });
    expect(outputs).toMatchObject({
      who: '7',
      status: '201',
      header: 'from-header',
      cookie: 'from=cookie',
      csrf: 'abc123',
      path: 'deep',
      pointer: 'deep',
    });
    expect(identity).toEqual({ who: '7' });
    expect((expiresAt ?? 0) - Date.now()).toBeGreaterThan(50_000);
  });

  it('counts as success only where the manifest’s conditions hold', async () => {
    answer = (response) => json(response, { ok: true, token: 't', message: 'welcome' }, 400);
    const holding = [
      { condition: '$statusCode == 400' },
      { condition: "$response.body#/message == 'welcome'" },
      { condition: '$.ok', type: 'jsonpath' },
      { condition: '^wel', type: 'regex', context: '$response.body#/message' },
    ] as const;
    expect((await run({ success_criteria: [...holding] })).outputs).toEqual({ token: 't' });
    for (const criterion of [
      { condition: '$statusCode == 200' },
      { condition: '$.missing', type: 'jsonpath' },
      { condition: '^no', type: 'regex' },
      { condition: '$statusCode >= 200' },
    ] as const) {
      await expect(run({ success_criteria: [...holding, criterion] })).rejects.toEqual(
        code('login_bad_status'),
      );
    }
    await expect(run({ success_criteria: [{ condition: '//a', type: 'xpath' }] })).rejects.toEqual(
      code('login_invalid_config'),
    );
  });

  it('that lacks an output, is too long, or never ends fails for its own reason, and tells nothing of it', async () => {
    answer = (response) => json(response, { token: '', secret: 'LEAK-123456789' });
    const failed = await run({}).catch((error: unknown) => error);
    expect(failed).toEqual(code('login_extract_failed'));
    expect(JSON.stringify((failed as { problem: unknown }).problem)).not.toContain('LEAK');
    answer = (response) => json(response, { token: 'x'.repeat(2000) });
    await expect(run({}, {}, { limits: { max_response_bytes: 1000 } })).rejects.toEqual(
      code('login_response_too_large'),
    );
    answer = () => undefined;
    await expect(run({}, {}, { limits: { request_timeout_ms: 50 } })).rejects.toEqual(code('login_timeout'));
    answer = (response) => json(response, { token: 'a'.repeat(40) });
    const endless = { from: 'regex', source: '$response.body', pattern: '(a|aa)+$x' };
    await expect(run({ outputs: { token: endless } })).rejects.toEqual(code('login_extract_failed'));
  });
});
