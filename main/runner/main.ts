import { mkdirSync, readSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  MAX_RUNNER_START_BYTES,
  RUNNER_FAILED,
  RUNNER_LENGTH_BYTES,
  runnerStartSchema,
} from '#shared/protocol/runner.ts';

/**
 * The first program of a runner: takes from standard input what the MCP server is given, then becomes the
 * server, which reads on where this stopped.
 */
// When the image is built: Node then keeps what V8 made of the code, for every start.
if (process.argv.includes('--rehearse')) process.exit(0);
try {
  const length = readExactly(RUNNER_LENGTH_BYTES).readUInt32BE();
  if (length > MAX_RUNNER_START_BYTES) throw new Error('What the server is given is too large.');
  const start = runnerStartSchema.parse(JSON.parse(readExactly(length).toString('utf8')));
  for (const { path, mode, text } of start.files) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // A file that is there already is none of ours.
    writeFileSync(path, text, { mode, flag: 'wx' });
  }
  process.execve?.(start.command, [start.command, ...start.arguments], start.environment);
  throw new Error('This version of Node cannot become another program.');
} catch (error) {
  const { code, syscall } = error as NodeJS.ErrnoException;
  // The message of a parser may quote what it was given.
  const reason = code === undefined || syscall === undefined ? nameOf(error) : `${syscall}: ${code}`;
  process.stderr.write(`The server could not be started (${reason}).\n`);
  process.exit(RUNNER_FAILED);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : 'unknown';
}

/** Not a byte more than is wanted: the rest is the server's. */
function readExactly(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let read = 0; read < length;) {
    const count = readSync(0, bytes, read, length - read, null);
    // Main has gone before it said what to start.
    if (count === 0) process.exit(0);
    read += count;
  }
  return bytes;
}
