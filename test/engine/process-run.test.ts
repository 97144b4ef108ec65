import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Application } from '#main/app/application.ts';
import { createApplication } from '#main/app/create-application.ts';
import { findExampleStart } from '#main/app/example-start.ts';
import { developmentResourcePaths } from '#main/app/resource-paths.ts';
import { Redactor, silentLogger } from '#main/logging/index.ts';
import { root } from '#test/support/engine-harness.ts';

const AGENT = '@slipway/csv-report';

/** Variable by which the engine knows its processes (main/engines/process). */
const MARKER = 'SLIPWAY_CONTAINER=';

describe('runs as processes of this computer', () => {
  const stack = new AsyncDisposableStack();
  let folder: string;
  let application: Application;
  const before = new Set(readdirSync(tmpdir()));
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-processes-'));
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    application = stack.use(
      await createApplication({
        dataDirectory: join(folder, 'data'),
        trigger: 'cli',
        resources: developmentResourcePaths(root),
        version: 'test',
        logger: silentLogger,
        redactor: new Redactor(),
        nodePath: process.execPath,
      }),
    );
  });
  afterAll(() => stack.disposeAsync());

  async function start(): Promise<string> {
    const example = await findExampleStart(application.library, AGENT);
    const model = application.models.parseReference('walkthrough');
    const { id } = await application.runs.start({
      agent: AGENT,
      input: example?.input ?? {},
      files: example?.files ?? [],
      model,
      trigger: 'app',
    });
    return id;
  }

  it('do nothing before the author agreed, and say why', async () => {
    await application.engines.prefer('process');
    expect(application.engines.report.state).toBe('needs_consent');
    const runId = await start();
    await application.runs.ended(runId);
    expect(application.runs.get(runId).summary).toMatchObject({
      status: 'failed',
      problem: { code: 'consent_required' },
    });
    expect(ourProcesses()).toEqual([]);
  });

  it('play the same loop with the same tools, and leave their outputs', async () => {
    const report = await application.engines.consent(true);
    expect(report).toMatchObject({ state: 'ready', selected: { kind: 'process', isolates: false } });
    const runId = await start();
    await application.runs.ended(runId);
    const { summary, outputFiles } = application.runs.get(runId);
    expect(summary).toMatchObject({ status: 'success', engine: 'process', hasOutput: true });
    expect(outputFiles.map(({ path }) => path)).toEqual(['chart.svg', 'report.md']);
    expect(ourProcesses()).toEqual([]);
  });

  it('wait for their turn where only one may run; one that waits can be stopped, and one that runs', async () => {
    application.settings.update({ maxConcurrentRuns: 1 });
    const [first, second] = [await start(), await start()];
    await expect.poll(() => application.runs.get(first).summary.status, { timeout: 30_000 }).toBe('running');
    expect(application.runs.get(second).summary.status).toBe('queued');
    await application.runs.stop(second);
    expect(application.runs.get(second).summary).toMatchObject({ status: 'cancelled' });
    expect(ourProcesses().length).toBeGreaterThan(0);
    const began = performance.now();
    await application.runs.stop(first);
    expect(performance.now() - began).toBeLessThan(3000);
    expect(application.runs.get(first).summary).toMatchObject({ status: 'cancelled' });
    expect(ourProcesses()).toEqual([]);
  });

  it('leave no folder and no process when the app has ended', async () => {
    await stack.disposeAsync();
    expect(ourProcesses()).toEqual([]);
    const left = readdirSync(tmpdir()).filter(
      (name) =>
        name.startsWith('slipway-') && !before.has(name) && existsSync(join(tmpdir(), name, 'owner.json')),
    );
    expect(left).toEqual([]);
  });
});

/** Ids of this computer's processes that the engine of this very process began. */
function ourProcesses(): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(MARKER) && !isEnded(pid);
    } catch {
      return false;
    }
  });
}

function isEnded(pid: string): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
}
