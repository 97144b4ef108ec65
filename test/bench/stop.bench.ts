import { setTimeout as delay } from 'node:timers/promises';
import { startModelProvider } from '#test/peers/model-provider.ts';
import { WholeApplication, turn } from '#test/support/whole-application.ts';
import { atMost, type Measure } from './measure.ts';

const ROUNDS = 3;
/** Ends at no signal but the last. */
const DEAF = "trap '' TERM INT HUP; while :; do :; done";

/** From pressing Stop until the run has its verdict and nothing of it is in the engine; the slowest counts. */
export async function measureStop(): Promise<Measure[]> {
  await using provider = await startModelProvider({ vendor: 'compatible' });
  provider.answer(turn([{ tool: 'bash', input: { command: DEAF } }]));
  await using whole = await WholeApplication.open();
  const agent = await whole.writeAgent();
  const model = await whole.addProvider(provider.baseUrl);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const runId = await whole.start(agent, model);
    await whole.event(runId, ({ type }) => type === 'tool.started');
    await delay(300);
    const began = performance.now();
    await whole.application.runs.stop(runId);
    while ((await whole.containers()).size > 0) await delay(20);
    times.push(performance.now() - began);
  }
  return [atMost('stop.deaf_tool', Math.max(...times), 'ms', 3000)];
}
