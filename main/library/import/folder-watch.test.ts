import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WatchState } from '#shared/ipc/library-routes.ts';
import { ProblemError } from '#shared/problem.ts';
import { openLibraries, type OpenLibraries } from '#test/support/open-libraries.ts';
import { agentFiles } from '#test/support/test-packages.ts';

let base: string;
let folder: string;
let libraries: OpenLibraries;

async function write(name: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  for (const [path, content] of agentFiles(name, more)) await writeFile(join(folder, path), content);
}

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'slipway-watch-'));
  folder = join(base, 'agent');
  await mkdir(folder);
  await mkdir(join(base, 'samples'));
  await write('@you/a');
  libraries = await openLibraries({
    samplesFolder: join(base, 'samples'),
    dataDirectory: join(base, 'data'),
  });
});
afterEach(async () => {
  await libraries[Symbol.asyncDispose]();
  await rm(base, { recursive: true, force: true });
});

async function watchState(): Promise<WatchState | undefined> {
  return (await libraries.packages.state()).watches[0];
}

const draftText = async () => (await libraries.packages.detail('@you/a', 'draft')).manifestText;

describe('a folder that is followed', () => {
  it('is the draft, and again after each change that is sound', async () => {
    await libraries.packages.watchFolder(folder);
    expect(await watchState()).toMatchObject({ name: '@you/a', state: 'following' });
    await write('@you/a', { description: 'second' });
    await vi.waitFor(async () => expect(await draftText()).toContain('second'), 5_000);

    await writeFile(join(folder, 'manifest.json'), '{ "name": ');
    await vi.waitFor(
      async () =>
        expect(await watchState()).toMatchObject({ state: 'faulty', problem: { code: 'package_invalid' } }),
      5_000,
    );
    expect(await draftText()).toContain('second');
    await write('@you/b');
    await vi.waitFor(
      async () => expect(await watchState()).toMatchObject({ problem: { code: 'package_rename_refused' } }),
      5_000,
    );
    await write('@you/a', { description: 'third' });
    await vi.waitFor(async () => expect(await draftText()).toContain('third'), 5_000);
    expect(await watchState()).toMatchObject({ state: 'following' });
  });

  it('is edited there and not here, and stays the draft when it is published', async () => {
    await libraries.packages.watchFolder(folder);
    const edit = [{ path: 'prompt.md', content: Buffer.from('x') }];
    const refused: unknown = await libraries.packages
      .save('@you/a', edit, { checkOnly: false })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ problem: { code: 'package_watched' } });
    await libraries.packages.publish('@you/a');
    expect((await libraries.packages.state()).packages[0]).toMatchObject({
      state: 'published',
      draftVersion: '1.0.0',
      watchedFolder: folder,
    });
    await libraries.packages.unwatchFolder(folder);
    await libraries.packages.save('@you/a', edit, { checkOnly: false });
  });

  it('is followed once when it is asked for twice at once, and no longer once it was let go', async () => {
    const states = await Promise.all([
      libraries.packages.watchFolder(folder),
      libraries.packages.watchFolder(folder),
    ]);
    expect(states.map(({ state }) => state)).toEqual(['following', 'following']);
    expect((await libraries.packages.state()).watches).toHaveLength(1);
    await libraries.packages.unwatchFolder(folder);
    await write('@you/a', { description: 'unseen' });
    await delay(800);
    expect(await draftText()).not.toContain('unseen');
  });

  it('is told to be gone, and may not take the place of another draft', async () => {
    await libraries.packages.watchFolder(folder);
    await rename(folder, join(base, 'moved'));
    await vi.waitFor(async () => expect((await watchState())?.state).toBe('gone'), 5_000);
    const other = await libraries.packages.watchFolder(join(base, 'moved')).catch((error: unknown) => error);
    // The draft is what the folder has, so nothing would be lost.
    expect(other).toMatchObject({ state: 'following' });
    await libraries.packages.unwatchFolder(join(base, 'moved'));
    await libraries.packages.unwatchFolder(folder);
    await libraries.packages.save('@you/a', [{ path: 'prompt.md', content: Buffer.from('mine') }], {
      checkOnly: false,
    });
    const refused: unknown = await libraries.packages
      .watchFolder(join(base, 'moved'))
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ProblemError);
    expect(refused).toMatchObject({ problem: { code: 'draft_conflict' } });
    expect((await libraries.packages.state()).watches).toEqual([]);
  });

  it('is followed again after a restart, with what was saved meanwhile', async () => {
    await libraries.packages.watchFolder(folder);
    await libraries[Symbol.asyncDispose]();
    await write('@you/a', { description: 'while closed' });
    libraries = await openLibraries({
      samplesFolder: join(base, 'samples'),
      dataDirectory: join(base, 'data'),
      isLasting: true,
    });
    await vi.waitFor(async () => expect(await draftText()).toContain('while closed'), 5_000);
    expect(await watchState()).toMatchObject({ path: folder, state: 'following' });
  });
});
