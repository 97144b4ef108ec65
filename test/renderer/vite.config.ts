import { join } from 'node:path';
import { mergeConfig } from 'vite';
import base from '../../vite.config.ts';

/** The renderer over recorded answers instead of a running app: for a look at any state it can be in. */
export default mergeConfig(base, {
  root: import.meta.dirname,
  cacheDir: join(import.meta.dirname, '../../node_modules/.vite-fixtures'),
  build: { outDir: join(import.meta.dirname, '../../out/renderer-fixtures') },
});
