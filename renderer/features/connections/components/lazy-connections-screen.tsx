import { lazyScreen } from '#renderer/components/lazy-screen.tsx';

/** The accounts of all services. Its code is loaded after the first screen. */
export const ConnectionsScreen = lazyScreen(
  'Loading the connections',
  async () => (await import('./connections-screen.tsx')).ConnectionsScreen,
);
