import { measureEditor } from '#test/bench/editor.bench.ts';
import { measureLibrary } from '#test/bench/library.bench.ts';
import { measureLibraryPage } from '#test/bench/library-page.bench.ts';
import { measureLocalServers } from '#test/bench/local-servers.bench.ts';
import { measureLogCall } from '#test/bench/log-call.bench.ts';
import type { Measure } from '#test/bench/measure.ts';
import { measureMcpCalls } from '#test/bench/mcp-calls.bench.ts';
import { measureServiceCalls } from '#test/bench/service-calls.bench.ts';
import { measureShell } from '#test/bench/shell.bench.ts';
import { measureStart } from '#test/bench/start.bench.ts';
import { measureStop } from '#test/bench/stop.bench.ts';
import { root } from './lib/build-state.ts';
import { buildAll } from './lib/bundles.ts';

const asJson = process.argv.includes('--json');
await buildAll({ log: (line) => process.stderr.write(`${line}\n`) });

const suites: readonly ((root: string) => Promise<Measure[]>)[] = [
  measureStart,
  measureStop,
  measureLogCall,
  measureServiceCalls,
  measureLocalServers,
  measureMcpCalls,
  measureShell,
  measureLibrary,
  measureLibraryPage,
  measureEditor,
];
let isGood = true;
for (const suite of suites) {
  for (const measure of await suite(root)) {
    isGood &&= measure.ok;
    process.stdout.write(asJson ? `${JSON.stringify(measure)}\n` : `${describe(measure)}\n`);
  }
}
process.exit(isGood ? 0 : 1);

function describe({ name, value, unit, bar, ok }: Measure): string {
  const limit = Number.isFinite(bar) ? `at most ${bar}` : 'for reference';
  return `${ok ? 'ok  ' : 'MISS'}  ${name.padEnd(28)} ${String(value).padStart(9)} ${unit.padEnd(6)} ${limit}`;
}
