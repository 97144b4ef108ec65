import { lazyScreen } from '#renderer/components/lazy-screen.tsx';

/** What connects an account. Its code is loaded after the first screen. */
export const ConnectPanel = lazyScreen(
  'Loading',
  async () => (await import('./connect-panel.tsx')).ConnectPanel,
);
