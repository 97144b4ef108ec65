import { lazyScreen } from '#renderer/components/lazy-screen.tsx';

/** Servers that are tried. Its code is loaded after the first screen. */
export const TrialScreen = lazyScreen(
  'Loading the servers',
  async () => (await import('./trial-screen.tsx')).TrialScreen,
);
