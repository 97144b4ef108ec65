import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { headerOf } from '#main/sidecar/test-support/services.ts';
import { callFailureCodeSchema } from '#shared/tools/call-failure.ts';
import { CredentialProxy, type CredentialProxyOptions } from './credential-proxy.ts';
import { connectServices, INTEGRATION, type ConnectedServices } from './test-support/connected-services.ts';

const KEY = `canary-${randomBytes(18).toString('hex')}`;

let stack: AsyncDisposableStack;
let services: ConnectedServices;
let proxy: CredentialProxy;
let answer: Parameters<typeof connectServices>[0];

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  answer = ({ method, url }, response) => {
    response.setHeader('content-type', 'text/plain');
    response.end(method === 'HEAD' ? undefined : `${method} ${url}`);
  };
  services = stack.use(await connectServices((request, response) => answer(request, response)));
  await services.connect(KEY, 'Work');
  proxy = await start();
});
afterEach(() => stack.disposeAsync());

async function start(options: Partial<CredentialProxyOptions> = {}): Promise<CredentialProxy> {
  const { limits, network } = services;
  return stack.use(await CredentialProxy.start({ ...services.options, limits, network, ...options }));
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Sends as a script would: Node's own client, so that any header can be set. */
async function send(
  target: string,
  {
    method = 'GET',
    headers = {},
    body,
    at = proxy.url,
    token = proxy.token,
  }: {
    method?: string;
    headers?: OutgoingHttpHeaders;
    body?: string | Buffer;
    at?: string;
    token?: string | undefined;
  } = {},
): Promise<Answer> {
  const outgoing = httpRequest(at, {
    method,
    agent: false,
    headers: {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      'x-integration-id': INTEGRATION,
      'x-target': target,
      ...headers,
    },
  });
  // A refusal may come before all of the body has gone.
  outgoing.on('error', () => undefined);
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: Buffer.concat(pieces).toString(),
  };
}

const problemOf = ({ text }: Answer) => JSON.parse(text) as Record<string, unknown>;

describe('a request through the proxy', () => {
  it('goes out with the credential, and its answer comes back with what a model would see', async () => {
    answer = (_request, response) => {
      response.writeHead(201, {
        'content-type': 'application/json',
        'set-cookie': 'session=hidden',
        'x-internal': 'hidden',
        etag: '"1"',
      });
      response.end('{"made":true}');
    };
    const result = await send(`${services.api}/open/things?x=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-run-id': 'r1', 'x-own': 'kept' },
      body: '{"a":1}',
    });
    expect(result).toMatchObject({ status: 201, text: '{"made":true}' });
    expect(result.headers).toMatchObject({ 'x-api-call': '[api_call status=201]', etag: '"1"' });
    expect(JSON.stringify(result)).not.toMatch(/hidden/);
    const [received] = services.service.received;
    expect(received).toMatchObject({ method: 'POST', url: '/open/things?x=1' });
    expect(received?.body.toString()).toBe('{"a":1}');
    expect(headerOf(received!, 'x-api-key')).toBe(KEY);
    expect(headerOf(received!, 'x-own')).toBe('kept');
    for (const name of ['authorization', 'x-target', 'x-integration-id', 'x-run-id']) {
      expect({ name, value: headerOf(received!, name) }).toEqual({ name, value: undefined });
    }
    expect(services.outbound).toMatchObject([
      { method: 'POST', url: `${services.api}/open/things`, status: 201, rule: `${services.api}/open/**` },
    ]);
  });

  it('keeps every byte of a binary body, both ways', async () => {
    const bytes = randomBytes(300_000);
    answer = ({ body }, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      response.end(body);
    };
    const outgoing = httpRequest(proxy.url, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${proxy.token}`,
        'x-integration-id': INTEGRATION,
        'x-target': `${services.api}/open/blob`,
      },
    });
    outgoing.end(bytes);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const pieces: Buffer[] = [];
    for await (const piece of response) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(services.service.received[0]?.body.equals(bytes)).toBe(true);
  });

  it.each(['GET', 'DELETE', 'HEAD', 'PATCH'])('keeps the method %s', async (method) => {
    const result = await send(`${services.api}/open/a`, { method });
    expect(result.status).toBe(200);
    expect(services.service.received[0]?.method).toBe(method);
  });

  it('passes a refusal of the service on as it is', async () => {
    answer = (_request, response) => void response.writeHead(422, { 'content-type': 'text/plain' }).end('no');
    expect(await send(`${services.api}/open/a`)).toMatchObject({ status: 422, text: 'no' });
  });

  it('puts the credential where a placeholder stands, and into a body only when asked', async () => {
    const target = `${services.api}/open/{{api_key}}`;
    const body = '{"key":"{{api_key}}"}';
    const json = { 'content-type': 'application/json' };
    await send(target, { method: 'POST', body, headers: json });
    await send(target, { method: 'POST', body, headers: { ...json, 'x-substitute-body': 'true' } });
    const [plain, filled] = services.service.received;
    expect(plain?.url).toBe(`/open/${KEY}`);
    expect(plain?.body.toString()).toBe(body);
    expect(filled?.body.toString()).toBe(`{"key":"${KEY}"}`);
  });

  it('takes no JSON of a script for a form of api_call’s own', async () => {
    const body = '{"fromFile":"/etc/passwd","multipart":[]}';
    const headers = { 'content-type': 'application/json', 'x-substitute-body': 'true' };
    expect((await send(`${services.api}/open/a`, { method: 'POST', body, headers })).status).toBe(200);
    expect(services.service.received[0]?.body.toString()).toBe(body);
  });
});

describe('the credential', () => {
  const echoes: [string, Record<string, string>, (key: string) => Buffer][] = [
    ['whole', {}, (key) => Buffer.from(`you sent ${key}, thanks`)],
    ['compressed', { 'content-encoding': 'gzip' }, (key) => gzipSync(`you sent ${key}, thanks`)],
  ];
  it.each(
    echoes.flatMap((echo) => [[...echo, {}] as const, [...echo, { 'x-stream-response': '1' }] as const]),
  )('is hidden in an answer that repeats it: %s', async (_name, headers, write, asked) => {
    answer = async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', ...headers, location: `/?k=${KEY}` });
      // In halves, so that none of the two has it.
      const bytes = write(KEY);
      response.write(bytes.subarray(0, 20));
      await delay(20);
      response.end(bytes.subarray(20));
    };
    const result = await send(`${services.api}/open/a`, { headers: asked });
    expect(result.text).toBe('you sent {{api_key}}, thanks');
    expect(JSON.stringify(result)).not.toContain(KEY);
  });

  it('stands in no problem, no audit and no log', async () => {
    const targets = [
      `${services.api}/closed/{{api_key}}`,
      `http://{{api_key}}.invalid/`,
      `${services.api}/open/{{api_key}}/{{other}}`,
    ];
    for (const target of targets) {
      const result = await send(target);
      expect({ target, status: result.status }).toEqual({
        target,
        status: expect.toSatisfy((status: number) => status >= 400),
      });
      expect(JSON.stringify(result)).not.toContain(KEY);
    }
    expect(JSON.stringify(services.outbound)).not.toContain(KEY);
    expect(services.written()).not.toContain(KEY);
    expect(services.service.received).toEqual([]);
  });
});

describe('what is refused', () => {
  const code = (value: string, status: number) => ({ code: value, status });
  it('has the codes of api_call, before anything is sent', async () => {
    const cases: [string, ReturnType<typeof code>][] = [
      [`${services.api}/closed`, code('unauthorized_target', 403)],
      [`${services.api}/open/../closed`, code('unauthorized_target', 403)],
      ['https://api.example.com/', code('unauthorized_target', 403)],
      ['nonsense', code('unauthorized_target', 403)],
    ];
    for (const [target, expected] of cases) {
      const result = await send(target);
      const problem = problemOf(result);
      expect({ target, status: result.status }).toEqual({ target, status: expected.status });
      expect(callFailureCodeSchema.options).toContain(problem['code']);
      expect(result.headers['x-api-call']).toBe(`[api_call status=0 code=${String(problem['code'])}]`);
    }
    const allAllowed = { auths: { key: { ...KEY_AUTH, allow_all_uris: true, authorized_uris: [] } } };
    services.edit(allAllowed);
    for (const [target, expected] of [
      ['http://169.254.169.254/latest', 'blocked_target'],
      ['http://127.0.0.1:1/', 'blocked_target'],
      ['http://localhost/', 'blocked_target'],
      ['https://example.com/{{api_key}}', 'credential_exfiltration_refused'],
      ['http://no-such-name.invalid/', 'upstream_unresolvable'],
    ] as const) {
      expect({ target, code: problemOf(await send(target))['code'] }).toEqual({ target, code: expected });
    }
    expect(services.service.received).toEqual([]);
  });

  it('is a redirect out of what is allowed', async () => {
    answer = (_request, response) => void response.writeHead(302, { location: '/closed' }).end();
    expect(problemOf(await send(`${services.api}/open/a`))).toMatchObject({ code: 'unauthorized_target' });
    expect(services.service.received).toHaveLength(1);
  });

  it('is a service that does not answer', async () => {
    answer = (_request, response) => void response.socket?.destroy();
    const result = await send(`${services.api}/open/a`);
    expect(result.status).toBe(502);
    expect(problemOf(result)).toMatchObject({ code: 'upstream_unreachable' });
  });

  it('is a connection whose credential is gone', async () => {
    const [{ id } = { id: '' }] = services.connections.state().connections;
    await services.connections.remove(id);
    expect(problemOf(await send(`${services.api}/open/a`))).toMatchObject({ code: 'not_connected' });
  });

  it.each<[string, { token?: string; headers?: OutgoingHttpHeaders; at?: (url: string) => string }, number]>([
    ['no token', { token: '' }, 401],
    ['another token', { token: 'x'.repeat(43) }, 401],
    ['a page whose name was led here', { headers: { host: 'attacker.example' } }, 403],
    ['a page of a browser', { headers: { origin: 'https://attacker.example' } }, 403],
    ['another path', { at: (url) => url.replace('/proxy', '/other') }, 404],
    ['no target', { headers: { 'x-target': '' } }, 400],
    ['a session that is no UUID', { headers: { 'x-session-id': 'mine' } }, 400],
    ['a size that is none', { headers: { 'x-max-response-size': '1e3' } }, 400],
    ['a reserved header', { headers: { 'x-truncated': '1' } }, 400],
    ['another integration', { headers: { 'x-integration-id': '@test/none' } }, 404],
    ['another connection', { headers: { 'x-connection-id': randomUUID() } }, 404],
  ])('is %s', async (_name, { token, headers = {}, at }, status) => {
    const result = await send(`${services.api}/open/a`, {
      headers,
      ...(token !== undefined && { token }),
      ...(at && { at: at(proxy.url) }),
    });
    expect(result.status).toBe(status);
    expect(result.headers['content-type']).toBe('application/problem+json');
    expect(services.service.received).toEqual([]);
  });

  it('is a body on GET, and one above the limit unless streaming is asked for', async () => {
    const large = Buffer.alloc(services.limits.maxRequestBodyBytes + 1, 'x');
    const target = `${services.api}/open/a`;
    expect((await send(target, { method: 'GET', body: 'x' })).status).toBe(400);
    expect((await send(target, { method: 'POST', body: large })).status).toBe(413);
    expect(services.service.received).toEqual([]);
    const allowed = await send(target, {
      method: 'POST',
      body: large,
      headers: { 'x-stream-request': '1' },
    });
    expect(allowed.status).toBe(200);
    expect(services.service.received[0]?.body.length).toBe(large.length);
  });

  it('is every port but the one of the loopback interface', async () => {
    const { port } = new URL(proxy.url);
    const other = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
    if (other === undefined) return;
    await expect(fetch(`http://${other}:${port}/`)).rejects.toThrow('fetch failed');
  });

  it('is a port that is taken', async () => {
    const port = Number(new URL(proxy.url).port);
    await expect(start({ port })).rejects.toMatchObject({ problem: { code: 'port_unusable' } });
  });
});

const KEY_AUTH = {
  type: 'api_key',
  credentials: { schema: { type: 'object', properties: { api_key: { type: 'string' } } } },
  delivery: { http: { in: 'header', name: 'X-Api-Key', value: '{$credential.api_key}' } },
};

it('asks which account where there are several, and keeps their cookies and sessions apart', async () => {
  const second = await services.connect('second-key-000000', 'Home');
  const [first] = services.connections.state().connections.filter(({ label }) => label === 'Work');
  const target = `${services.api}/open/a`;
  const unsure = await send(target);
  expect(unsure.status).toBe(409);
  expect(problemOf(unsure)['causes']).toEqual(
    expect.arrayContaining([
      { code: second, detail: 'Home' },
      { code: first?.id, detail: 'Work' },
    ]),
  );
  answer = ({ headers }, response) => {
    response.writeHead(200, {
      'content-type': 'text/plain',
      'set-cookie': `who=${String(headers['x-api-key'])}`,
    });
    response.end(headers.cookie ?? 'none');
  };
  const call = async (connectionId: string | undefined, sessionId?: string) => {
    const headers = { 'x-connection-id': connectionId, ...(sessionId && { 'x-session-id': sessionId }) };
    return (await send(target, { headers })).text;
  };
  const session = randomUUID();
  expect(await call(second)).toBe('none');
  expect(await call(first?.id)).toBe('none');
  expect(await call(second)).toContain('who=');
  expect(await call(second, session)).toBe('none');
  expect(await call(second, session.toUpperCase())).toContain('who=');
});

it('cuts what is above the size that was asked for, and says so', async () => {
  answer = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(5000));
  const result = await send(`${services.api}/open/a`, { headers: { 'x-max-response-size': '1000' } });
  expect(result.text).toHaveLength(1000);
  expect(result.headers).toMatchObject({ 'x-truncated': 'true', 'content-length': '1000' });
});

it('streams a large answer as it comes, and cuts one above the ceiling', async () => {
  const piece = Buffer.alloc(1024 * 1024, 'x');
  let pieces = 40;
  answer = async (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    await pipeline(Readable.from(Array.from({ length: pieces }, () => piece)), response);
  };
  const headers = { 'x-stream-response': '1' };
  expect((await send(`${services.api}/open/a`, { headers })).text).toHaveLength(40 * piece.length);
  pieces = 120;
  await expect(send(`${services.api}/open/a`, { headers })).rejects.toThrow('aborted');
});

it('lets go of a call whose script has gone, and of everything when it is closed', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  answer = (_request, response) => {
    response.on('close', resolve);
    reach();
  };
  const outgoing = httpRequest(proxy.url, {
    headers: {
      authorization: `Bearer ${proxy.token}`,
      'x-integration-id': INTEGRATION,
      'x-target': `${services.api}/open/hang`,
    },
  });
  outgoing.on('error', () => undefined);
  outgoing.end();
  await reached;
  outgoing.destroy();
  await closed;
  await proxy[Symbol.asyncDispose]();
  await expect(fetch(proxy.url)).rejects.toThrow('fetch failed');
});
