import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore } from '@tus/file-store';
import { Server as TusServer } from '@tus/server';
import S3rver from 's3rver';

/** A service on loopback that files are uploaded to. */
export interface UploadPeer extends AsyncDisposable {
  readonly port: number;
  readonly requests: { method: string; url: string; headers: IncomingMessage['headers'] }[];
  /** Answers a request in the service's place; it sees the count of requests so far, from 1. */
  interfere: ((request: IncomingMessage, response: ServerResponse, count: number) => boolean) | undefined;
}

type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** Tells a breach of the protocol to the test, by an answer that no client takes for success. */
class Breach extends Error {}

async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
  cleanUp: () => Promise<void> = async () => undefined,
): Promise<UploadPeer> {
  const requests: UploadPeer['requests'] = [];
  const server = createServer((request, response) => {
    const entry = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
    };
    requests.push(entry);
    if (peer.interfere?.(request, response, requests.length) === true) {
      request.resume();
      return;
    }
    void handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const peer: UploadPeer = {
    port: (server.address() as AddressInfo).port,
    requests,
    interfere: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await cleanUp();
    },
  };
  return peer;
}

/** Hands the whole body over, and answers a breach with 400. */
function whole(handler: Handler): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    try {
      handler(request, response, Buffer.concat(pieces));
    } catch (error) {
      if (!(error instanceof Breach)) throw error;
      response.writeHead(400, { 'content-type': 'text/plain' }).end(`breach: ${error.message}`);
    }
  };
}

function demand(isKept: boolean, message: string): asserts isKept {
  if (!isKept) throw new Breach(message);
}

/** The tus project's own server, over files. */
export async function startTus(): Promise<UploadPeer & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-tus-'));
  const tus = new TusServer({ path: '/files', datastore: new FileStore({ directory: folder }) });
  const peer = await listen(
    (request, response) => tus.handle(request, response),
    () => rm(folder, { recursive: true, force: true }),
  );
  return Object.assign(peer, { folder });
}

/** What a fake has been given. */
export interface FakeUploads extends UploadPeer {
  /** Whole files, by what they were announced with. */
  readonly files: { readonly announced: Readonly<Record<string, unknown>>; readonly bytes: Buffer }[];
  /** Sessions that are neither whole nor discarded. */
  readonly openSessions: () => number;
  /** Bytes of the next chunk that are kept, where it is not all of them. */
  keepOnly: number | undefined;
}

interface Session {
  readonly announced: Record<string, unknown>;
  total: number | undefined;
  bytes: Buffer;
}

const GOOGLE_UNIT = 256 * 1024;

/**
 * Google's resumable uploads, as "Perform a resumable upload" of the Drive API describes them: strict in
 * sizes and ranges, and in that every request carries the token.
 */
export async function startGoogleUploads(token: string): Promise<FakeUploads> {
  const sessions = new Map<string, Session>();
  const files: FakeUploads['files'] = [];
  const peer = (await listen(
    whole((request, response, body) => {
      const { method, headers } = request;
      const url = new URL(request.url ?? '/', `http://${headers.host}`);
      if (headers.authorization !== `Bearer ${token}`) {
        response.writeHead(401).end();
        return;
      }
      if (method === 'POST') {
        demand(url.searchParams.get('uploadType') === 'resumable', 'uploadType must be resumable');
        demand(headers['content-type'] === 'application/json; charset=UTF-8', 'the metadata must be JSON');
        const id = `session-${sessions.size + 1}`;
        const length = headers['x-upload-content-length'];
        const type = headers['x-upload-content-type'];
        const announced = { ...(JSON.parse(body.toString()) as object), ...(type !== undefined && { type }) };
        sessions.set(id, {
          announced,
          total: length === undefined ? undefined : Number(length),
          bytes: Buffer.alloc(0),
        });
        const location = `${url.origin}${url.pathname}?uploadType=resumable&upload_id=${id}`;
        response.writeHead(200, { location, 'content-length': 0 }).end();
        return;
      }
      const id = url.searchParams.get('upload_id') ?? '';
      const session = sessions.get(id);
      if (session === undefined) {
        response.writeHead(404).end();
        return;
      }
      if (method === 'DELETE') {
        sessions.delete(id);
        // What Google answers to a discarded session.
        response.writeHead(499).end();
        return;
      }
      demand(method === 'PUT', 'chunks are PUT');
      const range = String(headers['content-range']);
      const asked = /^bytes \*\/(\d+)$/.exec(range);
      if (asked === null) {
        const [, start, end, total] = (/^bytes (\d+)-(\d+)\/(\d+)$/.exec(range) ?? []).map(Number);
        demand(start !== undefined && end !== undefined && total !== undefined, `no range: ${range}`);
        demand(session.total === undefined || total === session.total, 'the total has changed');
        demand(body.length === end - start + 1, 'the range does not fit the bytes');
        demand(start === session.bytes.length, `expected ${session.bytes.length}, got ${start}`);
        const isLast = end + 1 === total;
        demand(isLast || body.length % GOOGLE_UNIT === 0, 'chunks are multiples of 256 KiB');
        session.total = total;
        session.bytes = Buffer.concat([session.bytes, body.subarray(0, peer.keepOnly ?? body.length)]);
        peer.keepOnly = undefined;
      }
      if (session.bytes.length === session.total) {
        // Whoever asks later is told the same.
        if (!files.some(({ bytes }) => bytes === session.bytes)) {
          files.push({ announced: session.announced, bytes: session.bytes });
        }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: 'file-1' }));
        return;
      }
      const last = session.bytes.length - 1;
      response.writeHead(308, { 'content-length': 0, ...(last >= 0 && { range: `bytes=0-${last}` }) }).end();
    }),
  )) as FakeUploads;
  return Object.assign(peer, {
    files,
    keepOnly: undefined,
    openSessions: () => [...sessions.values()].filter(({ total, bytes }) => bytes.length !== total).length,
  });
}

const GRAPH_UNIT = 320 * 1024;

/**
 * Microsoft Graph's upload sessions, as "driveItem: createUploadSession" describes them: the session's
 * address authorises by itself, and a token on it is an error.
 */
export async function startGraphUploads(token: string): Promise<FakeUploads> {
  const sessions = new Map<string, Session>();
  const files: FakeUploads['files'] = [];
  const peer = (await listen(
    whole((request, response, body) => {
      const { method, headers } = request;
      const url = new URL(request.url ?? '/', `http://${headers.host}`);
      const json = (status: number, value: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (method === 'POST' && url.pathname.endsWith('/createUploadSession')) {
        if (headers.authorization !== `Bearer ${token}`) return void json(401, { error: {} });
        const id = `up-${sessions.size + 1}`;
        const announced = JSON.parse(body.toString()) as Record<string, unknown>;
        demand('item' in announced, 'the body must have an item');
        sessions.set(id, { announced, total: undefined, bytes: Buffer.alloc(0) });
        const uploadUrl = `http://upload.example.com:${peer.port}/sessions/${id}?tempauth=secret`;
        return void json(200, {
          uploadUrl,
          expirationDateTime: '2099-01-01T00:00:00Z',
          nextExpectedRanges: ['0-'],
        });
      }
      const id = url.pathname.split('/').at(-1) ?? '';
      const session = sessions.get(id);
      if (headers.authorization !== undefined || url.searchParams.get('tempauth') !== 'secret') {
        return void json(401, { error: { message: 'The address authorises by itself.' } });
      }
      if (session === undefined) return void json(404, { error: {} });
      if (method === 'DELETE') {
        sessions.delete(id);
        return void response.writeHead(204).end();
      }
      const expected = () => ({ nextExpectedRanges: [`${session.bytes.length}-`] });
      if (method === 'GET') return void json(200, expected());
      demand(method === 'PUT', 'fragments are PUT');
      const [, start, end, total] = (
        /^bytes (\d+)-(\d+)\/(\d+)$/.exec(String(headers['content-range'])) ?? []
      ).map(Number);
      demand(start !== undefined && end !== undefined && total !== undefined, 'no range');
      demand(body.length === end - start + 1, 'the range does not fit the bytes');
      if (start !== session.bytes.length) return void json(416, { error: {} });
      const isLast = end + 1 === total;
      demand(isLast || body.length % GRAPH_UNIT === 0, 'fragments are multiples of 320 KiB');
      demand(body.length < 60 * 1024 * 1024 + 1, 'fragments have at most 60 MiB');
      session.bytes = Buffer.concat([session.bytes, body.subarray(0, peer.keepOnly ?? body.length)]);
      peer.keepOnly = undefined;
      if (session.bytes.length < total) return void json(202, expected());
      sessions.delete(id);
      files.push({ announced: session.announced, bytes: session.bytes });
      return void json(201, { id: 'item-1', size: total });
    }),
  )) as FakeUploads;
  return Object.assign(peer, { files, keepOnly: undefined, openSessions: () => sessions.size });
}

/** An S3-compatible store over files, with the bucket `bucket`. */
export async function startS3(): Promise<UploadPeer> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-s3-'));
  const store = new S3rver({
    directory: folder,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: 'bucket' }],
    allowMismatchedSignatures: true,
  });
  await store.configureBuckets();
  const middleware = store.getMiddleware();
  return listen(
    (request, response) => middleware(request, response),
    () => rm(folder, { recursive: true, force: true }),
  );
}
