import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { MARKER } from './program-variables.ts';

const run = promisify(execFile);
/** Rounds of looking and killing: a process that forks without end may be ahead of the first ones. */
const ROUNDS = 20;

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly marked: boolean;
}

/**
 * Kills a process, its group, everything below it and everything whose marker begins with the one given: an
 * agent's commands run in sessions of their own, which a group's signal does not reach.
 */
export async function killTree(
  root: number | undefined,
  marker: string,
  platform: NodeJS.Platform,
): Promise<void> {
  if (platform === 'win32') {
    if (root !== undefined) await run('taskkill', ['/pid', String(root), '/T', '/F']).catch(() => undefined);
    return;
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const doomed = selectDoomed(await listProcesses(marker, platform), root);
    if (root !== undefined && round === 0) signal(-root);
    if (doomed.length === 0) return;
    for (const pid of doomed) signal(pid);
    await new Promise((resolve) => setTimeout(resolve, 5 * (round + 1)));
  }
}

/** Marked processes and all below them and below the root, the root included. */
export function selectDoomed(processes: readonly ProcessEntry[], root: number | undefined): number[] {
  const doomed = new Set<number>();
  const alive = new Set(processes.map(({ pid }) => pid));
  if (root !== undefined && alive.has(root)) doomed.add(root);
  for (const { pid, marked } of processes) if (marked) doomed.add(pid);
  for (let grown = true; grown;) {
    grown = false;
    for (const { pid, parent } of processes) {
      if (doomed.has(pid) || !doomed.has(parent)) continue;
      doomed.add(pid);
      grown = true;
    }
  }
  return [...doomed];
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself, or never led a group.
  }
}

async function listProcesses(marker: string, platform: NodeJS.Platform): Promise<ProcessEntry[]> {
  return platform === 'linux' ? listFromProc(marker) : listFromPs(marker);
}

async function listFromProc(marker: string): Promise<ProcessEntry[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const needle = `${MARKER}=${marker}`;
  const entries = await Promise.all(
    names.map(async (name): Promise<ProcessEntry | undefined> => {
      try {
        const [stat, environment] = await Promise.all([
          readFile(`/proc/${name}/stat`, 'utf8'),
          // Another person's process does not show its environment.
          readFile(`/proc/${name}/environ`, 'utf8').catch(() => ''),
        ]);
        // The command name may hold blanks and brackets; the state and parent follow its closing one.
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state === 'Z') return undefined;
        return {
          pid: Number(name),
          parent: Number(parent),
          marked: environment.startsWith(needle) || environment.includes(`\0${needle}`),
        };
      } catch {
        return undefined;
      }
    }),
  );
  return entries.filter((entry) => entry !== undefined);
}

async function listFromPs(marker: string): Promise<ProcessEntry[]> {
  // -E shows environments of one's own processes after the command.
  const { stdout } = await run('ps', ['-axEww', '-o', 'pid=,ppid=,command='], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split('\n').flatMap((line) => {
    const fields = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    if (!fields) return [];
    const marked = ` ${fields[3]}`.includes(` ${MARKER}=${marker}`);
    return [{ pid: Number(fields[1]), parent: Number(fields[2]), marked }];
  });
}
