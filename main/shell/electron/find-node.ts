import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** Oldest Node that Pi runs on. */
const REQUIRED = { major: 22, minor: 19 };
const ANSWER_TIMEOUT_MS = 3_000;

/**
 * Finds a Node of its own on this computer. The app's binary may not serve as one: its fuse for that is
 * off. Programs that are started from a desktop do not have the shell's PATH, so usual folders count too.
 */
export async function findNode(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const onPath = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of new Set([...onPath, ...usualFolders(environment)])) {
    const path = join(folder, name);
    if (await isNewEnough(path)) return path;
  }
  return undefined;
}

function usualFolders(environment: Readonly<Record<string, string | undefined>>): string[] {
  if (process.platform === 'win32') {
    const programs = environment['PROGRAMFILES'];
    return programs ? [join(programs, 'nodejs')] : [];
  }
  return ['/usr/local/bin', '/opt/homebrew/bin', join(homedir(), '.volta', 'bin')];
}

async function isNewEnough(path: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: ANSWER_TIMEOUT_MS });
    const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(stdout) ?? [];
    const version = { major: Number(major), minor: Number(minor) };
    return (
      version.major > REQUIRED.major || (version.major === REQUIRED.major && version.minor >= REQUIRED.minor)
    );
  } catch {
    return false;
  }
}
