import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './lib/build-state.ts';
import { buildAll } from './lib/bundles.ts';

/** Runs a step and ends the whole run where it fails. */
function step(title: string, command: string, args: string[]): void {
  process.stdout.write(`\n── ${title}\n`);
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (result.status !== 0) {
    process.stdout.write(`\n${title} failed.\n0 passed, 1 failed\n`);
    process.exit(result.status ?? 1);
  }
}

const filters = process.argv.slice(2);
if (filters.length === 0) {
  step('Formatting', 'prettier', ['--check', '--log-level', 'warn', '.']);
  for (const project of ['node', 'shared', 'renderer', 'e2e'])
    step(`Types (${project})`, process.execPath, [
      join(root, 'node_modules', 'typescript-native', 'bin', 'tsc'),
      '-p',
      `tsconfig.${project}.json`,
    ]);
  step('Lint', 'oxlint', ['--type-aware', '--deny-warnings']);
  step('Import arrows', 'depcruise', [
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'err',
    'main',
    'renderer',
    'shared',
  ]);
}
await buildAll({ log: (line) => process.stdout.write(`${line}\n`) });

const vitest = spawnSync(
  process.execPath,
  [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...filters],
  { cwd: root, stdio: 'inherit' },
);
process.exit(vitest.status ?? 1);
