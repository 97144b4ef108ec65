import { Readable, Writable } from 'node:stream';

/** Docker's frame header: stream number, three zeros, then the length of the payload (big endian). */
const HEADER_BYTES = 8;
const STDERR = 2;
/** Docker's own errors about the stream, since API 1.24. */
const SYSTEM_ERROR = 3;

type Release = (error?: Error | null) => void;

/**
 * Takes an engine's attached stream apart into standard output and error, with back-pressure: while
 * either output is full nothing more is taken in, so memory stays bounded however much a program prints.
 * Both outputs must be read, else the program waits.
 */
export class Demultiplexer extends Writable {
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerFilled = 0;
  #payloadLeft = 0;
  #output: Readable;
  /** Outputs that asked for a pause, and who waits for them. */
  readonly #full = new Set<Readable>();
  #waiting: Release | undefined;

  constructor() {
    super({ decodeStrings: true });
    this.stdout = this.#makeOutput();
    this.stderr = this.#makeOutput();
    this.#output = this.stdout;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Release): void {
    try {
      this.#consume(chunk);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (this.#full.size === 0) done();
    else this.#waiting = done;
  }

  override _final(done: Release): void {
    if (this.#headerFilled > 0 || this.#payloadLeft > 0) {
      done(new Error("The engine's stream ended in the middle of a frame."));
      return;
    }
    this.stdout.push(null);
    this.stderr.push(null);
    done();
  }

  override _destroy(error: Error | null, done: Release): void {
    // After a regular end the outputs may still hold unread bytes.
    if (!this.writableFinished) {
      this.stdout.destroy(error ?? undefined);
      this.stderr.destroy(error ?? undefined);
    }
    done(error);
  }

  #makeOutput(): Readable {
    const output: Readable = new Readable({
      read: () => this.#release(output),
      // Whoever gives up one output does not stop the other.
      destroy: (error, done) => {
        this.#release(output);
        done(error);
      },
    });
    // A lost engine ends both outputs; nobody has to listen on each for the process to survive that.
    output.on('error', () => undefined);
    return output;
  }

  #release(output: Readable): void {
    if (!this.#full.delete(output) || this.#full.size > 0) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }

  #consume(chunk: Buffer): void {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#payloadLeft === 0) {
        const taken = chunk.copy(this.#header, this.#headerFilled, offset);
        this.#headerFilled += taken;
        offset += taken;
        if (this.#headerFilled < HEADER_BYTES) return;
        this.#readHeader();
        continue;
      }
      const payload = chunk.subarray(offset, offset + this.#payloadLeft);
      offset += payload.length;
      this.#payloadLeft -= payload.length;
      if (!this.#output.destroyed && !this.#output.push(payload)) this.#full.add(this.#output);
    }
  }

  #readHeader(): void {
    const header = this.#header;
    const stream = header.readUInt8(0);
    if (stream > SYSTEM_ERROR || header.readUIntBE(1, 3) !== 0)
      throw new Error("The engine's stream is not in Docker's multiplexed form.");
    this.#headerFilled = 0;
    this.#payloadLeft = header.readUInt32BE(4);
    this.#output = stream >= STDERR ? this.stderr : this.stdout;
  }
}
