import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { findChromium } from '../support/find-chromium.ts';
import { DevToolsClient } from './devtools-client.ts';

/** The Chromium that shows the windows. */
export class BrowserProcess {
  readonly client: DevToolsClient;
  /** Where a test connects to drive the same pages. */
  readonly endpoint: string;
  /** Resolves when it has ended, whoever ended it. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;

  static async launch(profile: string): Promise<BrowserProcess> {
    const child = spawn(
      findChromium(),
      [
        '--headless=new',
        '--remote-debugging-port=0',
        `--user-data-dir=${profile}`,
        '--no-first-run',
        '--no-default-browser-check',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--password-store=basic',
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const endpoint = await readEndpoint(child);
    return new BrowserProcess(child, endpoint, await DevToolsClient.connect(endpoint));
  }

  private constructor(child: ChildProcess, endpoint: string, client: DevToolsClient) {
    this.#child = child;
    this.ended = once(child, 'exit').then(() => undefined);
    this.endpoint = endpoint;
    this.client = client;
  }

  async close(): Promise<void> {
    this.client.send('Browser.close').catch(() => undefined);
    const timer = setTimeout(() => this.kill(), 2_000);
    await this.ended;
    clearTimeout(timer);
  }

  /** Ends it at once, without waiting. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

async function readEndpoint(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error('Chromium has no error stream.');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    const [, endpoint] = /^DevTools listening on (ws:\S+)/.exec(line) ?? [];
    if (endpoint) {
      child.stderr.resume();
      return endpoint;
    }
    lines.push(line);
  }
  throw new Error(`Chromium did not start:\n${lines.join('\n')}`);
}
