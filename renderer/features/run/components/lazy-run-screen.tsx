import { lazyScreen } from '#renderer/components/lazy-screen.tsx';

/** The page of a run. Its code is loaded after the first screen. */
export const RunScreen = lazyScreen(
  'Loading the run',
  async () => (await import('./run-screen.tsx')).RunScreen,
);
