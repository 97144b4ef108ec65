import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { createPeer, type Peer } from '#shared/protocol/peer.ts';
import { sidecarMainSide, sidecarSide } from '#shared/protocol/sidecar.ts';

type MainPeer = Peer<typeof sidecarSide, typeof sidecarMainSide, AbortSignal>;

/** What the parts of the sidecar need of its channel. */
export type MainLink = Pick<MainPeer, 'notify' | 'on' | 'request'>;

/**
 * The channel to main over the standard streams. From here on nothing else reaches standard output:
 * what a library prints goes to standard error.
 */
export function connectToMain(): { readonly peer: MainPeer; readonly listen: () => void } {
  const output = process.stdout;
  Object.defineProperty(process, 'stdout', { value: process.stderr });
  const connection = createMessageConnection(
    new StreamMessageReader(process.stdin),
    new StreamMessageWriter(output),
  );
  const peer = createPeer({
    channel: connection,
    own: sidecarSide,
    other: sidecarMainSide,
    otherName: 'Slipway',
    createAbort: () => new AbortController(),
    onFault: (fault) => report(`${fault.kind} ${fault.method ?? ''}: ${fault.detail}`),
  });
  return { peer, listen: () => connection.listen() };
}

/** Ends the program with one line on standard error when something nobody foresaw happens. */
export function exitOnCrash(): void {
  const crash = (error: unknown) => {
    report(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}

/** One line on standard error, which main keeps to explain an end. */
export function report(text: string): void {
  process.stderr.write(`${text.replaceAll('\n', ' | ')}\n`);
}
