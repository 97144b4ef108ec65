import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runWords } from '#test/support/run-command-line.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-uri-'));
  const auths = {
    oauth: { authorized_uris: ['https://api.example.com/v1/**', 'https://intranet.corp:*/**'] },
    open: { allow_all_uris: true },
    wide: { authorized_uris: ['https://**'] },
    shut: {},
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ type: 'integration', auths }));
  writeFileSync(join(folder, 'broken.json'), '{');
  writeFileSync(join(folder, 'list.json'), '[]');
  writeFileSync(join(folder, 'numbers.json'), '{"auths":{"main":{"authorized_uris":5}}}');
  mkdirSync(join(folder, 'empty'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['oauth', 'https://api.example.com/v1/x', { allowed: true, pattern: 'https://api.example.com/v1/**' }],
  ['oauth', 'https://api.example.com/v1/../admin', { allowed: false, code: 'unauthorized_target' }],
  ['oauth', 'https://intranet.corp:8443/', { allowed: true, pattern: 'https://intranet.corp:*/**' }],
  ['oauth', 'no address', { allowed: false, code: 'unauthorized_target' }],
  ['open', 'https://anything.example/', { allowed: true }],
  ['open', 'http://169.254.169.254/', { allowed: false, code: 'blocked_target' }],
  ['open', 'file:///etc/passwd', { allowed: false, code: 'blocked_target' }],
  ['wide', 'https://2130706433/', { allowed: false, code: 'blocked_target' }],
  ['shut', 'https://api.example.com/', { allowed: false, code: 'unauthorized_target' }],
])('%s at %s', async (auth, url, answer) => {
  const { code, output } = await runWords('uri', folder, auth, url, '--json');
  expect({ code, answer: JSON.parse(output) as unknown }).toEqual({ code: 0, answer });
});

test('says it in words, and what is wrong with the question', async () => {
  expect(
    (await runWords('uri', join(folder, 'manifest.json'), 'oauth', 'https://api.example.com/v1/x')).output,
  ).toBe('Allowed by https://api.example.com/v1/**: https://api.example.com/v1/x\n');
  expect(await runWords('uri', folder, 'none', 'https://x/')).toMatchObject({ code: 2, output: '' });
  expect((await runWords('uri', folder, 'none', 'https://x/')).errors).toContain('it has oauth, open');
});

test.each([
  ['nowhere/manifest.json', /There is no file \S+nowhere\/manifest\.json\.$/m],
  ['broken.json/manifest.json', /There is no file \S+broken\.json\/manifest\.json\.$/m],
  ['empty', /The folder \S+empty has no manifest\.json\.$/m],
  ['broken.json', /broken\.json is not JSON: /],
  ['list.json', /list\.json is no integration: at the manifest, /],
  ['numbers.json', /numbers\.json is no integration: at auths\.main\.authorized_uris, /],
])('says plainly what %s is instead of a manifest', async (path, expected) => {
  const { code, output, errors } = await runWords('uri', join(folder, path), 'main', 'https://x/', '--json');
  expect({ code, output }).toEqual({ code: 2, output: '' });
  expect(errors).toMatch(expected);
  expect(errors).not.toMatch(/ENOENT|ENOTDIR|EISDIR/);
});
