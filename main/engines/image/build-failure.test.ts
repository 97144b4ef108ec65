import { expect, it } from 'vitest';
import { imageBuildFailed } from './build-failure.ts';

it.each([
  [
    'Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: no such host',
    /reach the image registry/,
  ],
  ['Get "https://registry-1.docker.io/v2/": x509: certificate signed by unknown authority', /certificate/],
  ['pull access denied for debian, repository does not exist', /does not give out a base image/],
  ['toomanyrequests: You have reached your pull rate limit', /no more requests/],
  ['write /usr/lib/x: no space left on device', /disk is full/],
  ["E: You don't have enough free space in /var/cache/apt/archives/.", /disk is full/],
  ["Temporary failure resolving 'deb.debian.org'", /packages could not be fetched/],
  ['The command returned a non-zero code: 137', /memory/],
])('says what "%s" means', (line, detail) => {
  const { problem } = imageBuildFailed('The command failed', ['before', line]);
  expect(problem.code).toBe('image_build_failed');
  expect(problem.detail).toMatch(detail);
  expect(problem.action).toBeTruthy();
  expect(problem.context).toEqual(['before', line]);
});

it('gives the engine the word where the cause is not known', () => {
  const { problem } = imageBuildFailed('something new', ['a line']);
  expect(problem.detail).toBe('The engine said: something new');
});
