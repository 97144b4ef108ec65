import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { CLIENT_SECRET, startAuthorizationServer } from '#test/peers/authorization-server.ts';
import { startModelProvider, stream, type Behaviour } from '#test/peers/model-provider.ts';
import { startS3, startTus } from '#test/peers/upload-services.ts';
import { searchContainer } from '#test/support/search-container.ts';
import { formsOf, searchFolder, searchText } from '#test/support/search.ts';
import { WholeApplication, turn, turnEvents } from '#test/support/whole-application.ts';

const MEBIBYTE = 1024 * 1024;
/** What stands for this computer in a sidecar; the integrations of these tests name it, as an author must. */
const HOST = 'host.docker.internal';

interface HostService extends AsyncDisposable {
  readonly port: number;
  readonly tokens: string[];
  readonly bodies: Buffer[];
}

const LARGE = `${JSON.stringify({ rows: 'x'.repeat(60_000) })}\n`;
const BINARY = randomBytes(40 * 1024);

/** A service on this computer. It takes back the first token it sees, and repeats each in its answers. */
async function startService(): Promise<HostService> {
  const tokens: string[] = [];
  const bodies: Buffer[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    bodies.push(await buffer(request));
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? 'none';
    if (!tokens.includes(token)) tokens.push(token);
    if (token === 'none' || token === tokens[0]) {
      response.writeHead(401).end(`not with ${token}`);
    } else if (request.url === '/large') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(LARGE);
    } else if (request.url === '/binary') {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(BINARY);
    } else {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token }));
    }
  };
  const server = createHttpServer((request, response) => void answer(request, response));
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    tokens,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Lets containers reach a port of loopback. */
async function forward(port: number): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer((socket) => {
    const inner = connect(port, '127.0.0.1');
    for (const end of [socket, inner]) end.on('error', () => [socket, inner].map((one) => one.destroy()));
    socket.pipe(inner).pipe(socket);
  }).listen(0, '0.0.0.0');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function importIntegration(
  whole: WholeApplication,
  name: string,
  manifest: Record<string, unknown>,
): Promise<void> {
  const folder = join(whole.folder, name.replaceAll(/\W/g, '-'));
  await mkdir(folder);
  await writeFile(
    join(folder, 'manifest.json'),
    JSON.stringify({
      name,
      version: '1.0.0',
      type: 'integration',
      schema_version: '0.2',
      display_name: name.slice(6),
      source: { kind: 'none' },
      default_tools: ['api_call'],
      ...manifest,
    }),
  );
  const { packages } = whole.application;
  const preview = await packages.previewImport({ kind: 'folder', path: folder }, AbortSignal.timeout(30_000));
  expect(preview.problems).toEqual([]);
  const { problems } = await packages.commitImport(
    preview.token,
    preview.items.map(({ id }) => ({ id, as: 'version' as const })),
  );
  expect(problems).toEqual([]);
}

const header = (name: string, prefix: string | undefined, field: string) => ({
  http: { in: 'header', name, ...(prefix && { prefix }), value: `{$credential.${field}}` },
});

describe('a run that calls services', () => {
  it('acts with accounts whose secrets are found nowhere, and moves files of any size', async () => {
    await using service = await startService();
    await using s3 = await startS3();
    await using tus = await startTus();
    await using s3Port = await forward(s3.port);
    await using tusPort = await forward(tus.port);
    await using issuer = await startAuthorizationServer();
    await using provider = await startModelProvider({ vendor: 'compatible' });
    await using whole = await WholeApplication.open();
    const { application } = whole;
    const { connections } = application;
    await application.secrets.unlock('a passphrase of this test');
    const model = await whole.addProvider(provider.baseUrl);

    await importIntegration(whole, '@test/service', {
      auths: {
        oauth: {
          type: 'oauth2',
          issuer: issuer.issuer,
          default_scopes: ['openid', 'offline_access'],
          scope_catalog: [
            { value: 'openid', label: 'Who' },
            { value: 'offline_access', label: 'Later' },
          ],
          authorization_params: { prompt: 'consent' },
          delivery: header('Authorization', 'Bearer', 'access_token'),
          authorized_uris: [`http://${HOST}:${service.port}/**`, `http://${HOST}:${tusPort.port}/**`],
        },
      },
      _meta: { 'dev.appstrate/api': { auths: { oauth: { upload_protocols: ['tus'] } } } },
    });
    const keyCanary = `key-canary-${randomBytes(24).toString('hex')}`;
    await importIntegration(whole, '@test/store', {
      auths: {
        key: {
          type: 'api_key',
          credentials: { schema: { type: 'object', properties: { api_key: { type: 'string' } } } },
          delivery: header('X-Api-Key', undefined, 'api_key'),
          authorized_uris: [`http://${HOST}:${s3Port.port}/**`],
        },
      },
      _meta: { 'dev.appstrate/api': { auths: { key: { upload_protocols: ['s3-multipart'] } } } },
    });
    const agent = await whole.writeAgent({
      dependencies: { integrations: { '@test/service': '^1.0.0', '@test/store': '^1.0.0' } },
    });

    // Before anything is connected, a run is refused with what is missing.
    await expect(whole.start(agent, model)).rejects.toMatchObject({
      problem: {
        code: 'missing_integration_connection',
        causes: [
          { code: 'not_connected', pointer: '/connections/@test~1service' },
          { code: 'not_connected', pointer: '/connections/@test~1store' },
        ],
      },
    });
    const reference = { integrationId: '@test/service', authKey: 'oauth' };
    await connections.saveClient({
      ...reference,
      clientId: 'basic',
      clientSecret: CLIENT_SECRET,
      isPublic: false,
    });
    const flow = await connections.connect(reference);
    await fetch(await issuer.visit(flow.authorizationUrl ?? '', { login: 'ada' }));
    await connections.create({
      integrationId: '@test/store',
      authKey: 'key',
      fields: { api_key: keyCanary },
    });

    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const waiting: Behaviour = async (response, request) => {
      asked.resolve();
      await go.promise;
      await stream(...turnEvents('Done.'))(response, request);
    };
    const url = (port: number, path: string) => `http://${HOST}:${port}${path}`;
    const call = (path: string, more: object = {}) => ({
      tool: 'test_service__api_call',
      input: { target: url(service.port, path), ...more },
    });
    const lookAround = [
      'mkdir -p outputs',
      'head -c 12582912 /dev/urandom > big.bin',
      'printf hello > small.txt',
      'sha256sum big.bin > outputs/sum.txt',
      "awk -F: 'NR>2{print $1}' /proc/net/dev > outputs/interfaces.txt",
      'env > outputs/env.txt',
      `(timeout 2 bash -c "echo > /dev/tcp/172.17.0.1/${service.port}" && echo reached || echo unreached) > outputs/host.txt 2>/dev/null`,
    ].join('; ');
    provider.answer(
      turn([{ tool: 'bash', input: { command: lookAround } }]),
      turn([call('/small?key={{access_token}}')]),
      turn([call('/large'), call('/binary', { responseMode: { toFile: 'outputs/picture.bin' } })]),
      turn([
        call('/echo', { method: 'POST', body: { fromFile: 'small.txt' } }),
        { tool: 'test_service__api_call', input: { target: 'http://example.com/' } },
        { tool: 'test_service__api_call', input: { target: url(1, '/') } },
      ]),
      turn([
        {
          tool: 'test_service__api_upload',
          input: { target: url(tusPort.port, '/files'), fromFile: 'big.bin', uploadProtocol: 'tus' },
        },
        {
          tool: 'test_store__api_upload',
          input: {
            target: url(s3Port.port, '/bucket/folder/big.bin'),
            fromFile: 'big.bin',
            uploadProtocol: 's3-multipart',
          },
        },
      ]),
      turn([{ tool: 'bash', input: { command: 'ls resources | wc -l > outputs/spilled.txt' } }]),
      waiting,
    );
    const runId = await whole.start(agent, model);
    await Promise.race([
      asked.promise,
      application.runs.ended(runId).then(() => {
        throw new Error(JSON.stringify(application.runs.get(runId).summary.problem));
      }),
    ]);
    // The first token was refused, another was got once, and served every call after it.
    expect(service.tokens).toHaveLength(2);
    const refreshes = issuer.tokenRequests.filter(({ body }) => body.get('grant_type') === 'refresh_token');
    expect(refreshes).toHaveLength(1);
    const needles = {
      firstToken: formsOf(service.tokens[0] ?? ''),
      secondToken: formsOf(service.tokens[1] ?? ''),
      refreshToken: formsOf(refreshes[0]?.body.get('refresh_token') ?? ''),
      clientSecret: formsOf(CLIENT_SECRET),
      key: formsOf(keyCanary),
    };
    const containers = await whole.containers();
    const nowhere = { inspection: [], fileSystem: [], processes: [], memoryFolders: [] };
    for (const id of containers.values()) expect(await searchContainer(id, needles)).toEqual(nowhere);

    go.resolve();
    const { detail, events } = await whole.record(runId);
    expect(detail.summary).toMatchObject({ status: 'success' });
    // In the order of the calls: those of one turn end in any.
    const ended = new Map(
      events.flatMap(({ data }) => (data.type === 'tool.ended' ? [[data.callId, data] as const] : [])),
    );
    const results = events.flatMap(({ data }) => {
      if (data.type !== 'tool.started' || !data.tool.startsWith('test_')) return [];
      const content = ended.get(data.callId)?.content ?? [];
      return [content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n')];
    });
    const [small = '', large = '', picture = '', echo = '', elsewhere = '', closed = '', toTus, toS3] =
      results;
    expect(small).toMatch(/^\[api_call status=200\]\n\{"token":"\{\{access_token\}\}"\}/);
    expect(large).toMatch(/^\[api_call status=200\]/);
    expect(JSON.parse(picture)).toMatchObject({ kind: 'file', size: BINARY.length, status: 200 });
    expect(echo).toContain('status=200');
    expect(elsewhere).toContain('code=unauthorized_target');
    expect(closed).toContain('code=unauthorized_target');
    expect(service.bodies.map(String)).toContain('hello');

    const kept = async (path: string) =>
      readFile(join(application.runs.outputFolder(runId), path)).then((bytes) => bytes);
    const [sum = ''] = String(await kept('sum.txt')).split(' ');
    expect(JSON.parse(toTus ?? '')).toMatchObject({ ok: true, sha256: sum, size: 12 * MEBIBYTE });
    expect(JSON.parse(toS3 ?? '')).toMatchObject({ ok: true, sha256: sum, chunks: 3 });
    const stored = await Promise.all(
      (await readdir(tus.folder)).map(async (name) => hashOf(await readFile(join(tus.folder, name)))),
    );
    expect(stored).toContain(sum);
    const object = await fetch(`http://127.0.0.1:${s3.port}/bucket/folder/big.bin`);
    expect(hashOf(new Uint8Array(await object.arrayBuffer()))).toBe(sum);
    expect(await kept('picture.bin')).toEqual(BINARY);
    expect(String(await kept('interfaces.txt')).trim()).toBe('lo');
    expect(String(await kept('host.txt')).trim()).toBe('unreached');
    expect(String(await kept('spilled.txt')).trim()).toBe('1');

    // The audit has every request, by whom and by which rule, and the one that was refused.
    const audit = application.runs.calls(runId, {}, { after: 0, limit: 500 });
    expect(audit.total).toBe(detail.summary.callCount);
    expect(audit.calls[0]).toMatchObject({
      integrationId: '@test/service',
      connectionLabel: connections.state().connections.find(({ authKey }) => authKey === 'oauth')?.label,
      method: 'GET',
      url: url(service.port, '/small'),
      status: 401,
      rule: `http://${HOST}:${service.port}/**`,
    });
    expect(audit.calls[1]).toMatchObject({ status: 200 });
    const refused = application.runs.calls(runId, { outcome: 'unsent' }, { after: 0, limit: 500 });
    expect(refused.calls.map(({ code }) => code)).toEqual(['unauthorized_target', 'unauthorized_target']);
    const exported = application.runs.exportCalls(runId, {}, 'csv').text;
    expect(exported.split('\r\n')).toHaveLength(audit.total + 2);

    // The spilled result is kept with the run, byte for byte.
    const spilled = events.flatMap(({ data }) => (data.type === 'resource.spilled' ? [data] : []));
    expect(spilled).toMatchObject([{ mediaType: 'application/json', size: LARGE.length }]);
    const name = spilled[0]?.path.replace('resources/', '') ?? '';
    const resource = await application.runs.openOutput(runId, name, 'resources');
    expect(String(await buffer(resource.stream()))).toBe(LARGE);

    const said = JSON.stringify([
      audit,
      exported,
      detail,
      events,
      connections.state(),
      await connections.describe('@test/service'),
      provider.requests,
    ]);
    expect(await searchText(said, needles)).toEqual([]);
    // The database with its journal, the vault, the logs and the run's files.
    expect((await searchFolder(whole.folder, needles)).found).toEqual([]);
    expect(await whole.containers()).toEqual(new Map());
    expect(await whole.volumes()).toEqual([]);
  });
});

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
