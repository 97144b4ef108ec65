import { join } from 'node:path';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: join(import.meta.dirname, 'renderer'),
  base: './',
  plugins: [react(), tailwind()],
  worker: { format: 'es' },
  build: {
    outDir: join(import.meta.dirname, 'out', 'renderer'),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    // The largest is the code editor's, which nothing loads before the first text is shown. A group of its
    // own would draw in what the first page needs too.
    chunkSizeWarningLimit: 3000,
  },
});
