import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findElectronBinary } from './electron-binary.ts';

/** Milliseconds for about 120 MB over a slow line. */
const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;

/** Where Electron's program is, or why it cannot be had. */
export type ElectronSearch = { readonly binary: string } | { readonly reason: string };

/** Finds Electron's program; downloads it with the package's own installer when it is not here yet. */
export async function fetchElectron(root: string, log: (line: string) => void): Promise<ElectronSearch> {
  const present = findElectronBinary(root);
  if (present) return { binary: present };
  log('Fetching Electron (once, about 120 MB) …');
  const installer = spawn(process.execPath, [join(root, 'node_modules', 'electron', 'install.js')], {
    stdio: ['ignore', 'inherit', 'pipe'],
    timeout: DOWNLOAD_TIMEOUT_MS,
  });
  const [complaint] = await Promise.all([text(installer.stderr), once(installer, 'exit')]);
  const fetched = findElectronBinary(root);
  if (fetched) return { binary: fetched };
  return { reason: reasonIn(complaint) };
}

/** The first line of an error's printout, without the name of its class. */
function reasonIn(complaint: string): string {
  const line = complaint.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  return line.replace(/^\w*Error: /, '').trim() || 'the download did not end';
}
