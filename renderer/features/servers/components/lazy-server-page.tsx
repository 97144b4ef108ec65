import { lazyScreen } from '#renderer/components/lazy-screen.tsx';

/** An MCP server by hand. Its code is loaded after the first screen. */
export const ServerPage = lazyScreen(
  'Loading the server',
  async () => (await import('./server-page.tsx')).ServerPage,
);
