import { useMemo } from 'react';
import { statusLabel } from '#renderer/components/status-pill.tsx';
import { formatRelative } from '#renderer/format/format.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { newestFirst } from '#renderer/state/app-store.ts';
import { goTo } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import { useNow } from '#renderer/state/use-now.ts';
import { isFinalStatus } from '#shared/runs/run.ts';
import type { Command } from '../model/commands.ts';

/** Runs that quick open knows; older ones are found in the list of runs. */
const RECENT_RUNS = 50;

/** Everything quick open can find now. */
export function useCommands(onHelp: () => void): readonly Command[] {
  const agents = useApp((state) => state.agents);
  const runs = useApp((state) => state.runs);
  const now = useNow(60_000);
  const { mutate: look } = useAction('engine.look');
  const { mutate: build } = useAction('engine.prepareImage');
  const { mutate: stop } = useAction('runs.stop');
  const { mutate: update } = useAction('settings.update');
  return useMemo(() => {
    const recent = newestFirst(runs?.values() ?? []).slice(0, RECENT_RUNS);
    const active = recent.filter((run) => !isFinalStatus(run.status));
    const commands: Command[] = [
      ...(agents ?? []).map((agent): Command => ({
        id: `agent-${agent.id}`,
        group: 'Agent',
        title: agent.displayName,
        hint: agent.id,
        run: () => goTo({ name: 'agent', agentId: agent.id, tab: 'run' }),
      })),
      ...active.map((run): Command => ({
        id: `stop-${run.id}`,
        group: 'Action',
        title: `Stop ${run.agentName}`,
        hint: `started ${formatRelative(run.createdAt, now)}`,
        run: () => stop({ runId: run.id }),
      })),
      ...recent.map((run): Command => ({
        id: `run-${run.id}`,
        group: 'Run',
        title: run.agentName,
        hint: `${statusLabel(run.status)}, ${formatRelative(run.createdAt, now)}`,
        run: () => goTo({ name: 'run', runId: run.id }),
      })),
      { id: 'runs', group: 'Run', title: 'All runs', hint: '', run: () => goTo({ name: 'runs' }) },
      ...(['engine', 'models', 'appearance', 'about'] as const).map((section): Command => ({
        id: `settings-${section}`,
        group: 'Settings',
        title: section[0]?.toUpperCase() + section.slice(1),
        hint: '',
        run: () => goTo({ name: 'settings', section }),
      })),
      { id: 'look', group: 'Action', title: 'Look for a container engine', hint: '', run: () => look({}) },
      { id: 'build', group: 'Action', title: 'Build the image', hint: '', run: () => build({}) },
      ...(['light', 'dark', 'system'] as const).map((appearance): Command => ({
        id: `theme-${appearance}`,
        group: 'Action',
        title: `Use the ${appearance} theme`,
        hint: 'appearance',
        run: () => update({ appearance }),
      })),
      { id: 'help', group: 'Action', title: 'Show keyboard shortcuts', hint: '', run: onHelp },
    ];
    return commands;
  }, [agents, runs, now, look, build, stop, update, onHelp]);
}
