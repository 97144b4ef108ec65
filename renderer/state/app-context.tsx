import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, use, type ReactNode } from 'react';
import { useStore } from 'zustand';
import type { IpcClient } from '#shared/ipc/client.ts';
import type { ShellBridge } from '#shared/ipc/frames.ts';
import type { AppState, AppStore } from './app-store.ts';
import type { Notices } from './notices.ts';
import type { StartedRuns } from './started-runs.ts';

/** What every screen may use; made once by the entry. */
export interface AppServices {
  readonly bridge: ShellBridge;
  readonly client: IpcClient;
  readonly store: AppStore;
  readonly notices: Notices;
  readonly startedRuns: StartedRuns;
}

const ServicesContext = createContext<AppServices | undefined>(undefined);

/** Answers are kept until something says they changed; an error is shown, not tried again behind one's back. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  });
}

export function AppProvider({
  services,
  queryClient,
  children,
}: {
  services: AppServices;
  queryClient: QueryClient;
  children: ReactNode;
}) {
  return (
    <QueryClientProvider client={queryClient}>
      <ServicesContext value={services}>{children}</ServicesContext>
    </QueryClientProvider>
  );
}

/** The app's services. @throws Error outside of {@link AppProvider}. */
export function useServices(): AppServices {
  const services = use(ServicesContext);
  if (!services) throw new Error('useServices needs an AppProvider above it');
  return services;
}

/** A part of what main has told. */
export function useApp<T>(select: (state: AppState) => T): T {
  return useStore(useServices().store, select);
}
