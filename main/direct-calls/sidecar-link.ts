import { PassThrough } from 'node:stream';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { ConnectionService } from '#main/connections/index.ts';
import type { Logger } from '#main/logging/index.ts';
import type { MainLink } from '#main/sidecar/stdio.ts';
import type { OutboundCall } from '#shared/protocol/integrations.ts';
import { createPeer, type Peer } from '#shared/protocol/peer.ts';
import { sidecarMainSide, sidecarSide } from '#shared/protocol/sidecar.ts';

/** What the sidecar's code needs of main. */
export interface SidecarLinkOptions {
  readonly connections: Pick<ConnectionService, 'credentials' | 'onCredentialChange'>;
  readonly onOutboundCall: (call: OutboundCall) => void;
  readonly logger: Logger;
}

/** The sidecar's end of its channel to main. */
export interface SidecarLink extends Disposable {
  readonly link: MainLink;
  /** Main's end, for what else is answered there. */
  readonly main: Peer<typeof sidecarMainSide, typeof sidecarSide, AbortSignal>;
  /** Resolves when main has heard all that the sidecar has told so far. */
  readonly settle: () => Promise<void>;
}

/**
 * Both ends of the channel between a sidecar and main, in this process: the sidecar's code asks for
 * credentials and tells of its calls by the same contract as in a container.
 */
export function linkSidecar({ connections, onOutboundCall, logger }: SidecarLinkOptions): SidecarLink {
  const [down, up] = [new PassThrough(), new PassThrough()];
  const sidecarEnd = createMessageConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
  const mainEnd = createMessageConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
  const common = {
    createAbort: () => new AbortController(),
    onFault: (fault: object) => logger.warn({ fault }, 'A call outside of a run broke its contract'),
  };
  const sidecar = createPeer({
    channel: sidecarEnd,
    own: sidecarSide,
    other: sidecarMainSide,
    otherName: 'Slipway',
    ...common,
  });
  const main = createPeer({
    channel: mainEnd,
    own: sidecarMainSide,
    other: sidecarSide,
    otherName: 'the sidecar',
    ...common,
  });
  main.handle('credentials', ({ connectionId, reason }, signal) =>
    connections.credentials(connectionId, reason, signal),
  );
  sidecar.handle('settle', () => Promise.resolve({}));
  main.on('outboundCall', ({ call }) => onOutboundCall(call));
  const stop = connections.onCredentialChange(
    (connectionId) => void main.notify('credentialsChanged', { connectionId }),
  );
  sidecarEnd.listen();
  mainEnd.listen();
  return {
    link: sidecar,
    main,
    settle: async () => void (await main.request('settle', {})),
    [Symbol.dispose]() {
      stop();
      sidecar[Symbol.dispose]();
      main[Symbol.dispose]();
      sidecarEnd.dispose();
      mainEnd.dispose();
    },
  };
}
