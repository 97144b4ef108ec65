import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SandboxEvent } from '#shared/events/run-event.ts';
import { OutputWatcher } from './output-watcher.ts';

let workspace: string;
let events: SandboxEvent[];
let watcher: OutputWatcher;

beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'slipway-watcher-'));
  events = [];
  watcher = new OutputWatcher(join(workspace, 'outputs'), (event) => events.push(event));
});
afterEach(async () => {
  watcher[Symbol.dispose]();
  await rm(workspace, { recursive: true });
});

const outputs = (...path: string[]) => join(workspace, 'outputs', ...path);

describe('OutputWatcher', () => {
  it('says nothing of a folder that is not there, or is a link', async () => {
    await watcher.look();
    await mkdir(join(workspace, 'elsewhere'));
    await writeFile(join(workspace, 'elsewhere', 'secret'), 'x');
    await symlink(join(workspace, 'elsewhere'), outputs());
    await watcher.look();
    expect(events).toEqual([]);
  });

  it('tells of a change once, and of a file that has gone', async () => {
    await mkdir(outputs('a', 'b'), { recursive: true });
    await writeFile(outputs('a', 'b', 'x.txt'), '1');
    await watcher.look();
    await watcher.look();
    expect(events).toMatchObject([{ type: 'file.written', path: 'a/b/x.txt', size: 1 }]);
    await writeFile(outputs('a', 'b', 'x.txt'), '22');
    await watcher.look();
    expect(events.at(-1)).toMatchObject({ type: 'file.written', path: 'a/b/x.txt', size: 2 });
    await rename(outputs('a'), outputs('c'));
    await watcher.look();
    expect(events.slice(2)).toMatchObject([
      { type: 'file.written', path: 'c/b/x.txt' },
      { type: 'file.removed', path: 'a/b/x.txt' },
    ]);
  });

  it('leaves out what is hidden, is a link, or is no file', async () => {
    await mkdir(outputs('.git'), { recursive: true });
    await writeFile(outputs('.git', 'x'), '');
    await writeFile(outputs('.env'), '');
    await symlink('/etc', outputs('etc'));
    await symlink('/etc/passwd', outputs('passwd'));
    await watcher.look();
    expect(events).toEqual([]);
  });

  it('tells the number of those above its limit, and forgets none it has told of', async () => {
    await mkdir(outputs(), { recursive: true });
    for (let index = 0; index < 2100; index += 1) await writeFile(outputs(`${index}`), '');
    await watcher.look();
    expect(events.filter((event) => event.type === 'file.written')).toHaveLength(2000);
    expect(events.at(-1)).toEqual({ type: 'files.omitted', count: 100, atLeast: false });
    await rm(outputs('0'));
    const before = events.length;
    await watcher.look();
    expect(events.slice(before).map((event) => event.type)).toContain(
      events.some((event) => event.type === 'file.written' && event.path === '0')
        ? 'file.removed'
        : 'files.omitted',
    );
  });

  it('looks while a tool runs, and no more afterwards', async () => {
    await mkdir(outputs(), { recursive: true });
    watcher.toolStarted();
    await writeFile(outputs('during'), '');
    await vi.waitFor(() => expect(events).toMatchObject([{ path: 'during' }]), 5000);
    watcher.toolEnded();
    await watcher.look();
    await writeFile(outputs('after'), '');
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(events).toHaveLength(1);
  });
});
