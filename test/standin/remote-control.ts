import { runInThisContext } from 'node:vm';
import * as electron from './electron.ts';
import { browser } from './app.ts';
import type { ControlMessage, ControlRequest } from './control.ts';

const send = (message: ControlMessage) => void process.send?.(message);

process.on('message', (request: ControlRequest) => void answer(request));
// The test that started this process is gone, so nobody would end it.
process.on('disconnect', () => {
  try {
    browser().kill();
  } catch {
    // It was not started yet.
  }
  process.exit(1);
});
process.on('SIGTERM', () => electron.app.quit());
process.on('SIGINT', () => electron.app.quit());
void electron.app.whenReady().then(() => send({ kind: 'ready', endpoint: browser().endpoint }));

async function answer({ id, source, argument }: ControlRequest): Promise<void> {
  try {
    const run = runInThisContext(`(${source})`) as (electron: unknown, argument: unknown) => unknown;
    send({ kind: 'answer', id, value: await run({ ...electron }, argument) });
  } catch (error) {
    send({ kind: 'failure', id, message: error instanceof Error ? error.message : String(error) });
  }
}
