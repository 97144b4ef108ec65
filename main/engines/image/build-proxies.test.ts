import { expect, it } from 'vitest';
import { buildProxies } from './build-proxies.ts';

const configuration = (proxies: object): string => JSON.stringify({ proxies: { default: proxies } });

it("takes Docker's own settings before the environment, in both spellings", () => {
  expect(
    buildProxies({ HTTP_PROXY: 'http://environment:1' }, configuration({ httpProxy: 'http://settings:1' })),
  ).toEqual({ HTTP_PROXY: 'http://settings:1', http_proxy: 'http://settings:1' });
});

it('takes lower-case variables, and none that is empty', () => {
  expect(buildProxies({ https_proxy: 'http://p:1', HTTP_PROXY: '' }, undefined)).toEqual({
    HTTPS_PROXY: 'http://p:1',
    https_proxy: 'http://p:1',
  });
});

it.each(['http://localhost:3128', '127.0.0.1:3128', 'http://user:word@127.0.0.1:1', 'http://[::1]:1'])(
  'leaves out %s, which is another computer inside a build',
  (proxy) => {
    expect(buildProxies({ HTTP_PROXY: proxy, NO_PROXY: 'localhost' }, undefined)).toEqual({
      NO_PROXY: 'localhost',
      no_proxy: 'localhost',
    });
  },
);

it('is not hindered by damaged settings', () => {
  expect(buildProxies({}, '{')).toEqual({});
});
