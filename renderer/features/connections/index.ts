/**
 * Accounts at services, for other features:
 * `useConnectActions().connect(integration, authKey, scopes)` connects or grants the rest, in the window's
 * one connect sheet; `useGrantedConnections()` lists connections with their scopes, live. Both have the
 * shapes of the manifest editor's ports.
 */
export { ConnectionsScreen } from './components/lazy-connections-screen.tsx';
export { ConnectSheet } from './components/connect-sheet.tsx';
export { IntegrationConnections } from './components/integration-connections.tsx';
export { ServerSettings } from './components/server-settings.tsx';
export { RunAccounts } from './components/run-accounts.tsx';
export { RequirementSheet } from './components/requirement-sheet.tsx';
export {
  ConnectProvider,
  useConnectActions,
  useConnectSheet,
  type ConnectWish,
} from './hooks/connect-context.tsx';
export { useGrantedConnections } from './hooks/use-granted-connections.ts';
export { RequirementProvider, useRunGate } from './hooks/requirement-sheet.tsx';
