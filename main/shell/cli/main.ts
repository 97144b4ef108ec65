import { join } from 'node:path';
import { readVersion } from '../version.ts';
import { runCommandLine } from './command-line.ts';
import { OutputStream } from './output-stream.ts';

const streams = {
  input: process.stdin,
  output: new OutputStream(process.stdout),
  errors: new OutputStream(process.stderr),
};
const version = readVersion(join(import.meta.dirname, '..', '..'));
const code = await runCommandLine(process.argv.slice(2), version, streams);
await Promise.all([streams.output.flush(), streams.errors.flush()]);
// Sockets to an engine may be open still.
process.exit(code);
