import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileAuthorizedUris } from './authorized-uris.ts';
import { parseRedirect, parseTarget, type Target } from './target-url.ts';

function allows(pattern: string, url: string): boolean {
  const target = parseTarget(url);
  return !('fault' in target) && compileAuthorizedUris([pattern]).match(target) !== undefined;
}

function targetOf(url: string): Target {
  const target = parseTarget(url);
  if ('fault' in target) throw new Error(target.fault);
  return target;
}

const API = 'https://api.example.com/**';
const V1 = 'https://api.example.com/v1/**';
const STAR = 'https://*.example.com/*';
const STARS = 'https://*.example.com/**';

describe('the reference’s appendix B, column "want"', () => {
  test.each([
    [API, 'https://api.example.com/v1/a/b?x=1', true],
    [API, 'https://api.example.com.evil.io/v1', false],
    [API, 'http://api.example.com/v1', false],
    [API, 'https://api.example.com', true],
    [API, 'https://api.example.com:443/x', true],
    [API, 'https://API.example.com/x', true],
    [V1, 'https://api.example.com/v1/../admin', false],
    [V1, 'https://api.example.com/v1/%2e%2e/admin', false],
    // Left open there; here a pattern without a query leaves it free, and `*` judges the path alone.
    ['https://api.example.com/v1', 'https://api.example.com/v1?q=1', true],
    ['https://api.example.com/v1/*', 'https://api.example.com/v1/x?q=a/b', true],
    [STAR, 'https://a.example.com/x', true],
    [STAR, 'https://a.example.com/x/y', false],
    // Left open there; real manifests mean every depth by `*.amazonaws.com`.
    [STAR, 'https://a.b.example.com/x', true],
    [STARS, 'https://evil.com?.example.com/y', false],
    [STARS, 'https://evil.com#.example.com/y', false],
    [STARS, 'https://evil.com\\.example.com/y', false],
    [STARS, 'https://x@evil.com?.example.com/', false],
    ['https://**', 'https://any.host.example/with/path?and=query', true],
    ['https://**', 'http://any.host.example/', false],
    ['https://intranet.corp:*/**', 'https://intranet.corp:8443/a', true],
  ])('%s and %s: %s', (pattern, url, want) => {
    expect(allows(pattern, url)).toBe(want);
  });
});

describe('what other parsers read in another way', () => {
  test.each([
    [V1, 'https://api.example.com/v1/..%2fadmin'],
    [V1, 'https://api.example.com/v1/%2e%2e%2fadmin'],
    [V1, 'https://api.example.com/v1/%252e%252e%252fadmin'],
    [V1, 'https://api.example.com/v1/%25252525252e%25252525252e/admin'],
    [V1, 'https://api.example.com/v1/..%5cadmin'],
    [V1, 'https://api.example.com/v1/..;/admin'],
    [V1, 'https://api.example.com/v1/..%00/admin'],
    [V1, 'https://api.example.com/v1/.%09./admin'],
    [V1, 'https://api.example.com/v1/..%20/admin'],
    [V1, 'https://api.example.com/v1\\..\\admin'],
    [API, 'https://api.example.com@evil.com/'],
    [API, 'https://@api.example.com/'],
    [API, 'https://api.example.com:80:443/'],
    [API, 'https://api.example.com:8443/'],
    [API, 'https://api.example.com%00.evil.com/'],
    [API, 'https://api.example.com%2fevil.com/'],
    [API, 'https://api.example.com\t.evil.com/'],
    [API, ' https://api.example.com/'],
    [API, 'https://api.example.com '],
    [API, 'https://api.example.com .evil.com/'],
    [API, 'https://api.exa\nmple.com/'],
    [API, 'https:/api.example.com/'],
    [API, 'https:api.example.com/'],
    [API, 'https:///api.example.com/'],
    [API, '//api.example.com/'],
    [API, 'https://api.example.com../'],
    [API, 'https://api。example.com/#'],
    [STARS, 'https://.example.com/'],
    [STARS, 'https://example.com/'],
    [STARS, 'https://evilexample.com/'],
    ['https://*/**', 'ftp://example.com/'],
    ['**', 'file:///etc/passwd'],
    ['**', 'data:text/plain,hello'],
    ['**', 'javascript://example.com/%0aalert(1)'],
    ['*://**', 'httpsx://example.com/'],
    ['https://api.example.com/files/*', 'https://api.example.com/files/a%2fdelete'],
    ['https://api.example.com/files/*', 'https://api.example.com/files/a%5Cdelete'],
    ['https://api.example.com/search?q=*', 'https://api.example.com/search?q=a/b'],
    ['https://api.example.com/search?q=*', 'https://api.example.com/search'],
    ['https://10.0.*/**', 'https://10.0.0.1/'],
    ['https://user@api.example.com/**', 'https://api.example.com/'],
    ['/v1/**', 'https://api.example.com/v1/x'],
    ['api.example.com/**', 'https://api.example.com/v1/x'],
  ])('%s does not allow %s', (pattern, url) => {
    expect(allows(pattern, url)).toBe(false);
  });
});

describe('the same address in other words', () => {
  test.each([
    [API, 'HTTPS://api.EXAMPLE.com/x'],
    [API, 'https://api.example.com./x'],
    [API, 'https://api.example.com/x/'],
    [API, 'https://api.example.com/caf%C3%A9/a%20b'],
    ['https://api.example.com/café/*', 'https://api.example.com/caf%C3%A9/x'],
    ['https://bücher.example/**', 'https://xn--bcher-kva.example/x'],
    ['https://xn--bcher-kva.example/**', 'https://BÜCHER.example/x'],
    ['https://*.bücher.example/**', 'https://a.xn--bcher-kva.example/x'],
    ['https://API.example.com:443/**', 'https://api.example.com/x'],
    ['https://[2001:DB8::1]/**', 'https://[2001:db8:0::1]/x'],
    ['http://10.1.2.3:8080/**', 'http://0xa.1.515:8080/x'],
    ['*://api.example.com/**', 'http://api.example.com/'],
    ['https://api.example.com/a*c/**/z', 'https://api.example.com/abbc/1/2/3/z'],
    ['https://api.example.com/projects/**', 'https://api.example.com/projects/group%2Fname'],
    ['https://api.example.com/search?**', 'https://api.example.com/search?q=a/b'],
    ['https://**', 'https://[2606:4700::1111]/'],
    ['**', 'http://example.com/'],
  ])('%s allows %s', (pattern, url) => {
    expect(allows(pattern, url)).toBe(true);
  });

  test('what is sent is what was judged', () => {
    expect(targetOf('HTTPS://API.Example.com.:443/a/./b/../c?q=é').href).toBe(
      'https://api.example.com/a/c?q=%C3%A9',
    );
    expect(targetOf('https://api.example.com/messages?q=is:unread from:me').href).toBe(
      'https://api.example.com/messages?q=is:unread%20from:me',
    );
    expect(targetOf('http://0x7f.1:8080').href).toBe('http://127.0.0.1:8080/');
    expect(targetOf('https://[::FFFF:10.0.0.1]:8443/x')).toMatchObject({ host: '::ffff:a00:1', port: 8443 });
  });
});

describe('a match', () => {
  test('names the first entry that fits, and knows whether any names the host', () => {
    const uris = compileAuthorizedUris([
      'https://**',
      'https://*.example.com/**',
      'https://a.example.com/**',
    ]);
    expect(uris.match(targetOf('https://a.example.com/'))).toEqual({
      pattern: 'https://**',
      namesHost: true,
      isBounded: true,
    });
    expect(uris.match(targetOf('https://b.example.com/'))).toMatchObject({
      namesHost: false,
      isBounded: true,
    });
    expect(uris.match(targetOf('https://evil.com/'))).toMatchObject({ namesHost: false, isBounded: false });
  });

  test.each([
    'https://**',
    '*://**',
    '**',
    'https://*/**',
    'https://*.*/**',
    'https://*.com/**',
    'https://api.*/**',
  ])('%s confines no secret', (pattern) => {
    expect(compileAuthorizedUris([pattern]).match(targetOf('https://api.evil.com/'))).toMatchObject({
      isBounded: false,
    });
  });
});

test('a redirect is read relative to where it came from, without user name and fragment', () => {
  const from = targetOf('https://api.example.com/a/b?x=1');
  expect(parseRedirect('../c', from)).toMatchObject({ href: 'https://api.example.com/c' });
  expect(parseRedirect('//u:p@evil.com/x#y', from)).toMatchObject({ href: 'https://evil.com/x' });
  expect(parseRedirect('\\\\evil.com/x', from)).toMatchObject({ host: 'evil.com' });
  expect(parseRedirect('ftp://evil.com/', from)).toHaveProperty('fault');
  expect(parseRedirect('https://:x', from)).toHaveProperty('fault');
});

describe('whatever is put into an address', () => {
  const piece = fc.constantFrom(
    ...'/ \\ ? # @ : . .. %2e %2f %5c %252e * ; example.com .example.com evil.com api https http // [ ] %00'.split(
      ' ',
    ),
    '\t',
    '\n',
    ' ',
    '\u3002',
  );

  test('a wildcard never lets a host out of its domain, as Node itself requests it', () => {
    const uris = compileAuthorizedUris(['https://*.example.com/**', 'https://api.example.com/v1/**']);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const target = parseTarget(`https://${pieces.join('')}`);
        if ('fault' in target || uris.match(target) === undefined) return;
        const requested = new URL(target.href);
        expect(requested.hostname.endsWith('.example.com')).toBe(true);
        expect(requested.href).toBe(target.href);
      }),
      { numRuns: 3000 },
    );
  });

  test('a path never leaves its prefix, however often it is decoded', () => {
    const uris = compileAuthorizedUris([V1]);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const target = parseTarget(`https://api.example.com/v1/${pieces.join('')}`);
        if ('fault' in target || uris.match(target) === undefined) return;
        let path = new URL(target.href).pathname;
        for (let round = 0; round < 3; round += 1) {
          expect(new URL(path.replaceAll('\\', '/'), 'https://x/').pathname.startsWith('/v1/')).toBe(true);
          path = path.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
            String.fromCharCode(Number.parseInt(hex, 16)),
          );
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('many wildcards take no more time than few', () => {
    const pattern = `https://api.example.com/${'*a'.repeat(60)}`;
    expect(allows(pattern, `https://api.example.com/${'a'.repeat(4000)}b`)).toBe(false);
  });
});
