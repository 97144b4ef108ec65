export { AuthorNetwork } from './author-network.ts';
export {
  HttpOutbound,
  makeDispatcher,
  type DispatcherOptions,
  type NetworkChoice,
  type Outbound,
  type OutboundRequest,
  type OutboundResponse,
} from './outbound.ts';
export { isLoopbackHost, proxyFor, type ProxyChoice } from './proxy.ts';
