export { ServerPage } from './components/lazy-server-page.tsx';
export { useServers } from './hooks/use-servers.ts';
