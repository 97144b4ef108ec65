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
    chunkSizeWarningLimit: 1500,
  },
});
