import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore } from '@tus/file-store';
import { Server as TusServer } from '@tus/server';

/** The service that the benchmark of calls speaks to, in a process of its own; tells its port to its parent. */

/** What a service near by takes to answer. */
const SLOW_MS = 20;
const SMALL = JSON.stringify({ rows: 'x'.repeat(1000) });
const LARGE = Buffer.alloc(30 * 1024 * 1024, 7);

const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-tus-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const tus = new TusServer({ path: '/files', datastore: new FileStore({ directory: folder }) });

const server = createServer((request, response) => {
  if (request.url === '/large') {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': LARGE.length });
    response.end(LARGE);
  } else if (request.url === '/slow') {
    request.resume();
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(SMALL);
    }, SLOW_MS);
  } else if (request.url?.startsWith('/files') === true) {
    void tus.handle(request, response);
  } else {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end(SMALL);
  }
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit(0));
