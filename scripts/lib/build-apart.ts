import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buildState, root, type BuildTarget } from './build-state.ts';

/**
 * Builds what is out of date in a process of its own, so that the bundlers' memory is gone when the app
 * runs. Ends this process where it fails; what it says goes to standard error.
 */
export async function buildApart(wanted: readonly BuildTarget[]): Promise<void> {
  const targets = wanted.filter((target) => !buildState(target).isCurrent);
  if (targets.length === 0) return;
  const script = join(root, 'scripts', 'build.ts');
  const child = spawn(process.execPath, [...process.execArgv, script, '--targets', targets.join(',')], {
    stdio: ['ignore', process.stderr, process.stderr],
  });
  // Ctrl+C reaches the child by itself; what is sent to this process alone is handed on.
  const handOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, handOn);
  const [code] = (await once(child, 'exit')) as [number | null];
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.off(name, handOn);
  if (code !== 0) process.exit(code ?? 1);
}
