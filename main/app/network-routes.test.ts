import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FakeApplication } from '#test/support/fake-application.ts';
import { bindNetworkRoutes, describeLimits } from './network-routes.ts';

let service: Server;
let address: string;
beforeAll(async () => {
  service = createServer((_request, response) => response.writeHead(418).end('tea'));
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(service.address() as AddressInfo).port}/`;
});
afterAll(() => service.close());

it('takes any answer for a way to the internet, and says why there is none', async () => {
  const handlers = bindNetworkRoutes(new FakeApplication());
  const { signal } = new AbortController();
  expect(await handlers['network.test']({ url: address }, { signal })).toMatchObject({
    outcome: 'reached',
    status: 418,
  });
  expect(await handlers['network.test']({ url: 'http://127.0.0.1:1/' }, { signal })).toMatchObject({
    outcome: 'failed',
    problem: { code: 'network_unreachable' },
  });
});

it('shows each limit with what it is now, and why a value is not used', () => {
  const { limits } = describeLimits({
    SIDECAR_API_CALL_CONCURRENCY: '7',
    SIDECAR_MAX_MCP_ENVELOPE_BYTES: 'many',
  });
  const limit = (name: string) => limits.find(({ variable }) => variable === name);
  expect(limit('SIDECAR_API_CALL_CONCURRENCY')).toMatchObject({ value: 7, defaultValue: 3, isSet: true });
  expect(limit('SIDECAR_MAX_MCP_ENVELOPE_BYTES')).toMatchObject({
    value: 16 * 1024 * 1024,
    isSet: true,
    ignored: expect.stringContaining('"many"') as unknown,
  });
  expect(limit('SIDECAR_MAX_REQUEST_BODY_BYTES')).toMatchObject({ isSet: false, ceiling: 104_857_600 });
});

it('says why limits that cannot be together are refused', () => {
  const { limitsProblem } = describeLimits({ SIDECAR_INLINE_TOOL_OUTPUT_TOKENS: '200000' });
  expect(limitsProblem?.code).toBe('sidecar_settings_invalid');
});
