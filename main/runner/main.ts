import { spawn } from 'node:child_process';
import { mkdirSync, readSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream';
import {
  MAX_RUNNER_START_BYTES,
  RUNNER_FAILED,
  RUNNER_LENGTH_BYTES,
  runnerStartSchema,
  type RunnerStart,
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
  if (start.egress !== undefined) forwardAndRun(start, start.egress);
  else become(start);
} catch (error) {
  giveUp(error);
}

/** The server takes the place of this program, with its standard streams. */
function become({ command, arguments: given, environment }: RunnerStart): void {
  process.execve?.(command, [command, ...given], environment);
  throw new Error('This version of Node cannot become another program.');
}

/** With a way out this program stays, as the way, and runs the server beside itself. */
function forwardAndRun(start: RunnerStart, egress: NonNullable<RunnerStart['egress']>): void {
  const forwarder = createServer({ allowHalfOpen: true }, (client) => {
    const proxy = connect({ path: egress.socketPath, allowHalfOpen: true });
    pipeline(client, proxy, client, () => undefined);
  });
  forwarder.once('error', giveUp);
  forwarder.listen(egress.port, '127.0.0.1', () => {
    const { command, arguments: given, environment } = start;
    const server = spawn(command, given, { env: environment, stdio: 'inherit' });
    server.once('error', giveUp);
    server.once('exit', (code, signal) =>
      process.exit(code ?? (signal === null ? 1 : 128 + constants.signals[signal])),
    );
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => server.kill(signal));
  });
}

function giveUp(error: unknown): never {
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
