import { describe, expect, test } from 'vitest';
import { isAppUrl, isPageUrl, isTrustedSender } from './origin.ts';

describe('origin', () => {
  test('only the app’s own scheme and host count, however an address is dressed up', () => {
    expect(isAppUrl('app://slipway/output/r/a.csv')).toBe(true);
    const strangers = [
      'about:blank',
      '',
      'null',
      'https://slipway/',
      'app://slipway.evil.example/',
      'app://evil@slipway/',
      'app://evil/slipway/',
      'app:slipway/',
      'file:///slipway/index.html',
      'data:text/html,app://slipway/',
      'javascript:app://slipway/',
      'blob:app://slipway/1',
      'app://slipway:80/',
    ];
    expect(strangers.filter(isAppUrl)).toEqual([]);
  });

  test('an output shown as a page is not the page', () => {
    expect(isPageUrl('app://slipway/index.html#run')).toBe(true);
    expect(isPageUrl('app://slipway/output/r/index.html')).toBe(false);
  });

  test('a frame inside the page may not speak for it, nor one that is gone', () => {
    expect(isTrustedSender({ url: 'app://slipway/index.html', parent: null })).toBe(true);
    expect(isTrustedSender({ url: 'app://slipway/index.html', parent: {} })).toBe(false);
    expect(isTrustedSender({ url: 'about:blank', parent: null })).toBe(false);
    expect(isTrustedSender(null)).toBe(false);
  });
});
