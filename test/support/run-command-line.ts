import { PassThrough } from 'node:stream';
import { runCommandLine } from '#main/shell/cli/command-line.ts';
import { OutputStream } from '#main/shell/cli/output-stream.ts';

/** Version that the command line of {@link runWords} says it has. */
const VERSION = '1.2.3';

/** Runs the command line in this process with some words, and keeps what it prints. */
export async function runWords(
  ...words: string[]
): Promise<{ code: number; output: string; errors: string }> {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const streams = {
    input: process.stdin,
    output: new OutputStream(output),
    errors: new OutputStream(errors),
  };
  const code = await runCommandLine(words, VERSION, streams);
  return {
    code,
    output: String((output.read() as Buffer | null) ?? ''),
    errors: String((errors.read() as Buffer | null) ?? ''),
  };
}
