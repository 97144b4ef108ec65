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
export { ToolReviews, type ToolReviewService } from './tool-reviews.ts';
export { ServerSettings, type ShownSettings } from './server-settings.ts';
export type { IntegrationSource } from './integration-source.ts';
