import { describe, expect, it } from 'vitest';
import { buildArguments } from './build-arguments.ts';

const configuration = (proxies: object): string => JSON.stringify({ proxies: { default: proxies } });

it("takes Docker's own settings before the environment, in both spellings", () => {
  expect(
    buildArguments({ HTTP_PROXY: 'http://environment:1' }, configuration({ httpProxy: 'http://settings:1' })),
  ).toEqual({ HTTP_PROXY: 'http://settings:1', http_proxy: 'http://settings:1' });
});

it('takes lower-case variables, and none that is empty', () => {
  expect(buildArguments({ https_proxy: 'http://p:1', HTTP_PROXY: '' }, undefined)).toEqual({
    HTTPS_PROXY: 'http://p:1',
    https_proxy: 'http://p:1',
  });
});

it.each(['http://localhost:3128', '127.0.0.1:3128', 'http://user:word@127.0.0.1:1', 'http://[::1]:1'])(
  'leaves out %s, which is another computer inside a build',
  (proxy) => {
    expect(buildArguments({ HTTP_PROXY: proxy, NO_PROXY: 'localhost' }, undefined)).toEqual({
      NO_PROXY: 'localhost',
      no_proxy: 'localhost',
    });
  },
);

it('is not hindered by damaged settings', () => {
  expect(buildArguments({}, '{')).toEqual({});
});

describe("the author's network", () => {
  const network = (change: object) => ({
    mode: 'manual' as const,
    proxy: 'http://own:1',
    noProxy: ['.corp', 'db'],
    certificateAuthorities: [],
    ...change,
  });
  const docker = configuration({ httpProxy: 'http://settings:1' });

  it('comes before Docker and the environment where it names a proxy, or none', () => {
    expect(buildArguments({ ALL_PROXY: 'http://environment:1' }, docker, network({}))).toEqual({
      HTTP_PROXY: 'http://own:1',
      http_proxy: 'http://own:1',
      HTTPS_PROXY: 'http://own:1',
      https_proxy: 'http://own:1',
      NO_PROXY: '.corp,db',
      no_proxy: '.corp,db',
    });
    expect(
      buildArguments({ ALL_PROXY: 'http://a:1' }, docker, network({ mode: 'none', proxy: undefined })),
    ).toEqual({});
  });

  it('is the operating system’s only where neither Docker nor the environment names one', () => {
    const system = network({ mode: 'system', proxy: 'http://system:1', noProxy: [] });
    expect(buildArguments({}, docker, system)).toEqual({
      HTTP_PROXY: 'http://settings:1',
      http_proxy: 'http://settings:1',
    });
    expect(buildArguments({ NO_PROXY: 'db' }, undefined, system)).toMatchObject({
      HTTPS_PROXY: 'http://system:1',
      NO_PROXY: 'db',
    });
  });

  it('brings its authorities', () => {
    const authorities = network({ proxy: undefined, certificateAuthorities: ['one', 'two'] });
    expect(buildArguments({}, undefined, authorities)).toEqual({ EXTRA_CERTIFICATES: 'one\ntwo' });
  });
});
