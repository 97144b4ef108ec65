import { PassThrough } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { sidecarMainSide, sidecarSide } from '#shared/protocol/sidecar.ts';
import { connectProgram } from './program-connection.ts';

const disposables: Disposable[] = [];
afterEach(() => {
  for (const disposable of disposables.splice(0)) disposable[Symbol.dispose]();
});

/** A connection to a program that says whatever a test writes. */
function connectTo() {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const faults: string[] = [];
  const connection = connectProgram({
    streams,
    own: sidecarMainSide,
    program: sidecarSide,
    name: 'the sidecar',
    onFault: (detail) => faults.push(detail),
  });
  disposables.push(connection);
  connection.listen();
  return { connection, streams, faults };
}

function notification(method: string, params: object): string {
  const body = JSON.stringify({ jsonrpc: '2.0', method, params });
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const logged = notification('event', { event: { type: 'log.written', level: 'info', message: 'x' } });

it('hears a program no more that keeps breaking the contract, and does not fill the log with it', async () => {
  const { connection, streams, faults } = connectTo();
  let heard = 0;
  connection.peer.on('event', () => (heard += 1));
  streams.stdout.write(logged);
  streams.stdout.write(notification('unheard', {}).repeat(10_000));
  await connection.peer.closed;
  expect([heard, faults.length]).toEqual([1, 50]);
  expect(streams.stdout.destroyed).toBe(true);
});

it('forgives a fault', async () => {
  const { connection, streams, faults } = connectTo();
  const heard = Promise.withResolvers<void>();
  connection.peer.on('event', () => heard.resolve());
  streams.stdout.write(notification('unheard', {}) + logged);
  await heard.promise;
  expect(faults).toHaveLength(1);
  expect(connection.peer.isClosed).toBe(false);
});

it('ends with a program whose framing is broken, and tells why', async () => {
  const { connection, streams, faults } = connectTo();
  const answer = connection.peer.request('configure', {
    runId: 'r',
    token: 't',
    socketPath: '/s',
    runtimeTools: [],
  });
  streams.stdout.write('Killed by a fly\n'.repeat(100));
  await expect(answer).rejects.toMatchObject({ problem: { code: 'peer_closed' } });
  expect(faults).toEqual(['transport : What arrived is no message.']);
});
