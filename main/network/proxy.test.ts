import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proxyFor, type ProxyChoice } from './proxy.ts';

const system: ProxyChoice = { mode: 'system', address: '', exceptions: '' };
const manual = (address: string, exceptions = ''): ProxyChoice => ({ mode: 'manual', address, exceptions });
const to = (url: string, choice: ProxyChoice, environment = {}) =>
  proxyFor(new URL(url), choice, environment);

describe('proxyFor', () => {
  it('takes the variable of the request’s own scheme', () => {
    const environment = { HTTPS_PROXY: 'http://secure:1', http_proxy: 'plain:2' };
    expect(to('https://api.example.com/', system, environment)).toBe('http://secure:1');
    expect(to('http://api.example.com/', system, environment)).toBe('http://plain:2');
    expect(to('https://api.example.com/', system, { ALL_PROXY: 'http://all:3' })).toBe('http://all:3');
    expect(to('https://api.example.com/', system)).toBeUndefined();
  });

  it('leaves hosts out that are named, with what lies below them, and no others', () => {
    const environment = { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'corp.example, .intra,*.lab ,host:8443' };
    const straight = ['corp.example', 'a.corp.example', 'x.intra', 'y.lab', 'host:8443', 'CORP.example.'];
    const proxied = ['notcorp.example', 'corp.example.org', 'host', 'intranet'];
    const goesStraight = (host: string) => to(`https://${host}/`, system, environment) === undefined;
    expect([...straight, ...proxied].filter(goesStraight)).toEqual(straight);
    expect(to('https://anywhere/', system, { HTTPS_PROXY: 'http://p:1', no_proxy: '*' })).toBeUndefined();
  });

  it('prefers the author’s own choice to the environment', () => {
    const environment = { HTTPS_PROXY: 'http://p:1' };
    expect(to('https://x.example/', { ...system, mode: 'none' }, environment)).toBeUndefined();
    expect(to('https://x.example/', manual('proxy.local:3128'), environment)).toBe('http://proxy.local:3128');
    expect(to('https://x.example/', manual('http://q:2', 'example'), environment)).toBeUndefined();
    expect(to('https://x.example/', manual(''), environment)).toBeUndefined();
  });

  it('never sends what is for this computer to a proxy', () => {
    const hosts = fc.constantFrom(
      'localhost',
      'a.localhost',
      '127.0.0.1',
      '127.8.9.1',
      '[::1]',
      '2130706433',
    );
    fc.assert(
      fc.property(hosts, fc.integer({ min: 1, max: 65_535 }), (host, port) => {
        expect(
          to(`http://${host}:${port}/`, manual('http://q:2'), { ALL_PROXY: 'http://p:1' }),
        ).toBeUndefined();
      }),
    );
  });
});
