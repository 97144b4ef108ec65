import { rm } from 'node:fs/promises';
import type { Server } from 'node:http';

/** Listens on a socket of the run's volume, which every user of its containers may open: a token is what admits. */
export async function listenOnPath(server: Server, socketPath: string): Promise<void> {
  // A named pipe of Windows is gone with the process that held it.
  if (process.platform !== 'win32') await rm(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path: socketPath, readableAll: true, writableAll: true }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}
