import { Socket } from 'node:net';
import { join } from 'node:path';

/**
 * Loaded into an app under test: sockets outside the folder SLIPWAY_TEST_SOCKETS are as if they were not
 * there, so that the app finds no engine of this machine but the one a test puts into that folder.
 */
const folder = process.env['SLIPWAY_TEST_SOCKETS'] ?? '';
// oxlint-disable-next-line typescript/unbound-method -- it is called with the socket it was called on
const connect = Socket.prototype.connect as (...parameters: unknown[]) => Socket;

Socket.prototype.connect = function hidden(this: Socket, ...parameters: unknown[]): Socket {
  // Node's own callers pass one array of options and callback.
  const [first] = parameters;
  const options: unknown = Array.isArray(first) ? first[0] : first;
  if (hasPath(options) && !options.path.startsWith(folder)) options.path = join(folder, 'hidden.sock');
  return connect.apply(this, parameters);
};

function hasPath(options: unknown): options is { path: string } {
  if (typeof options !== 'object' || options === null || !('path' in options)) return false;
  return typeof options.path === 'string' && options.path !== '';
}
