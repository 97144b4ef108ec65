import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Name of the world the preload script runs in. */
export const PRELOAD_WORLD = 'preload';
/** Function of that world that takes a text to this process. */
export const TO_MAIN = 'standinToMain';

export interface PageScripts {
  /** For the page's own world. */
  readonly page: string;
  /** For the preload script's world, with the app's bundle in it. */
  readonly preload: string;
}

/** Makes the scripts that put a preload bundle before every page, in a world of its own. */
export async function makePageScripts(preloadFile: string): Promise<PageScripts> {
  const channel = `const STANDIN_CHANNEL = ${JSON.stringify(`standin-${randomUUID()}`)};`;
  const [page, preload] = await Promise.all(['page-world.ts', 'preload-world.ts'].map(bundle));
  return {
    page: `{ ${channel} ${page} }`,
    preload: `if (window === window.top) {
      ${channel}
      ${preload}
      (function (require, module, exports) {
        ${readFileSync(preloadFile, 'utf8')}
      })(standinRequire, { exports: {} }, {});
    }`,
  };
}

async function bundle(name: string): Promise<string> {
  const build = await rolldown({ input: join(import.meta.dirname, 'page', name), logLevel: 'silent' });
  const { output } = await build.generate({ format: 'iife' });
  await build.close();
  return output[0].code;
}
