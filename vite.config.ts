import { join } from 'node:path';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * What the first page needs comes in one piece: what it shares with later pages would else be forty. The entry
 * stays out of it, since it waits for a part that needs this one.
 */
const FIRST_PAGE = {
  name: 'first',
  tags: ['$initial' as const],
  test: /^(?!.*\/renderer\/(main\.tsx|index\.html)$)/,
};

/** Modules that do nothing but export, so that a page which takes one thing of a feature's index takes no more. */
const ONLY_EXPORTS = { test: /\/(renderer\/features|shared)\/.*\.tsx?$/, sideEffects: false };

export default defineConfig({
  root: join(import.meta.dirname, 'renderer'),
  base: './',
  plugins: [react(), tailwind()],
  worker: { format: 'es' },
  build: {
    // Lowered, `light-dark()` is decided at the root, and no part can be read in the other scheme.
    cssTarget: 'chrome130',
    outDir: join(import.meta.dirname, 'out', 'renderer'),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    // The largest is the code editor's, which nothing loads before the first text is shown.
    chunkSizeWarningLimit: 3000,
    rolldownOptions: {
      treeshake: { moduleSideEffects: [ONLY_EXPORTS] },
      output: { codeSplitting: { groups: [FIRST_PAGE] } },
    },
  },
});
