import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file that only this user may read, for the length of a command; a token in it is in no argument or output. */
export async function openPrivateFile(
  name: string,
  text: string,
): Promise<{ path: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-private-'));
  const path = join(folder, name);
  await writeFile(path, text, { mode: 0o600 });
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
