import type { RunPhase } from '#shared/runs/run.ts';

/** What the steps before the first turn are called. */
export const phaseLabels: Record<RunPhase, string> = {
  engine: 'Engine',
  image: 'Image',
  containers: 'Containers',
  workspace: 'Workspace',
  agent: 'Agent',
};
