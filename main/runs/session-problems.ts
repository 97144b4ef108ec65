import type { Problem } from '#shared/problem.ts';

/** What servers lack that run in Docker beside agents that do not. */
export function serversApart(): Problem {
  return {
    code: 'local_servers_apart',
    title: 'The local MCP servers have no way out',
    detail:
      'The agent runs as a process and its servers in Docker, where they reach neither services nor the workspace.',
    action: 'Choose Docker in the engine settings, so that all of the run is there.',
  };
}

/** Why a run that Slipway's own end cut off has no other verdict. */
export function interruptedProblem(): Problem {
  return {
    code: 'run_interrupted',
    title: 'Slipway ended during the run',
    detail: 'The app was closed or stopped before the run had ended. What was recorded until then is kept.',
    action: 'Run the agent again.',
  };
}

/** Why a run that asks the world is neither answered from a recording nor held against another run. */
export function noReplay(): Problem {
  return {
    code: 'no_replay',
    title: 'The run is no replay',
    detail: 'Only a replay is answered from a recording, and held against the run it replays.',
  };
}

/** Why a run was stopped that had more to tell than is kept. */
export function recordFull(): Problem {
  return {
    code: 'record_full',
    title: 'The run was too talkative',
    detail: 'The agent caused more events than one run may have, so it was stopped.',
    action: 'Look at the last calls: it probably repeats itself.',
  };
}
