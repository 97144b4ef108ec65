export { addCertificates, removeCertificate, splitCertificates } from './certificates.ts';
export { AuthorNetwork, type BuildNetwork } from './author-network.ts';
export {
  HttpOutbound,
  makeDispatcher,
  type DispatcherOptions,
  type NetworkChoice,
  type Outbound,
  type OutboundRequest,
  type OutboundResponse,
} from './outbound.ts';
export { proxyOfAnswer } from './system-proxy.ts';
export { isLoopbackHost, proxyFor, type ProxyChoice, type SystemProxy } from './proxy.ts';
