import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { config } from 'zod';
import { IpcClient } from '#shared/ipc/client.ts';
import type { ShellBridge } from '#shared/ipc/frames.ts';
import { Application } from './application.tsx';
import { AppProvider, createQueryClient } from './state/app-context.tsx';
import { createAppStore, followApp } from './state/app-store.ts';
import { applyRememberedAppearance } from './state/appearance.ts';
import { Notices } from './state/notices.ts';
import { StartedRuns } from './state/started-runs.ts';

/** Draws the app into an element, over a shell's bridge. */
export function mountApplication(root: Element, bridge: ShellBridge): void {
  applyRememberedAppearance();
  // The page's policy forbids compiling code, which zod would otherwise try.
  config({ jitless: true });
  const client = new IpcClient(bridge);
  const store = createAppStore();
  const following = followApp(store, client, bridge);
  const services = { bridge, client, store, notices: new Notices(), startedRuns: new StartedRuns() };
  // A page kept for the way back goes on; one that is thrown away tells main so.
  window.addEventListener('pagehide', (event) => {
    if (event.persisted) return;
    following[Symbol.dispose]();
    client[Symbol.dispose]();
  });
  createRoot(root).render(
    <StrictMode>
      <AppProvider services={services} queryClient={createQueryClient()}>
        <Application />
      </AppProvider>
    </StrictMode>,
  );
}
