import { PassThrough } from 'node:stream';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ProblemError } from '../problem.ts';
import { createPeer, type PeerFault } from './peer.ts';

const left = {
  requests: {
    double: { input: z.object({ value: z.number() }), output: z.object({ value: z.number() }) },
    wait: { input: z.object({}), output: z.object({ aborted: z.boolean() }) },
  },
  notifications: {},
} as const;
const right = { requests: {}, notifications: { tick: z.object({ count: z.number() }) } } as const;

const disposers: (() => void)[] = [];
afterEach(() => {
  for (const dispose of disposers.splice(0)) dispose();
});

function connect() {
  const [toRight, toLeft] = [new PassThrough(), new PassThrough()];
  const leftConnection = createMessageConnection(
    new StreamMessageReader(toLeft),
    new StreamMessageWriter(toRight),
  );
  const rightConnection = createMessageConnection(
    new StreamMessageReader(toRight),
    new StreamMessageWriter(toLeft),
  );
  const faults: PeerFault[] = [];
  const common = {
    createAbort: () => new AbortController(),
    onFault: (fault: PeerFault) => faults.push(fault),
  };
  const leftPeer = createPeer({
    channel: leftConnection,
    own: left,
    other: right,
    otherName: 'the right',
    ...common,
  });
  const rightPeer = createPeer({
    channel: rightConnection,
    own: right,
    other: left,
    otherName: 'the left',
    ...common,
  });
  const listen = () => {
    leftConnection.listen();
    rightConnection.listen();
  };
  disposers.push(() => {
    leftPeer[Symbol.dispose]();
    rightPeer[Symbol.dispose]();
    leftConnection.dispose();
    rightConnection.dispose();
  });
  return { leftPeer, rightPeer, leftConnection, rightConnection, toLeft, toRight, faults, listen };
}

describe('peer', () => {
  it('answers a request and hears a notification', async () => {
    const { leftPeer, rightPeer, listen, faults } = connect();
    leftPeer.handle('double', async ({ value }) => ({ value: value * 2 }));
    const heard: number[] = [];
    leftPeer.on('tick', ({ count }) => heard.push(count));
    listen();
    await rightPeer.notify('tick', { count: 1 });
    expect(await rightPeer.request('double', { value: 21 })).toEqual({ value: 42 });
    expect(heard).toEqual([1]);
    expect(faults).toEqual([]);
  });

  it('carries a problem across, and nothing of an error nobody described', async () => {
    const { leftPeer, rightPeer, listen, faults } = connect();
    let thrown: Error = new ProblemError({ code: 'too_big', title: 'Too big', detail: 'It is too big.' });
    leftPeer.handle('double', async () => {
      throw thrown;
    });
    listen();
    await expect(rightPeer.request('double', { value: 1 })).rejects.toMatchObject({
      problem: { code: 'too_big', detail: 'It is too big.' },
    });
    thrown = new Error('password is hunter2');
    const error = await rightPeer.request('double', { value: 1 }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ problem: { code: 'internal_error' } });
    expect(JSON.stringify((error as ProblemError).problem)).not.toContain('hunter2');
    expect(faults).toHaveLength(1);
  });

  it('drops what breaks the contract, reports it and lives on', async () => {
    const { leftPeer, rightPeer, rightConnection, listen, faults } = connect();
    const heard: unknown[] = [];
    leftPeer.on('tick', (payload) => heard.push(payload));
    leftPeer.handle('double', async ({ value }) => ({ value: value * 2 }));
    listen();
    await rightConnection.sendNotification('tick', { count: 'three' });
    await rightConnection.sendNotification('tick', [1, 2]);
    await rightConnection.sendNotification('toString', {});
    await rightConnection.sendNotification('unheard of', {});
    const refused = await rightConnection.sendRequest('double', { value: 'x' });
    expect(refused).toMatchObject({ ok: false, error: { code: 'protocol_violation' } });
    expect(await rightConnection.sendRequest('hasOwnProperty', {})).toMatchObject({ ok: false });
    expect(await rightPeer.request('double', { value: 2 })).toEqual({ value: 4 });
    expect(heard).toEqual([]);
    expect(faults.map((fault) => fault.kind)).toEqual([
      'notification',
      'notification',
      'notification',
      'notification',
      'request',
      'request',
    ]);
  });

  it('refuses a response of the wrong shape', async () => {
    const { rightPeer, leftConnection, rightConnection, faults } = connect();
    leftConnection.onRequest(() => ({ ok: true, data: { value: 'many' } }));
    leftConnection.listen();
    rightConnection.listen();
    await expect(rightPeer.request('double', { value: 1 })).rejects.toMatchObject({
      problem: { code: 'protocol_violation' },
    });
    expect(faults).toMatchObject([{ kind: 'response', method: 'double' }]);
  });

  it('tells the other end of an abort', async () => {
    const { leftPeer, rightPeer, listen } = connect();
    let started: () => void = () => undefined;
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    leftPeer.handle('wait', async (_input, signal) => {
      started();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return { aborted: signal.aborted };
    });
    listen();
    const abort = new AbortController();
    const answer = rightPeer.request('wait', {}, abort.signal);
    await running;
    abort.abort();
    expect(await answer).toEqual({ aborted: true });
  });

  it('fails what is in flight when the stream ends, on both ends', async () => {
    const { leftPeer, rightPeer, listen, toLeft, toRight } = connect();
    let handlerAborted: () => void = () => undefined;
    const aborted = new Promise<void>((resolve) => {
      handlerAborted = resolve;
    });
    leftPeer.handle('wait', async (_input, signal) => {
      signal.addEventListener('abort', handlerAborted);
      await aborted;
      return { aborted: true };
    });
    listen();
    const answer = rightPeer.request('wait', {});
    await expect(Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 20))])).resolves.toBe(
      undefined,
    );
    toRight.destroy();
    toLeft.destroy();
    await expect(answer).rejects.toMatchObject({ problem: { code: 'peer_closed' } });
    await aborted;
    await rightPeer.closed;
    await rightPeer.notify('tick', { count: 1 });
    await expect(rightPeer.request('double', { value: 1 })).rejects.toMatchObject({
      problem: { code: 'peer_closed' },
    });
    expect(leftPeer.isClosed).toBe(true);
  });

  it('survives bytes that are no message', async () => {
    const { leftPeer, rightPeer, listen, toLeft, faults } = connect();
    leftPeer.handle('double', async ({ value }) => ({ value }));
    listen();
    const body = '{"not json';
    toLeft.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
    expect(await rightPeer.request('double', { value: 5 })).toEqual({ value: 5 });
    expect(faults.map((fault) => fault.kind)).toContain('transport');
  });
});
