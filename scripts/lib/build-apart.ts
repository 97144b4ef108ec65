import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import type { BuildTarget } from './bundles.ts';

/** The folder of the repository. */
export const root = dirname(dirname(import.meta.dirname));

/**
 * Builds what is out of date in a process of its own, so that the bundlers' memory is gone when the app
 * runs. Ends this process where it fails; what it says goes to standard error.
 */
export async function buildApart(targets: readonly BuildTarget[]): Promise<void> {
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
