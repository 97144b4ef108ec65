import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocketServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EndpointEnvironment } from './endpoint.ts';
import { describeFailure, findDockerEngine } from './find-engine.ts';

const never = new AbortController().signal;
const candidate = { origin: 'x', address: '/x.sock', target: { kind: 'socket', path: '/x.sock' } } as const;

let folder: string;
let servers: Server[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-find-'));
  servers = [];
});

afterEach(async () => {
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  await rm(folder, { recursive: true });
});

async function listen(server: Server, name: string): Promise<string> {
  const path = join(folder, name);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  servers.push(server);
  return path;
}

function engine(answers: Record<string, unknown>): RequestListener {
  return (request, response) => {
    const path = new URL(request.url ?? '/', 'http://engine').pathname;
    const answer = path === '/_ping' ? 'OK' : answers[path];
    response.statusCode = answer === undefined ? 404 : 200;
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? {}));
  };
}

/** An environment with one place to look: every other is in a home that does not exist. */
function lookAt(path: string): EndpointEnvironment {
  return {
    platform: 'win32',
    home: '/nonexistent',
    variables: { DOCKER_HOST: `unix://${path}` },
    userId: undefined,
    readText: () => Promise.resolve(undefined),
  };
}

const version = { Version: '29.0.0', ApiVersion: '1.52', Components: [{ Name: 'Engine' }] };
const info = {
  ID: 'ID',
  OSType: 'linux',
  OperatingSystem: 'Docker Desktop',
  NCPU: 8,
  Runtimes: { runsc: {} },
};

describe('findDockerEngine', () => {
  it('takes an engine that answers and says what it is', async () => {
    const path = await listen(createServer(engine({ '/version': version, '/info': info })), 'a.sock');
    const { found, attempts } = await findDockerEngine(lookAt(path), never);
    found?.client[Symbol.dispose]();
    expect(found?.identity).toEqual({
      id: 'ID',
      name: 'Docker Desktop',
      version: '29.0.0',
      runtimes: ['runsc'],
      podman: false,
      cpus: 8,
    });
    expect(attempts[0]).toMatchObject({ origin: 'DOCKER_HOST', outcome: 'answered' });
    expect(attempts.slice(1).every(({ outcome }) => outcome === 'not_tried')).toBe(true);
  });

  it.each([
    [
      'Windows containers',
      { '/version': version, '/info': { ...info, OSType: 'windows' } },
      /Linux containers/,
    ],
    ['an API too old', { '/version': { ...version, ApiVersion: '1.38' }, '/info': info }, /too old/],
    ['another service', {}, /not with Docker's API|not as an engine/],
  ])('does not take %s', async (_name, answers, detail) => {
    const path = await listen(createServer(engine(answers)), 'a.sock');
    const { found, attempts } = await findDockerEngine(lookAt(path), never);
    expect(found).toBeUndefined();
    expect(attempts[0]?.outcome).toBe('unusable');
    expect(attempts[0]?.detail).toMatch(detail);
  });

  it('gives up on an engine that takes the connection and says nothing', async () => {
    const path = await listen(
      createSocketServer((socket) => socket.resume()),
      'a.sock',
    );
    const { attempts } = await findDockerEngine(lookAt(path), never);
    expect(attempts[0]).toMatchObject({ outcome: 'timed_out' });
  });

  it('tells a socket that is missing from one that nobody listens on and from a plain file', async () => {
    const missing = await findDockerEngine(lookAt(join(folder, 'none.sock')), never);
    expect(missing.attempts[0]).toMatchObject({ outcome: 'absent' });
    await writeFile(join(folder, 'file.sock'), '');
    const file = await findDockerEngine(lookAt(join(folder, 'file.sock')), never);
    expect(file.attempts[0]?.outcome).toBe('refused');
  });

  it('is not hindered by a DOCKER_HOST of the process that the client library cannot read', async () => {
    const before = process.env['DOCKER_HOST'];
    process.env['DOCKER_HOST'] = 'tcp://[broken';
    try {
      const path = await listen(createServer(engine({ '/version': version, '/info': info })), 'a.sock');
      const { found } = await findDockerEngine(lookAt(path), never);
      found?.client[Symbol.dispose]();
      expect(found?.address).toBe(`unix://${path}`);
      expect(process.env['DOCKER_HOST']).toBe('tcp://[broken');
    } finally {
      if (before === undefined) delete process.env['DOCKER_HOST'];
      else process.env['DOCKER_HOST'] = before;
    }
  });
});

describe('describeFailure', () => {
  const failure = (code: string): Error => Object.assign(new Error(code), { code });

  it('says how to be let in where a socket may not be used', () => {
    const refused = describeFailure(candidate, 'linux', failure('EACCES'));
    expect(refused).toMatchObject({ outcome: 'refused' });
    expect(refused.detail).toContain('usermod -aG docker');
    expect(describeFailure(candidate, 'darwin', failure('EACCES')).detail).not.toContain('usermod');
  });

  it.each([
    ['ENOENT', 'absent'],
    ['ECONNREFUSED', 'refused'],
    ['ENOTFOUND', 'absent'],
    ['ETIMEDOUT', 'timed_out'],
    ['HPE_INVALID_CONSTANT', 'unusable'],
  ])('counts %s as %s', (code, outcome) => {
    expect(describeFailure(candidate, 'linux', failure(code)).outcome).toBe(outcome);
  });
});
