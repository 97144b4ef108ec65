import { lazyScreen } from '#renderer/components/lazy-screen.tsx';

/** The settings. Their code is loaded after the first screen. */
export const SettingsScreen = lazyScreen(
  'Loading the settings',
  async () => (await import('./settings-screen.tsx')).SettingsScreen,
);
