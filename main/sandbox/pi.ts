import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as PiModule from '@earendil-works/pi-coding-agent';

export type Pi = typeof PiModule;

/** The bundle Pi's package ships holds the whole SDK and needs no other module. */
const BUNDLE = 'node_modules/@earendil-works/pi-coding-agent/dist/bundle/index.js';

/**
 * Loads Pi from the nearest folder of modules above this program. By path, since the bundle is none of
 * the package's exports, and since the image holds nothing of the package but the bundle.
 */
export async function loadPi(): Promise<Pi> {
  // Whatever a session could look for in its user's home is looked for where nothing can be.
  process.env['PI_CODING_AGENT_DIR'] = '/nonexistent';
  process.env['PI_OFFLINE'] = '1';
  process.env['PI_TELEMETRY'] = '0';
  // Node has read it; the agent's own programs have no part in the image's cache.
  delete process.env['NODE_COMPILE_CACHE'];
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const bundle = join(folder, BUNDLE);
    if (existsSync(bundle)) return (await import(pathToFileURL(bundle).href)) as Pi;
    if (folder === dirname(folder)) throw new Error(`Pi is not installed above ${import.meta.dirname}.`);
  }
}
