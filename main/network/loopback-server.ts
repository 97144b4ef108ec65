import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { ProblemError } from '#shared/problem.ts';

/** Listens for programs of this computer alone; on any free port for 0. @throws ProblemError `port_unusable`. */
export async function listenOnLoopback(server: Server, port: number): Promise<void> {
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    throw new ProblemError(
      {
        code: 'port_unusable',
        title: 'The port cannot be used',
        detail: `Nothing can listen on port ${port} of this computer (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`,
        action: 'Choose another port, or none to get a free one.',
      },
      { cause: error },
    );
  }
}

/** Whether a request's `Authorization` carries the token, told in constant time: digests make lengths equal. */
export function bearsToken(authorization: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const presented = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  return presented !== undefined && timingSafeEqual(digest(presented), digest(token));
}
