export { createCredentialProxies, type CredentialProxies } from './credential-proxies.ts';
export type { CredentialProxy } from './credential-proxy.ts';
export { openSession } from './open-session.ts';
export { planAccounts } from './plan-accounts.ts';
export { Playground, type PlaygroundOptions } from './playground.ts';
export type { PlaygroundRequest, PlaygroundService } from './playground-service.ts';
