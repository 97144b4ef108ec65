import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RouteInput } from '#shared/ipc/routes.ts';
import { importSourceSchema, libraryRoutes, type WatchState } from '#shared/ipc/library-routes.ts';
import { ProblemError } from '#shared/problem.ts';
import { FakePackageService } from '#test/support/fake-packages.ts';
import { SessionFiles } from './file-handles.ts';
import { bindLibraryRoutes } from './library-routes.ts';
import type { ShellServices } from './shell-services.ts';

const shell: ShellServices = {
  kind: 'browser',
  canReveal: false,
  openExternal: async () => undefined,
  saveFile: async () => undefined,
  revealFolder: async () => undefined,
};

function setUp(pickFolder?: ShellServices['pickFolder']) {
  const followed: string[] = [];
  const packages = Object.assign(new FakePackageService(), {
    watchFolder(path: string): Promise<WatchState> {
      followed.push(path);
      return Promise.resolve({ path, name: '@you/a', state: 'following' });
    },
  });
  const routes = bindLibraryRoutes(
    packages,
    { forgetAll: () => undefined },
    pickFolder ? { ...shell, pickFolder } : shell,
  );
  const context = { signal: new AbortController().signal, files: new SessionFiles() };
  const follow = async (input: RouteInput<'library.watchFolder'>): Promise<string> => {
    try {
      await routes['library.watchFolder'](libraryRoutes['library.watchFolder'].input.parse(input), context);
      return 'followed';
    } catch (error) {
      if (error instanceof ProblemError) return error.problem.code;
      throw error;
    }
  };
  return { followed, follow, pick: async () => routes['library.pickFolder']({}, context) };
}

describe('a folder that a page names', () => {
  test('counts in the desktop app only when its person chose it in the dialog of the system', async () => {
    const answers = ['/home/you/agent', undefined];
    const { followed, follow, pick } = setUp(() => Promise.resolve(answers.shift()));
    expect(await follow({ path: '/home/you/.ssh' })).toBe('folder_not_chosen');
    expect(await follow({ handle: '/home/you/.ssh' })).toBe('folder_handle_unknown');
    const { folder } = await pick();
    expect(folder?.path).toBe('/home/you/agent');
    expect(await follow({ handle: folder?.handle ?? '' })).toBe('followed');
    expect(await pick()).toEqual({ canPick: true });
    expect(followed).toEqual(['/home/you/agent']);
  });

  test('is a whole path in a browser, which has no such dialog', async () => {
    const { followed, follow, pick } = setUp();
    expect(await pick()).toEqual({ canPick: false });
    for (const path of ['agents', './agents', '../agents', '~other/agents', 'file:///etc'])
      expect([path, await follow({ path })]).toEqual([path, 'folder_unknown']);
    expect(await follow({ path: '~/agents' })).toBe('followed');
    expect(await follow({ path: '/srv/agents' })).toBe('followed');
    expect(followed).toEqual([join(homedir(), 'agents'), '/srv/agents']);
  });

  test('is never read as an import: a page hands over files, or an address', () => {
    expect(importSourceSchema.safeParse({ kind: 'folder', path: '/etc' }).success).toBe(false);
  });
});
