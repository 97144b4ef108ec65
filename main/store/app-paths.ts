import { homedir } from 'node:os';
import { join } from 'node:path';

export interface PathEnvironment {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** The environment of this process. */
export function processEnvironment(): PathEnvironment {
  return { platform: process.platform, home: homedir(), variables: process.env };
}

/** Folder of the author's data when none is given: the platform's own place for it. */
export function defaultDataDirectory({ platform, home, variables }: PathEnvironment): string {
  const chosen = variables['SLIPWAY_DATA_DIR'];
  if (chosen) return chosen;
  switch (platform) {
    case 'darwin':
      return join(home, 'Library', 'Application Support', 'Slipway');
    case 'win32':
      return join(variables['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'Slipway');
    default:
      return join(variables['XDG_DATA_HOME'] ?? join(home, '.local', 'share'), 'slipway');
  }
}

/** Folder for what the instances of one person on one machine share, whatever their data folders. */
export function stateDirectory({ platform, home, variables }: PathEnvironment): string {
  switch (platform) {
    case 'darwin':
      return join(home, 'Library', 'Caches', 'Slipway');
    case 'win32':
      return join(variables['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'Slipway');
    default:
      return join(variables['XDG_STATE_HOME'] ?? join(home, '.local', 'state'), 'slipway');
  }
}
