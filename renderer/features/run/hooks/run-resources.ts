import { createContext, useContext } from 'react';
import type { ResourceView, RunProjection } from '#shared/runs/projection.ts';

interface RunResources {
  readonly runId: string;
  readonly resources: RunProjection['resources'];
}

/** Results of the shown run that went to files. */
export const RunResourcesContext = createContext<RunResources | undefined>(undefined);

/** The spilled result that a call's answer points to, where there is one. */
export function useSpilledResource(
  uri: string,
): { readonly runId: string; readonly resource: ResourceView } | undefined {
  const shown = useContext(RunResourcesContext);
  if (shown === undefined) return undefined;
  for (const resource of shown.resources.values()) {
    if (resource.uri === uri) return { runId: shown.runId, resource };
  }
  return undefined;
}
