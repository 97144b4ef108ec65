export {
  HttpOutbound,
  makeDispatcher,
  type NetworkChoice,
  type Outbound,
  type OutboundRequest,
  type OutboundResponse,
} from './outbound.ts';
export { isLoopbackHost, proxyFor, type ProxyChoice } from './proxy.ts';
