export type {
  AuthReference,
  ConnectedAgent,
  ConnectionService,
  ConnectionState,
  ConnectRequest,
  CreateRequest,
  RunConnection,
} from './connection-service.ts';
export { Connections, type ConnectionsOptions } from './connections.ts';
export type { IntegrationSource } from './integration-source.ts';
