import { expect, test } from 'vitest';
import { startServer } from '../test-support/sidecar-server.ts';
import { StagedBodies } from './staged-bodies.ts';

test('a body is taken once, and what nobody comes for makes room', () => {
  let now = 0;
  const bodies = new StagedBodies(10, () => now);
  for (let count = 0; count < 6; count += 1) bodies.put(String(count), Buffer.from([count]));
  expect(bodies.hasRoom).toBe(false);
  expect(bodies.take('0')).toEqual(Buffer.from([0]));
  expect(bodies.take('0')).toBeUndefined();
  bodies.put('0', Buffer.alloc(1));
  now = 120_001;
  expect(bodies.hasRoom).toBe(true);
  expect(bodies.take('1')).toBeUndefined();
});

test('over the socket: bytes as they are, within the cap, with the token, while there is room', async () => {
  const bodies = new StagedBodies(1000);
  await using server = await startServer([], { bodies });
  const put = (id: string, body: Buffer, headers = {}) =>
    server.send({ method: 'PUT', path: `/bodies/${id}`, body, headers });
  expect((await put('a', Buffer.alloc(1000, 255))).status).toBe(204);
  expect(bodies.take('a')).toEqual(Buffer.alloc(1000, 255));
  expect((await put('b', Buffer.alloc(1001))).status).toBe(413);
  expect((await put('c', Buffer.alloc(1), { authorization: 'Bearer wrong' })).status).toBe(401);
  expect((await server.send({ method: 'GET', path: '/bodies/a' })).status).toBe(405);
  for (let count = 0; count < 6; count += 1) await put(`d${count}`, Buffer.alloc(1));
  expect((await put('e', Buffer.alloc(1))).status).toBe(503);
});
