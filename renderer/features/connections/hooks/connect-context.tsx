import { createContext, use, useMemo, useState, type ReactNode } from 'react';
import type { ScopeReason } from '#shared/tools/scopes.ts';

/** What the connect sheet is opened for. */
export interface ConnectWish {
  readonly integrationId: string;
  /** The way to connect; the person chooses when it is absent and there are several. */
  readonly authKey?: string | undefined;
  /** Scopes to ask for, besides the method's defaults. */
  readonly scopes?: readonly string[] | undefined;
  /** Why scopes are asked for, where that is known. */
  readonly reasons?: Readonly<Record<string, readonly ScopeReason[]>> | undefined;
  /** The connection to renew or to grant more; the person chooses when it is absent. */
  readonly connectionId?: string | undefined;
  /** Another account is wanted, whichever there are. */
  readonly isNew?: boolean | undefined;
}

interface ConnectDesk {
  readonly wish: ConnectWish | undefined;
  readonly open: (wish: ConnectWish) => void;
  readonly close: () => void;
}

const ConnectContext = createContext<ConnectDesk | undefined>(undefined);

/** Gives every screen below the window's one connect sheet. */
export function ConnectProvider({ children }: { children: ReactNode }) {
  const [wish, setWish] = useState<ConnectWish | undefined>(undefined);
  const desk = useMemo(() => ({ wish, open: setWish, close: () => setWish(undefined) }), [wish]);
  return <ConnectContext value={desk}>{children}</ConnectContext>;
}

/** The window's connect sheet. @throws Error outside of {@link ConnectProvider}. */
export function useConnectSheet(): ConnectDesk {
  const desk = use(ConnectContext);
  if (!desk) throw new Error('useConnectSheet needs a ConnectProvider above it');
  return desk;
}

/** What the manifest editor can ask for: connect, or grant the rest of the scopes. */
export function useConnectActions(): {
  readonly connect: (integration: string, authKey: string, scopes: readonly string[]) => void;
} {
  const { open } = useConnectSheet();
  return useMemo(
    () => ({
      connect: (integrationId: string, authKey: string, scopes: readonly string[]) =>
        open({ integrationId, authKey, scopes }),
    }),
    [open],
  );
}
