import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { createPeer } from '#shared/protocol/peer.ts';
import { sidecarMainSide, sidecarSide } from '#shared/protocol/sidecar.ts';

/** The built sidecar in a process of its own, and main's side of it; the caller listens on `channel`. */
export function startSidecarProgram(root: string) {
  const child = spawn(process.execPath, [join(root, 'out', 'programs', 'sidecar.js')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const channel = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const peer = createPeer({
    channel,
    own: sidecarMainSide,
    other: sidecarSide,
    otherName: 'the sidecar',
    createAbort: () => new AbortController(),
    onFault: (fault) => process.stderr.write(`${JSON.stringify(fault)}\n`),
  });
  return {
    pid: child.pid ?? 0,
    channel,
    peer,
    async [Symbol.asyncDispose](): Promise<void> {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
