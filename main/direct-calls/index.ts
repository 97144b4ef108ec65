export { createCredentialProxies, type CredentialProxies } from './credential-proxies.ts';
export type { CredentialProxy } from './credential-proxy.ts';
export { openSession } from './open-session.ts';
export { planAccounts } from './plan-accounts.ts';
export { Playground, type PlaygroundOptions } from './playground.ts';
export type { PlaygroundRequest, PlaygroundService } from './playground-service.ts';
export { ServerDesk, type ServerDeskOptions } from './servers/server-desk.ts';
export type { FollowedLog, ServerService } from './servers/server-service.ts';
export { ServerTrials } from './servers/server-trials.ts';
