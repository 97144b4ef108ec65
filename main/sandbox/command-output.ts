import { randomUUID } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the model is shown of a long output: its end, as Pi's own bash tool says in its description. */
const SHOWN_BYTES = 48 * 1024;
const SHOWN_LINES = 1900;
/** Bytes of an output that are kept in a file. The file lives in memory, with all the sandbox has. */
const KEPT_BYTES = 64 * 1024 * 1024;
/** Bytes that may wait to be written; a command that prints faster is kept no further. */
const WAITING_BYTES = 8 * 1024 * 1024;

/**
 * Gathers what a command prints: the end for the model, the whole in a file when it is longer. Unlike
 * Pi's own gathering it survives a full disk and holds a fixed amount of memory.
 */
export class CommandOutput {
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #totalBytes = 0;
  #file: WriteStream | undefined;
  #path: string | undefined;
  #keptBytes = 0;
  #isWhole = true;

  append(data: Buffer): void {
    this.#totalBytes += data.length;
    this.#keep(data);
    this.#tail.push(data);
    this.#tailBytes += data.length;
    while (this.#tailBytes - (this.#tail[0]?.length ?? 0) >= SHOWN_BYTES) {
      this.#tailBytes -= this.#tail.shift()?.length ?? 0;
    }
  }

  /** The newest of what was printed, at most so many bytes. */
  latest(maxBytes: number): string {
    return fromCharacterStart(Buffer.concat(this.#tail).subarray(-maxBytes)).toString('utf8');
  }

  /** Ends the gathering: the text for the model, which says what it leaves out. */
  async finish(): Promise<string> {
    await this.#closeFile();
    const shown = this.latest(SHOWN_BYTES);
    const lines = shown.split('\n');
    const text = lines.slice(-SHOWN_LINES).join('\n');
    const shownBytes = Buffer.byteLength(text);
    if (shownBytes >= this.#totalBytes) return text;
    return `${text}\n\n[Showing the last ${shownBytes} of ${this.#totalBytes} bytes. ${this.#whereabouts()}]`;
  }

  #whereabouts(): string {
    if (this.#path === undefined) return 'The rest could not be kept.';
    return this.#isWhole ? `Full output: ${this.#path}` : `The first ${this.#keptBytes} bytes: ${this.#path}`;
  }

  #keep(data: Buffer): void {
    if (this.#file === undefined && this.#totalBytes > SHOWN_BYTES && this.#isWhole) {
      this.#file = this.#openFile();
      for (const earlier of this.#tail) this.#write(this.#file, earlier);
    }
    if (this.#file) this.#write(this.#file, data);
  }

  #openFile(): WriteStream {
    const path = join(tmpdir(), `bash-${randomUUID()}.log`);
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    this.#path = path;
    file.on('error', () => {
      // No space left, most likely: what was written stays.
      this.#isWhole = false;
      this.#file = undefined;
      if (this.#keptBytes === 0) this.#path = undefined;
    });
    return file;
  }

  #write(file: WriteStream, data: Buffer): void {
    const isTooMuch = this.#keptBytes + data.length > KEPT_BYTES || file.writableLength > WAITING_BYTES;
    if (isTooMuch || !this.#isWhole) {
      this.#isWhole = false;
      return;
    }
    file.write(data, (error) => {
      if (!error) this.#keptBytes += data.length;
    });
  }

  #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      file.once('close', resolve);
      file.end();
    });
  }
}

/** Leaves out the bytes before the first that begins a character. */
function fromCharacterStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
