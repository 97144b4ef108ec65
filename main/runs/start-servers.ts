import type { Placement } from '#main/engines/engine.ts';
import type { Logger } from '#main/logging/logger.ts';
import type { Pair } from './pair.ts';
import type { PhaseLog } from './phase-log.ts';
import type { RunRecorder } from './run-recorder.ts';
import { LocalServers, type LocalServerPlan } from './runners/local-servers.ts';
import { serversApart } from './session-problems.ts';

/** Lines that a local MCP server writes for people, as far as a run shows them. */
const SHOWN_SERVER_LINES = 200;

/**
 * Starts the local MCP servers of a run beside its pair, and ends them with that; who asks for one waits for
 * it. What they say and what becomes of them is told in the run's record.
 * @returns ends answering the sidecar
 */
export function startServers(
  plans: readonly LocalServerPlan[],
  place: Placement,
  { pair, recorder, phases, logger }: { pair: Pair; recorder: RunRecorder; phases: PhaseLog; logger: Logger },
): Disposable {
  const isBeside = place.engine === pair.engine;
  if (!isBeside) recorder.append({ type: 'run.warned', problem: serversApart() });
  const lines = new Map<string, number>();
  const servers = new LocalServers(plans, {
    ...place,
    runId: recorder.summary.id,
    // Volumes of one engine are nothing to another.
    ...(isBeside && { shared: { workspace: pair.workspace, egress: pair.egress } }),
    logger,
    onLog: ({ connectionId, displayName }, line) => {
      const count = (lines.get(connectionId) ?? 0) + 1;
      lines.set(connectionId, count);
      if (count > SHOWN_SERVER_LINES) return;
      const message =
        count < SHOWN_SERVER_LINES ? line : 'It goes on writing; nothing more of it is kept in the run.';
      recorder.append({ type: 'log.written', level: 'info', message: `${displayName}: ${message}` });
    },
    onStarted: ({ displayName }, durationMs) =>
      phases.progress(`${displayName} runs after ${(durationMs / 1000).toFixed(1)} s`, undefined),
    onEnded: ({ displayName }, detail) =>
      recorder.append({
        type: 'run.warned',
        problem: { code: 'local_server_ended', title: `${displayName} ended in the run`, detail },
      }),
  });
  pair.accompany(servers);
  const serving = servers.serve(pair.sidecar.connection.peer);
  servers.begin();
  return serving;
}
