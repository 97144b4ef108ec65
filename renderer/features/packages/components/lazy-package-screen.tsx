import { lazyScreen } from '#renderer/components/lazy-screen.tsx';

/** The page of a package. Its code is loaded after the first screen. */
export const PackageScreen = lazyScreen(
  'Loading the package',
  async () => (await import('./package-screen.tsx')).PackageScreen,
);
