import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readArchive } from '#main/library/archive/read-archive.ts';
import type { ShellBridge } from '#shared/ipc/frames.ts';
import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import type { RouteInput, RouteName } from '#shared/ipc/routes.ts';
import { agentFiles } from '#test/support/test-packages.ts';
import { electronCommand, launchApp, type LaunchedApp } from './launch.ts';
import { runEnded, startRun } from './steps.ts';

declare global {
  interface Window {
    readonly slipway: ShellBridge;
  }
}

let app: LaunchedApp;
beforeAll(async () => {
  app = await launchApp({ shell: 'electron' });
  await app.page.getByText('@slipway/csv-report').waitFor();
});
afterAll(() => app.close());

let nextId = 1_000_000;

/** Asks as the page does, over the preload's bridge. */
function request<R extends RouteName>(route: R, input: RouteInput<R>, page = app.page): Promise<unknown> {
  return page.evaluate(
    ({ route, input, id }) =>
      new Promise<unknown>((resolve) => {
        const stop = window.slipway.onFrame((frame) => {
          const answer = frame as { kind: string; id: number; result: unknown };
          if (answer.kind !== 'response' || answer.id !== id) return;
          stop();
          resolve(answer.result);
        });
        window.slipway.send({ kind: 'request', id, route, input });
      }),
    { route, input, id: nextId++ },
  );
}

describe('the window', () => {
  test('has a page without Node in a process without rights', async () => {
    const preferences = await app.mainProcess.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      // Not in the types, but in every version: what the page was really made with.
      const contents = window?.webContents as unknown as { getLastWebPreferences(): Record<string, unknown> };
      const { contextIsolation, sandbox, nodeIntegration, webviewTag, webSecurity } =
        contents.getLastWebPreferences();
      return { contextIsolation, sandbox, nodeIntegration, webviewTag, webSecurity };
    });
    expect(preferences).toEqual({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      webSecurity: true,
    });
    const globals = await app.page.evaluate(() =>
      ['require', 'process', 'module', 'Buffer', 'electron'].filter((name) => name in globalThis),
    );
    expect(globals).toEqual([]);
  });

  test('offers the page exactly the bridge, and the page cannot change it', async () => {
    const bridge = await app.page.evaluate(() => {
      try {
        Object.assign(window.slipway, { shell: 'browser', more: 1 });
      } catch {
        // Frozen, as it should be.
      }
      return { names: Object.keys(window.slipway).sort(), shell: window.slipway.shell };
    });
    expect(bridge).toEqual({
      names: ['callsUrl', 'exportUrl', 'onFrame', 'onState', 'outputUrl', 'registerFile', 'send', 'shell'],
      shell: 'electron',
    });
  });

  test('follows the appearance in the settings', async () => {
    const scheme = () => app.page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
    await request('settings.update', { appearance: 'dark' });
    await expect.poll(scheme).toBe(true);
    await request('settings.update', { appearance: 'light' });
    await expect.poll(scheme).toBe(false);
  });
});

describe('who may speak to main', () => {
  test('only the page itself: no sub-frame, no other origin, no blank page, no frame that is gone', async () => {
    const answered = await app.page.evaluateHandle(() => {
      const ids: number[] = [];
      window.slipway.onFrame((frame) => void ids.push((frame as { id: number }).id));
      return ids;
    });
    const address = await app.mainProcess.evaluate(
      ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getURL() ?? '',
    );
    const senders = {
      1: { url: address, parent: { url: address, parent: null } },
      2: { url: 'https://example.com/', parent: null },
      3: { url: 'about:blank', parent: null },
      4: null,
      5: { url: 'app://slipway.example.com/index.html', parent: null },
      6: { url: 'app://slipway/output/run/page.html', parent: null },
      7: 'main' as const,
    };
    await app.mainProcess.evaluate(({ ipcMain, BrowserWindow }, frames) => {
      const sender = BrowserWindow.getAllWindows()[0]?.webContents;
      for (const [id, frame] of Object.entries(frames)) {
        const senderFrame = frame === 'main' ? sender?.mainFrame : frame;
        const message = { kind: 'request', id: 2_000_000 + Number(id), route: 'settings.get', input: {} };
        ipcMain.emit('slipway:client-frame', { sender, senderFrame }, message);
      }
    }, senders);
    await request('settings.get', {});
    const ids = (await answered.jsonValue()).filter((id) => id > 2_000_000);
    expect(ids).toEqual([2_000_007]);
  });

  test('a path is no file: only what the person gave to the page can be registered', async () => {
    const outcome = await app.page.evaluate(async () => {
      const attempts = ['/etc/passwd', { path: '/etc/passwd' }, new File(['x'], '/etc/passwd')];
      return Promise.all(
        attempts.map(async (attempt) => {
          try {
            return (await window.slipway.registerFile(attempt)).ok;
          } catch {
            return false;
          }
        }),
      );
    });
    expect(outcome).toEqual([false, false, false]);
  });

  test('only https addresses are opened outside', async () => {
    await app.mainProcess.evaluate(({ shell }) => {
      const opened: string[] = [];
      Object.assign(globalThis, { opened });
      shell.openExternal = (url) => {
        opened.push(url);
        return Promise.resolve();
      };
    });
    for (const url of ['http://example.com/', 'file:///etc/passwd', 'slipway://x', 'https://example.com/a'])
      await request('app.openLink', { url });
    const opened = await app.mainProcess.evaluate(
      () => (globalThis as unknown as { opened: string[] }).opened,
    );
    expect(opened).toEqual(['https://example.com/a']);
  });
});

describe('where the page may go', () => {
  test('nowhere else, by whatever means', async () => {
    const address = app.page.url();
    const context = app.page.context();
    for (const leave of [
      () => location.assign('https://example.com/'),
      () => location.assign('./output/run/page.html'),
      () => void window.open('https://example.com/'),
      () => void window.open('about:blank', '_blank'),
      () => {
        const link = document.createElement('a');
        link.href = 'https://example.com/';
        link.target = '_blank';
        document.body.append(link);
        link.click();
      },
      () => {
        const form = document.createElement('form');
        form.action = 'https://example.com/';
        form.method = 'post';
        document.body.append(form);
        form.submit();
      },
      () => {
        const frame = document.createElement('iframe');
        frame.src = 'https://example.com/';
        document.body.append(frame);
      },
    ])
      await app.page.evaluate(leave);
    await expect.poll(() => context.pages().filter((page) => page.url() !== 'about:blank').length).toBe(1);
    expect(app.page.url()).toBe(address);
    const windows = await app.mainProcess.evaluate(
      ({ BrowserWindow }) => BrowserWindow.getAllWindows().length,
    );
    expect(windows).toBe(1);
    await app.page.reload();
    await app.page.getByText('@slipway/csv-report').waitFor();
  });

  test('and gets no permission but to copy', async () => {
    const states = await app.page.evaluate(async () => {
      const names = ['geolocation', 'notifications', 'midi', 'clipboard-read', 'clipboard-write'];
      const found = await Promise.all(
        names.map(
          async (name) => (await navigator.permissions.query({ name: name as PermissionName })).state,
        ),
      );
      return Object.fromEntries(names.map((name, index) => [name, found[index]]));
    });
    expect(states).toEqual({
      geolocation: 'denied',
      notifications: 'denied',
      midi: 'denied',
      'clipboard-read': 'denied',
      'clipboard-write': 'granted',
    });
  });
});

describe('the desktop', () => {
  test('saves an output where the person says, and not at all when they cancel', async () => {
    await startRun(app.page);
    await runEnded(app.page);
    const runId = await app.page.evaluate(() => location.hash.split('/')[2]?.split('?')[0] ?? '');
    const target = join(app.dataDirectory, 'saved report.md');
    await app.mainProcess.evaluate(({ dialog }, filePath) => {
      const answers = [
        { canceled: true, filePath: '' },
        { canceled: false, filePath },
      ];
      dialog.showSaveDialog = () => Promise.resolve(answers.shift() ?? { canceled: true, filePath: '' });
    }, target);
    const input = { runId, path: 'report.md' };
    await expect(request('runs.saveFile', input)).resolves.toEqual({
      ok: true,
      data: { savedTo: undefined },
    });
    expect(readdirSync(app.dataDirectory).filter((name) => name.startsWith('saved'))).toEqual([]);
    await expect(request('runs.saveFile', input)).resolves.toEqual({ ok: true, data: { savedTo: target } });
    expect(readFileSync(target, 'utf8')).toContain('rows');
    expect(readdirSync(app.dataDirectory).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('follows the folder its person chose in the dialog of the system, and none that a page names', async () => {
    const folder = join(app.dataDirectory, 'tide-report');
    mkdirSync(folder);
    for (const [path, content] of agentFiles('@harbour/tide-report', { display_name: 'Tide report' }))
      writeFileSync(join(folder, path), content);
    await app.mainProcess.evaluate(({ dialog }, path) => {
      const answers = [
        { canceled: true, filePaths: [] },
        { canceled: false, filePaths: [path] },
      ];
      dialog.showOpenDialog = () => Promise.resolve(answers.shift() ?? { canceled: true, filePaths: [] });
    }, folder);
    await expect(request('library.watchFolder', { path: folder })).resolves.toMatchObject({
      ok: false,
      error: { code: 'folder_not_chosen' },
    });
    const { page } = app;
    await page.evaluate(() => void (location.hash = '#/library'));
    await page.getByRole('button', { name: 'Import', exact: true }).first().click();
    const sheet = page.getByRole('dialog', { name: 'Import' });
    const shown = sheet.getByLabel('Follow a folder');
    await sheet.getByRole('button', { name: 'Choose…', exact: true }).click();
    expect(await shown.inputValue()).toBe('');
    await expect(shown.fill('/etc', { timeout: 500 })).rejects.toThrow(/Timeout/);
    await sheet.getByRole('button', { name: 'Choose…', exact: true }).click();
    await expect.poll(() => shown.inputValue()).toBe(folder);
    await sheet.getByRole('button', { name: 'Follow', exact: true }).click();
    await sheet.waitFor({ state: 'detached' });
    await page.getByText(`@harbour/tide-report follows ${folder}`).first().waitFor();
    writeFileSync(join(folder, 'prompt.md'), 'Mind the wind.');
    const text = async () =>
      ((await request('library.package', { name: '@harbour/tide-report' })) as { data: PackageDetail }).data
        .content?.text;
    await expect.poll(text, { timeout: 10_000 }).toBe('Mind the wind.');
  });

  test('saves an export where the person says, and serves it under its token alone', async () => {
    const target = join(app.dataDirectory, 'Saved Tide.afps');
    await app.mainProcess.evaluate(({ dialog }, filePath) => {
      const told: unknown[] = [];
      Object.assign(globalThis, { told });
      dialog.showSaveDialog = (...given: unknown[]) => {
        told.push(given.at(-1));
        return Promise.resolve({ canceled: false, filePath });
      };
    }, target);
    const { page } = app;
    await page.evaluate(() => void (location.hash = '#/agents/%40harbour%2Ftide-report/overview'));
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export Tide report' });
    await dialog.getByRole('button', { name: 'Export' }).click();
    await page.getByText(`Saved to ${target}`).first().waitFor();
    const { files } = await readArchive(readFileSync(target));
    expect(files.get('prompt.md')?.toString()).toBe('Mind the wind.');
    const offered = await app.mainProcess.evaluate(
      () => (globalThis as unknown as { told: { defaultPath: string }[] }).told[0]?.defaultPath ?? '',
    );
    expect(basename(offered)).toBe('harbour-tide-report-1.0.0.afps');
    const made = (await request('library.export', {
      name: '@harbour/tide-report',
      format: 'afps',
    })) as { data: { token: string; size: number } };
    const fetched = await page.evaluate(
      (tokens) =>
        Promise.all(
          tokens.map(async (token) => {
            const response = await fetch(window.slipway.exportUrl(token));
            return [response.status, (await response.arrayBuffer()).byteLength];
          }),
        ),
      [made.data.token, 'another', '../output/x'],
    );
    expect(fetched).toEqual([
      [200, made.data.size],
      [404, expect.any(Number)],
      [400, expect.any(Number)],
    ]);
  });

  test('keeps a key in the key store of the system, and it is nowhere in plain text', async () => {
    const canary = 'sk-canary-0123456789abcdef';
    const saved = await request('models.saveProvider', { kind: 'openai', key: canary });
    const vault = (await request('vault.describe', {})) as { data: { backend: string } };
    if (app.isRealElectron && vault.data.backend !== 'system') return;
    expect(saved).toMatchObject({ ok: true, data: { hasKey: true } });
    expect(JSON.stringify(saved)).not.toContain(canary);
    expect(vault.data.backend).toBe('system');
    for (const file of readdirSync(app.dataDirectory, { recursive: true, withFileTypes: true })) {
      if (!file.isFile() || file.parentPath.includes('chromium')) continue;
      expect(readFileSync(join(file.parentPath, file.name)).includes(canary)).toBe(false);
    }
  });

  test('has a menu with the accelerators of the platform', async () => {
    const labels = await app.mainProcess.evaluate(({ Menu }) =>
      Menu.getApplicationMenu()?.items.map((item) => item.label || item.role),
    );
    expect(labels).toHaveLength(process.platform === 'darwin' ? 6 : 5);
  });
});

describe('a further start', () => {
  test('joins the first, and a link nobody knows changes nothing', async () => {
    await app.mainProcess.evaluate(({ app: electronApp }) => {
      const starts: string[][] = [];
      Object.assign(globalThis, { starts });
      electronApp.on('second-instance', (_event, argv) => void starts.push(argv));
    });
    const link = 'slipway://run?agent=@evil/agent';
    const [command, words] = electronCommand(['--data-dir', app.dataDirectory, link]);
    const second = spawn(command, words, { stdio: 'ignore' });
    expect((await once(second, 'exit'))[0]).toBe(0);
    const starts = () =>
      app.mainProcess.evaluate(() => (globalThis as unknown as { starts: string[][] }).starts.length);
    await expect.poll(starts).toBe(1);
    const windows = await app.mainProcess.evaluate(
      ({ BrowserWindow }) => BrowserWindow.getAllWindows().length,
    );
    expect(windows).toBe(1);
    await app.page.getByRole('link', { name: 'Agents' }).first().waitFor();
  });
});

describe('without a key store', () => {
  test('nothing is kept under a password that is no secret', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-basic-'));
    const other = await launchApp({
      shell: 'electron',
      dataDirectory: folder,
      arguments: ['--password-store=basic'],
      environment: { STANDIN_STORAGE_BACKEND: 'basic_text' },
    });
    try {
      await other.page.getByText('@slipway/csv-report').waitFor();
      if (process.platform !== 'linux') return;
      const vault = (await request('vault.describe', {}, other.page)) as { data: { backend: string } };
      expect(vault.data.backend).toBe('passphrase');
    } finally {
      await other.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('a page that crashes', () => {
  test('is loaded again, with a word to the person', async () => {
    await app.mainProcess.evaluate(({ dialog, BrowserWindow }) => {
      const told: string[] = [];
      Object.assign(globalThis, { told });
      const show = (_window: unknown, options: { message: string }) => {
        told.push(options.message);
        return Promise.resolve({ response: 0, checkboxChecked: false });
      };
      Object.assign(dialog, { showMessageBox: show });
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      contents?.once('did-finish-load', () => void told.push('loaded'));
      contents?.forcefullyCrashRenderer();
    });
    const told = () =>
      app.mainProcess.evaluate(() => [...(globalThis as unknown as { told: string[] }).told].sort());
    await expect.poll(told, { timeout: 15_000 }).toEqual(['The window stopped working', 'loaded']);
  });
});
