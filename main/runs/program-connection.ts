import type { Readable } from 'node:stream';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { AttachedStreams } from '#main/engines/engine.ts';
import { createPeer, type Peer, type Side } from '#shared/protocol/peer.ts';
import { FrameGuard } from './frame-guard.ts';

/** Lines of a program's standard error that are kept to explain its end. */
const KEPT_ERROR_LINES = 20;
const MAX_ERROR_LINE = 400;
/** Faults after which a program is heard no more: whatever it is, it is not ours, and each fills the log. */
const MAX_FAULTS = 50;

/** Main's end of the channel to one program in a container. */
export interface ProgramConnection<Own extends Side, Program extends Side> extends Disposable {
  readonly peer: Peer<Own, Program, AbortSignal>;
  /** Begins to listen; handlers and listeners are set before. */
  listen(): void;
  /** The newest lines the program wrote to standard error. */
  readonly errorLines: readonly string[];
}

/**
 * Speaks JSON-RPC over a container's attached streams. A program that breaks the framing, or keeps breaking
 * the contract, loses its connection, which `peer.closed` tells.
 */
export function connectProgram<Own extends Side, Program extends Side>(options: {
  streams: AttachedStreams;
  own: Own;
  program: Program;
  name: string;
  onFault(detail: string): void;
}): ProgramConnection<Own, Program> {
  const { stdin, stdout, stderr } = options.streams;
  const guard = new FrameGuard();
  let faults = 0;
  const giveUp = () => {
    guard.destroy();
    stdout.destroy();
    channel.end();
  };
  const channel = createMessageConnection(new StreamMessageReader(guard), new StreamMessageWriter(stdin));
  const peer = createPeer<Own, Program, AbortSignal>({
    channel,
    own: options.own,
    other: options.program,
    otherName: options.name,
    createAbort: () => {
      const controller = new AbortController();
      return { signal: controller.signal, abort: () => controller.abort() };
    },
    onFault: (fault) => {
      faults += 1;
      if (faults > MAX_FAULTS) return;
      options.onFault(`${fault.kind} ${fault.method ?? ''}: ${fault.detail}`);
      if (faults === MAX_FAULTS) giveUp();
    },
  });
  const errorLines = keepErrorLines(stderr);
  // A failing stream shows as the end of the connection; unheard, its error would end the app.
  const close = () => channel.end();
  guard.on('error', giveUp);
  stdout.on('error', close);
  stdin.on('error', close);
  return {
    peer,
    errorLines,
    listen() {
      channel.listen();
      stdout.pipe(guard);
    },
    [Symbol.dispose]() {
      peer[Symbol.dispose]();
      stdout.unpipe(guard);
      channel.dispose();
      guard.destroy();
      stdin.destroy();
      stdout.destroy();
      stderr.destroy();
    },
  };
}

/** Reads standard error to its end, so that it never blocks the program, and keeps the last lines. */
function keepErrorLines(stderr: Readable): readonly string[] {
  const kept: string[] = [];
  let partial = '';
  stderr.setEncoding('utf8');
  stderr.on('data', (text: string) => {
    const lines = (partial + text).split('\n');
    // A line without an end, however long, never holds more than this.
    partial = (lines.pop() ?? '').slice(0, MAX_ERROR_LINE);
    for (const line of lines) {
      if (line.trim() !== '') kept.push(line.slice(0, MAX_ERROR_LINE));
    }
    kept.splice(0, kept.length - KEPT_ERROR_LINES);
  });
  stderr.on('error', () => stderr.destroy());
  return kept;
}
