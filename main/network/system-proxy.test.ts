import { expect, it } from 'vitest';
import { resolveProxy } from './proxy.ts';
import { proxyOfAnswer } from './system-proxy.ts';

it.each([
  ['DIRECT', undefined],
  ['PROXY corp.example:3128', 'http://corp.example:3128'],
  ['HTTPS corp.example:443; DIRECT', 'https://corp.example:443'],
  ['SOCKS5 corp.example:1080; PROXY other:8080', 'http://other:8080'],
  ['DIRECT; PROXY corp.example:3128', undefined],
  ['SOCKS corp.example:1080', undefined],
  ['', undefined],
])('reads "%s" as %s', (answer, proxy) => {
  expect(proxyOfAnswer(answer)).toBe(proxy);
});

it('asks the system only for other computers, where it is to be followed and the environment is silent', async () => {
  const asked: string[] = [];
  const system = async (url: URL) => {
    asked.push(url.host);
    return 'http://system:1';
  };
  const choice = { mode: 'system', address: '', exceptions: '' } as const;
  const url = new URL('https://service.example/');
  expect(await resolveProxy(url, choice, {}, system)).toBe('http://system:1');
  expect(await resolveProxy(new URL('http://127.0.0.1:1/'), choice, {}, system)).toBeUndefined();
  expect(await resolveProxy(url, { ...choice, mode: 'none' }, {}, system)).toBeUndefined();
  const variables = { https_proxy: 'http://environment:1', NO_PROXY: 'inside.example' };
  expect(await resolveProxy(url, choice, variables, system)).toBe('http://environment:1');
  expect(await resolveProxy(new URL('https://inside.example/'), choice, variables, system)).toBeUndefined();
  expect(asked).toEqual(['service.example']);
});
