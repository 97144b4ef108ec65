import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchApp, type LaunchedApp } from './launch.ts';
import { CSV_REPORT, goTo, runEnded } from './steps.ts';

/** What both shells must do alike. */
describe.each(['electron', 'browser'] as const)('the %s shell', (shell) => {
  let folder: string;
  let app: LaunchedApp;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-shell-'));
    app = await launchApp({ shell });
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('shows the library, also after a reload, with no error and nothing against the policy', async () => {
    await app.page.getByText('@slipway/csv-report').waitFor();
    await app.page.reload();
    await app.page.getByText('@slipway/csv-report').waitFor();
    expect(app.problems).toEqual([]);
    const headers = await app.page.evaluate(async () => {
      const response = await fetch('./index.html');
      return Object.fromEntries(response.headers);
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';");
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test('lets the page neither make code from text nor reach another origin', async () => {
    const outcome = await app.page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.injected = true';
      document.head.append(script);
      const reached = await fetch('https://example.com/').then(
        () => true,
        () => false,
      );
      return { injected: 'injected' in globalThis, reached };
    });
    expect(outcome).toEqual({ injected: false, reached: false });
  });

  test('brings a file with quotes and emoji in its name to the agent', async () => {
    const name = `Ünï "quoted" 'x' 🦊.csv`;
    writeFileSync(join(folder, name), 'stall,amount\nnorth,7\nsouth,35\n');
    await goTo(app.page, CSV_REPORT);
    await app.page.locator('input[type=file]').first().setInputFiles(join(folder, name));
    await app.page.getByRole('list', { name: 'Table: chosen files' }).getByText(name).waitFor();
    await app.page.getByRole('button', { name: 'Run', exact: true }).click();
    await runEnded(app.page);
    await app.page.getByText(`${name}: 2 rows`).first().waitFor();
    expect(await app.page.evaluate(() => document.body.innerText)).toMatch(/\b42\b/);
  });

  test('serves an output to its page in ranges and for download, and never as a page with rights', async () => {
    const runId = await app.page.evaluate(() => location.hash.split('/')[2]?.split('?')[0] ?? '');
    const prefix = await outputPrefix(app, shell);
    const result = await app.page.evaluate(async (address) => {
      const whole = await fetch(address);
      const part = await fetch(address, { headers: { range: 'bytes=0-3' } });
      const download = await fetch(`${address}?download`);
      return {
        policy: whole.headers.get('content-security-policy'),
        text: await whole.text(),
        part: [part.status, await part.text()],
        disposition: download.headers.get('content-disposition'),
      };
    }, `${prefix}/output/${runId}/report.md`);
    expect(result.policy).toContain("sandbox; default-src 'none'");
    expect(result.part).toEqual([206, result.text.slice(0, 4)]);
    expect(result.disposition).toMatch(/^attachment; filename="?report\.md"?$/);
  });

  test('refuses a file of two gigabytes at once', async () => {
    await goTo(app.page, CSV_REPORT);
    const size = await app.page.evaluate(() => {
      const part = new Blob([new Uint8Array(64 * 1024 * 1024)]);
      const file = new File(
        Array.from({ length: 32 }, () => part),
        'huge.csv',
        { type: 'text/csv' },
      );
      const transfer = new DataTransfer();
      transfer.items.add(file);
      const input = document.querySelector<HTMLInputElement>('input[type=file]');
      if (!input) throw new Error('There is no file field');
      input.files = transfer.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
      return file.size;
    });
    expect(size).toBe(2 * 1024 ** 3);
    await app.page
      .getByRole('listitem')
      .filter({ hasText: 'huge.csv' })
      .getByText(/at most|too large/i)
      .waitFor();
  });
});

/** What stands before `/output` in the addresses of this page's session. */
async function outputPrefix(app: LaunchedApp, shell: 'electron' | 'browser'): Promise<string> {
  if (shell === 'electron') return '';
  const pattern = /^\/s\/[^/]+/;
  const [request] = await Promise.all([
    app.page.waitForRequest((candidate) => pattern.test(new URL(candidate.url()).pathname)),
    app.page.getByRole('tab', { name: /^Files/ }).click(),
  ]);
  return pattern.exec(new URL(request.url()).pathname)?.[0] ?? '';
}
