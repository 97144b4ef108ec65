import { Transform, type TransformCallback } from 'node:stream';

/** Longest message a program may send: a run's largest events are far below it. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MAX_HEADER_BYTES = 1024;

/**
 * Passes Content-Length framed messages through and fails on one that is longer than any of ours, before
 * its bytes are gathered; takes no more until those before could be handled. The JSON-RPC reader bounds
 * neither a message nor how many wait, and the sandbox may send anything.
 */
export class FrameGuard extends Transform {
  readonly #maxMessageBytes: number;
  #header = '';
  #bodyLeft = 0;

  constructor(maxMessageBytes = MAX_MESSAGE_BYTES) {
    super();
    this.#maxMessageBytes = maxMessageBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    let offset = 0;
    let messages = 0;
    while (offset < chunk.length) {
      if (this.#bodyLeft > 0) {
        const taken = Math.min(this.#bodyLeft, chunk.length - offset);
        this.#bodyLeft -= taken;
        offset += taken;
        continue;
      }
      this.#header += String.fromCharCode(chunk[offset] ?? 0);
      offset += 1;
      if (this.#header.endsWith('\r\n\r\n')) {
        const length = Number(/^content-length: *(\d{1,12})\r$/im.exec(this.#header)?.[1] ?? Number.NaN);
        if (!(length <= this.#maxMessageBytes)) {
          callback(new Error('A message was longer than allowed, or had no length.'));
          return;
        }
        this.#header = '';
        this.#bodyLeft = length;
        messages += 1;
      } else if (this.#header.length > MAX_HEADER_BYTES) {
        callback(new Error('What arrived is no message.'));
        return;
      }
    }
    this.push(chunk);
    afterTurns(messages, callback);
  }
}

/** The reader handles one message in each turn of the event loop. */
function afterTurns(turns: number, callback: () => void): void {
  if (turns === 0) callback();
  else setImmediate(afterTurns, turns - 1, callback);
}
