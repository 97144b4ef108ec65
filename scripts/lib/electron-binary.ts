import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Name of Electron's program in its folder. */
function programName(platform: NodeJS.Platform): string {
  switch (platform) {
    case 'darwin':
      return join('Electron.app', 'Contents', 'MacOS', 'Electron');
    case 'win32':
      return 'electron.exe';
    default:
      return 'electron';
  }
}

/**
 * Path of Electron's program, if it is here: in the folder of ELECTRON_OVERRIDE_DIST_PATH, else where its
 * package put it. Asking the package itself would start a download.
 * @param root Root of the repository.
 */
export function findElectronBinary(root: string): string | undefined {
  const name = programName(process.platform);
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
  const folder = override ?? join(root, 'node_modules', 'electron', 'dist');
  const path = join(folder, name);
  if (existsSync(path)) return path;
  const pathFile = join(root, 'node_modules', 'electron', 'path.txt');
  if (!existsSync(pathFile)) return undefined;
  const named = join(folder, readFileSync(pathFile, 'utf8').trim());
  return existsSync(named) ? named : undefined;
}
