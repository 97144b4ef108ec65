import { defineConfig } from 'vitest/config';

/** What is waited for in a browser or an engine comes when it comes; a second is short on a busy machine. */
const PATIENT = { poll: { timeout: 15_000 } };

export default defineConfig({
  test: {
    reporters: ['default', './test/support/count-reporter.ts'],
    passWithNoTests: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{main,shared,renderer,scripts}/**/*.test.{ts,tsx}'],
          // Vitest leaves one core to others, which is half of a small machine.
          maxWorkers: '100%',
          testTimeout: 15_000,
        },
      },
      {
        extends: true,
        test: {
          // Real Docker, real containers: one file after another, so that two cores are enough.
          name: 'engine',
          include: ['test/engine/**/*.test.ts'],
          expect: PATIENT,
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 600_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          // The installable app, built over a stub of Electron's folder.
          name: 'packaging',
          include: ['test/packaging/**/*.test.ts'],
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          // The real app in Chromium.
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          expect: PATIENT,
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 600_000,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          // Parts of the page in Chromium, over what stands in for the rest of the app.
          name: 'renderer',
          include: ['test/renderer-e2e/**/*.test.ts'],
          expect: PATIENT,
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
