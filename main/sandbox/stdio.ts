import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { createPeer, type Peer } from '#shared/protocol/peer.ts';
import { sandboxMainSide, sandboxSide } from '#shared/protocol/sandbox.ts';

export type MainPeer = Peer<typeof sandboxSide, typeof sandboxMainSide, AbortSignal>;

/**
 * The channel to main over the standard streams. From here on nothing else reaches standard output:
 * what Pi or a library prints goes to standard error.
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
    own: sandboxSide,
    other: sandboxMainSide,
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
