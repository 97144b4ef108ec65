import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Lines of a server's standard error that are kept, and their length (reference: sidecar, section 6.5). */
export const KEPT_LINES = 20;
export const LINE_CHARACTERS = 500;

/** Reads a stream to its end, so that it never holds its program up; gives each line that is not empty. */
export function eachLine(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let partial = '';
  const tell = (line: string): void => {
    // What a terminal would do with control characters is nobody's business.
    const text = line.replaceAll(/\p{Cc}+/gu, ' ').trim();
    if (text !== '') onLine(text.slice(0, LINE_CHARACTERS));
  };
  stream.on('data', (chunk: Buffer) => {
    const lines = (partial + decoder.write(chunk)).split('\n');
    // A line without an end never holds more than what a secret that is cut in it could take.
    partial = (lines.pop() ?? '').slice(0, 2 * LINE_CHARACTERS);
    for (const line of lines) tell(line);
  });
  stream.once('end', () => tell(partial));
  stream.on('error', () => stream.destroy());
}
