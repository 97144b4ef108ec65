import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { makeTable } from '#test/support/harbour-table.ts';
import { engineThings, instancesIn, removeEngineThings } from './engine-things.ts';
import { root } from '../../scripts/lib/build-state.ts';

const lineSchema = z.looseObject({ type: z.string() });
type Line = z.infer<typeof lineSchema>;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-run-command-'));
});
afterAll(async () => {
  await removeEngineThings(instancesIn(join(folder, 'state')));
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the command as a person does from the repository's root, by the script behind `npm run slipway`. */
function slipway(...words: string[]) {
  const child = spawn(process.execPath, [join(root, 'scripts', 'run.mjs'), 'slipway', ...words], {
    cwd: folder,
    env: {
      ...process.env,
      SLIPWAY_DATA_DIR: join(folder, 'data'),
      XDG_STATE_HOME: join(folder, 'state'),
      NO_COLOR: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: Line[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(lineSchema.parse(JSON.parse(line))));
  const ended = Promise.all([once(child, 'close'), text(child.stderr)]).then(([[code], errors]) => ({
    code: code as number | null,
    errors,
  }));
  return { child, lines, ended };
}

const RUN = ['run', '@slipway/csv-report', '--model', 'walkthrough', '--json'];

describe('slipway run', () => {
  test('reports a table that nobody has seen before, as JSON lines and files in a folder', async () => {
    const table = makeTable();
    const values = { title: 'Harbour dues', group_by: 'berth' };
    writeFileSync(join(folder, 'harbour dues.csv'), table.text);
    writeFileSync(join(folder, 'input.json'), JSON.stringify(values));
    const { lines, ended } = slipway(
      ...RUN,
      '--file',
      'harbour dues.csv',
      '--input',
      'input.json',
      '--out',
      'report',
    );
    const { code, errors } = await ended;
    expect({ code, errors }).toMatchObject({ code: 0 });

    const [first] = lines;
    expect(first).toMatchObject({ type: 'run', runId: expect.any(String), agentId: '@slipway/csv-report' });
    const events = lines.slice(1, -1);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_event, index) => index + 1));
    expect(events.at(-1)).toMatchObject({ type: 'run.ended', status: 'success' });
    expect(lines.at(-1)).toMatchObject({
      type: 'result',
      runId: first?.['runId'],
      status: 'success',
      output: {
        rows: table.rows,
        columns: expect.arrayContaining([
          expect.objectContaining({ name: 'ships', total: table.ships }),
          expect.objectContaining({ name: 'dues', total: table.dues }),
        ]),
      },
    });
    expect(readdirSync(join(folder, 'report')).sort()).toEqual(['chart.svg', 'report.md']);
    const report = plainNumbers(readFileSync(join(folder, 'report', 'report.md'), 'utf8'));
    const chart = plainNumbers(readFileSync(join(folder, 'report', 'chart.svg'), 'utf8'));
    for (const [berth, dues] of table.byBerth) {
      expect(report).toMatch(new RegExp(`${berth}.*\\b${dues}\\b`));
      expect(chart).toContain(berth);
      expect(chart).toContain(dues);
    }
  });

  test('is replayed as it was, and what cannot be is refused', async () => {
    const again = slipway('replay', 'last', '--json');
    const { code, errors } = await again.ended;
    expect({ code, errors }).toMatchObject({ code: 0 });
    expect(again.lines[0]).toMatchObject({ type: 'run', mode: 'recorded' });
    expect(again.lines.at(-1)).toMatchObject({
      type: 'result',
      replayOf: again.lines[0]?.['replayOf'],
      status: 'success',
      differences: [],
    });

    const replayed = slipway('replay', String(again.lines[0]?.['runId']), '--json');
    expect((await replayed.ended).code).toBe(2);
    expect(replayed.lines).toMatchObject([{ status: 'refused', problem: { code: 'recording_missing' } }]);
    const unknown = slipway('replay', 'none', '--json');
    expect((await unknown.ended).code).toBe(2);
    expect(unknown.lines).toMatchObject([{ status: 'refused', problem: { code: 'run_unknown' } }]);
    const conflict = slipway('replay', 'last', '--model', 'walkthrough');
    expect(await conflict.ended).toMatchObject({ code: 2, errors: expect.stringContaining('--live') });
  });

  test('asked to terminate stops the run, ends with its code and leaves nothing in the engine', async () => {
    const { child, lines, ended } = slipway(...RUN);
    await expect
      .poll(() => lines.some(({ type }) => type === 'tool.started'), { timeout: 60_000 })
      .toBe(true);
    const instances = instancesIn(join(folder, 'state'));
    expect((await engineThings(instances)).length).toBeGreaterThan(0);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 143 });
    expect(lines.at(-1)).toMatchObject({ type: 'result', status: 'cancelled' });
    expect(await engineThings(instances)).toEqual([]);
  });
});

/** Takes out what groups the digits of a number. */
function plainNumbers(shown: string): string {
  return shown.replaceAll(/(?<=\d)[ ,\u00a0\u202f](?=\d{3})/g, '');
}
