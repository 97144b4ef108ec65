import type { EngineReport } from '#shared/engines/engine-report.ts';
import { EXIT } from './exit-codes.ts';
import type { OutputStream } from './output-stream.ts';
import { problemText } from '../problem-text.ts';
import { withApplication, type DataOptions } from './services.ts';
import { oneLine, terminalText } from '../terminal-text.ts';

export interface ListOptions extends DataOptions {
  readonly json: boolean;
}

/** Lists the agents of the library. */
export function agentsCommand(options: ListOptions, output: OutputStream): Promise<number> {
  return withApplication(options, async ({ library }) => {
    const agents = await library.list();
    if (options.json) await output.json({ agents });
    else
      await table(
        output,
        agents.map(({ id, version, description }) => [id, version, description]),
      );
    return EXIT.success;
  });
}

/** Lists the models that a run could use, and the providers that need something first. */
export function modelsCommand(options: ListOptions, output: OutputStream): Promise<number> {
  return withApplication(options, async ({ models }) => {
    const state = await models.list();
    if (options.json) {
      await output.json(state);
      return EXIT.success;
    }
    const { providerId, modelId } = state.defaultModel;
    const rows = state.providers.flatMap((provider) => {
      if (!provider.ready) return [[provider.id, provider.displayName, 'not set up']];
      if (provider.models.length === 0)
        return [[provider.id, provider.displayName, 'no model known: test it in Settings, Models']];
      return provider.models.map((model) => [
        `${provider.id}/${model.modelId}`,
        model.displayName,
        provider.id === providerId && model.modelId === modelId ? 'default' : '',
      ]);
    });
    await table(output, rows);
    return EXIT.success;
  });
}

/** Tells which engine is used, what was tried, and what isolation was seen. */
export function engineCommand(options: ListOptions, output: OutputStream): Promise<number> {
  return withApplication(options, async ({ engines }) => {
    const report = await engines.look();
    if (options.json) await output.json(report);
    else await tellReport(report, output);
    return report.state === 'ready' ? EXIT.success : EXIT.engineMissing;
  });
}

async function tellReport(report: EngineReport, output: OutputStream): Promise<void> {
  const { selected, problem, image } = report;
  if (selected) {
    await output.line(`${selected.name} ${selected.version} at ${selected.address}`);
    await output.line(`  ${selected.reason}`);
    if (!selected.isolates) await output.line('  It does not isolate what it runs.');
  }
  if (problem) await output.line(problemText(problem));
  await output.line('Looked at:');
  await table(
    output,
    report.attempts.map(({ origin, address, outcome, detail }) => [
      `  ${origin}`,
      address,
      outcome.replace('_', ' '),
      detail,
    ]),
  );
  await output.line(`Image: ${image.state}${image.tag ? ` (${image.tag})` : ''}`);
  for (const { passed, title, detail } of report.isolation)
    await output.line(`  ${passed ? '✓' : '✗'} ${title}${passed ? '' : `: ${detail}`}`);
}

/** Writes rows in columns; the last one takes what it needs. */
export async function table(output: OutputStream, rows: readonly (readonly string[])[]): Promise<void> {
  const clean = rows.map((row) =>
    row.map((cell) => (cell.startsWith('  ') ? terminalText(cell) : oneLine(cell, 100))),
  );
  const widths = clean.reduce<number[]>(
    (all, row) => row.map((cell, index) => Math.max(all[index] ?? 0, cell.length)),
    [],
  );
  for (const row of clean) {
    const line = row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ');
    await output.line(line.trimEnd());
  }
}
