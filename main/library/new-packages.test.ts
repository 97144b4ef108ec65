import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PACKAGE_TYPES } from '#shared/manifest/dialect.ts';
import { openLibraries, type OpenLibraries } from '#test/support/open-libraries.ts';

let samplesFolder: string;
let libraries: OpenLibraries;

beforeEach(async () => {
  samplesFolder = await mkdtemp(join(tmpdir(), 'slipway-samples-'));
  libraries = await openLibraries({ samplesFolder });
});
afterEach(async () => {
  await libraries[Symbol.asyncDispose]();
  await rm(samplesFolder, { recursive: true, force: true });
});

describe('a new package', () => {
  it.each(PACKAGE_TYPES)('of the type %s is a draft that can be used', async (type) => {
    const { packages } = libraries;
    await packages.create(type, { name: '@ada/first-try' });
    const { summary, shown } = await packages.detail('@ada/first-try');
    expect({ type: summary.type, state: summary.state, errors: summary.errorCount, shown }).toEqual({
      type,
      state: 'draft',
      errors: 0,
      shown: 'draft',
    });
  });

  it('does not take the place of one that has its name', async () => {
    const { packages } = libraries;
    await packages.create('skill', { name: '@ada/notes', description: 'The first.' });
    const again = packages.create('skill', { name: '@ada/notes', description: 'The second.' });
    await expect(again).rejects.toMatchObject({ problem: { code: 'package_name_taken' } });
    expect((await packages.detail('@ada/notes')).summary.description).toBe('The first.');
  });
});

describe('a service of the catalogue', () => {
  it('comes as a version that agents can name, and only once', async () => {
    const { packages } = libraries;
    const [first] = await packages.catalogue();
    const added = await packages.addFromCatalogue(first?.id ?? '');
    const { summary, versions } = await packages.detail(added.name);
    expect(summary).toMatchObject({ type: 'integration', state: 'published', latestVersion: added.version });
    expect(versions[0]?.origin.kind).toBe('catalogue');
    await packages.addFromCatalogue(added.name);
    expect((await packages.detail(added.name)).versions).toHaveLength(1);
  });
});
