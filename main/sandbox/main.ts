import { ProblemError } from '#shared/problem.ts';
import { SANDBOX_PROTOCOL } from '#shared/protocol/sandbox.ts';
import { Agent } from './agent.ts';
import { EventBatcher } from './event-batcher.ts';
import { connectToolServer } from './mcp-client.ts';
import { loadPi } from './pi.ts';
import { rehearse } from './rehearsal.ts';
import { createSocketFetch } from './socket-fetch.ts';
import { connectToMain, exitOnCrash, report } from './stdio.ts';

exitOnCrash();
if (process.argv.includes('--rehearse')) {
  // When the image is built: Node then keeps what V8 made of the code, for every start.
  await rehearse(await loadPi(), () => true);
  process.exit(0);
}
const { peer, listen } = connectToMain();
const pi = await loadPi();
const events = new EventBatcher((batch) => peer.notify('events', { events: batch }));
let creation: Promise<Agent> | undefined;

peer.handle('configure', async (configuration) => {
  if (creation) {
    throw new ProblemError({
      code: 'already_configured',
      title: 'The sandbox is already in use',
      detail: 'A sandbox serves one run.',
    });
  }
  creation = (async () => {
    const socketFetch = createSocketFetch(configuration.sidecar);
    const toolServer = await connectToolServer(socketFetch);
    return Agent.create({ pi, configuration, socketFetch, toolServer, events });
  })();
  return { tools: [...(await creation).tools] };
});
peer.handle('prompt', async ({ text, tools }) => (await configured()).prompt(text, tools));
peer.handle('steer', async ({ text }) => {
  await (await configured()).steer(text);
  return {};
});
peer.handle('abort', async () => {
  await (await configured()).abort();
  return {};
});
peer.on('rehearse', () => {
  rehearse(pi, () => creation === undefined).catch((error: unknown) => report(`Rehearsal: ${String(error)}`));
});

async function configured(): Promise<Agent> {
  if (creation) return creation;
  throw new ProblemError({
    code: 'not_configured',
    title: 'The sandbox does not know its run',
    detail: 'The sandbox was asked to work before it was configured.',
  });
}

// Main closes standard input when the run ends, or is gone: no command outlives it.
async function leave(): Promise<void> {
  const agent = await creation?.catch(() => undefined);
  agent?.[Symbol.dispose]();
  process.exit(0);
}
void peer.closed.then(leave);
process.once('SIGTERM', () => void leave());
listen();
void peer.notify('ready', {
  protocol: SANDBOX_PROTOCOL,
  nodeVersion: process.version,
  piVersion: pi.VERSION,
  bootMs: performance.now(),
});
