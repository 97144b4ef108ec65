import type { OutboundCall } from '#shared/protocol/integrations.ts';
import type { CredentialProxy } from './credential-proxy.ts';
import type { PlaygroundOptions } from './playground.ts';

/** Starts proxies. Each belongs to who started it, and ends with it. */
export interface CredentialProxies {
  /**
   * @param port any free one when absent
   * @param onOutboundCall told of every request, beside the app's own record
   * @throws ProblemError `port_unusable`, `sidecar_settings_invalid`.
   */
  start(options: {
    readonly port?: number | undefined;
    readonly onOutboundCall?: (call: OutboundCall) => void;
  }): Promise<CredentialProxy>;
}

export function createCredentialProxies(options: PlaygroundOptions): CredentialProxies {
  return {
    async start({ port, onOutboundCall }) {
      // The sidecar's code is loaded by who uses it, not with the app.
      const { CredentialProxy } = await import('./credential-proxy.ts');
      return CredentialProxy.start({
        ...options,
        limits: options.limits(),
        network: options.network(),
        port,
        onOutboundCall: (call) => {
          options.onOutboundCall(call);
          onOutboundCall?.(call);
        },
      });
    },
  };
}
