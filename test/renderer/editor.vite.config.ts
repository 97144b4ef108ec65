import { join } from 'node:path';
import { mergeConfig } from 'vite';
import base from '../../vite.config.ts';

/** The editor alone, over a library in memory. */
export default mergeConfig(base, {
  root: import.meta.dirname,
  cacheDir: join(import.meta.dirname, '../../node_modules/.vite-editor'),
  build: {
    outDir: join(import.meta.dirname, '../../out/renderer-editor'),
    rolldownOptions: { input: join(import.meta.dirname, 'editor.html') },
  },
});
