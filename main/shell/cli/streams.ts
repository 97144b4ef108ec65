import type { OutputStream } from './output-stream.ts';

/** What a command reads, and where it writes. */
export interface Streams {
  readonly input: NodeJS.ReadStream;
  readonly output: OutputStream;
  readonly errors: OutputStream;
}
