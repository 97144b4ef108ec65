import { setTimeout as delay } from 'node:timers/promises';
import type { ModelReference } from '#shared/models/model.ts';
import { WholeApplication } from '#test/support/whole-application.ts';
import { atMost, median, type Measure } from './measure.ts';
import { TimedModelEndpoint } from './model-endpoint.ts';
import { bridgeGateway, peakMemory, runPeer } from './peer.ts';

const ROUNDS = 5;
const MEBIBYTE = 1024 * 1024;

/**
 * From the click to the first request to the model, cold and with an idle pair, and what the two programs
 * weigh; against Pi's command line in one container. The three take turns, so that a slow moment hits all.
 */
export async function measureStart(): Promise<Measure[]> {
  const gateway = await bridgeGateway();
  await using endpoint = await TimedModelEndpoint.listen('0.0.0.0');
  await using whole = await WholeApplication.open({ trigger: 'app' });
  const { application } = whole;
  const agent = await whole.writeAgent({ runtime_tools: undefined });
  const provider = await application.models.save({
    kind: 'openai-compatible',
    displayName: 'Timed',
    baseUrl: `http://127.0.0.1:${endpoint.port}/v1`,
  });
  const model = { providerId: provider.id, modelId: 'timed' };
  application.settings.update({ warmPair: false });
  // The first run builds the image and probes isolation; it is not counted.
  await runOurs(whole, agent, model, endpoint);
  const { image } = application.engines.report;
  if (!image.tag) throw new Error('There is no image to measure with.');
  await runPeer(image.tag, endpoint, gateway);

  const peer: Figures[] = [];
  const cold: Figures[] = [];
  const warm: Figures[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { firstRequestMs, peakMemory: sandbox } = await runPeer(image.tag, endpoint, gateway);
    peer.push({ firstRequestMs, sandbox, sidecar: 0 });
    application.settings.update({ warmPair: false });
    cold.push(await runOurs(whole, agent, model, endpoint));
    application.settings.update({ warmPair: true });
    await application.runs.warmUp(AbortSignal.timeout(30_000));
    await delay(2_500);
    warm.push(await runOurs(whole, agent, model, endpoint));
    application.settings.update({ warmPair: false });
    await application.runs.coolDown();
  }
  const middle = (figures: Figures[], of: (figure: Figures) => number) => median(figures.map(of));
  const peerStart = middle(peer, (figure) => figure.firstRequestMs);
  const peerMemory = middle(peer, (figure) => figure.sandbox);
  return [
    atMost('start.cold_to_peer', middle(cold, (figure) => figure.firstRequestMs) / peerStart, 'ratio', 1.4),
    atMost('start.warm_to_peer', middle(warm, (figure) => figure.firstRequestMs) / peerStart, 'ratio', 0.25),
    atMost('memory.sandbox_to_peer', middle(cold, (figure) => figure.sandbox) / peerMemory, 'ratio', 1.2),
    // An idle pair has rehearsed, which costs memory before the run begins.
    atMost(
      'memory.warm_sandbox_to_peer',
      middle(warm, (figure) => figure.sandbox) / peerMemory,
      'ratio',
      1.2,
    ),
    atMost(
      'memory.sidecar',
      Math.max(...[...cold, ...warm].map((figure) => figure.sidecar)) / MEBIBYTE,
      'MB',
      120,
    ),
    {
      name: 'start.peer',
      value: Math.round(peerStart),
      unit: 'ms',
      bar: Number.POSITIVE_INFINITY,
      ok: true,
    },
  ];
}

interface Figures {
  readonly firstRequestMs: number;
  /** Highest memory in bytes, when the first request is made. */
  readonly sandbox: number;
  readonly sidecar: number;
}

async function runOurs(
  whole: WholeApplication,
  agent: string,
  model: ModelReference,
  endpoint: TimedModelEndpoint,
): Promise<Figures> {
  const { application } = whole;
  const requested = endpoint.nextRequest();
  const release = endpoint.hold();
  const began = performance.now();
  const { id } = await application.runs.start({ agent, input: {}, files: [], model, trigger: 'app' });
  const ended = application.runs.ended(id);
  const failed = ended.then((): number => {
    throw new Error(
      application.runs.get(id).summary.problem?.detail ?? 'The run ended without asking its model.',
    );
  });
  failed.catch(() => undefined);
  const firstRequestMs = (await Promise.race([requested, failed])) - began;
  const containers = await whole.containers();
  const [sandbox, sidecar] = await Promise.all(
    ['sandbox', 'sidecar'].map((role) => {
      const container = containers.get(role);
      return container === undefined ? Promise.resolve(0) : peakMemory(container);
    }),
  );
  release();
  await ended;
  return { firstRequestMs, sandbox: sandbox ?? 0, sidecar: sidecar ?? 0 };
}
