import { useMemo } from 'react';
import { statusLabel } from '#renderer/components/status-pill.tsx';
import { useImport } from '#renderer/features/import/index.ts';
import { KINDS, placeOf } from '#renderer/features/packages/index.ts';
import { formatRelative } from '#renderer/format/format.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { newestFirst } from '#renderer/state/app-store.ts';
import { goTo, SETTINGS_SECTIONS } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import { useShownCommands } from '#renderer/state/screen-commands.ts';
import { useNow } from '#renderer/state/use-now.ts';
import { isFinalStatus } from '#shared/runs/run.ts';
import type { Command } from '../model/commands.ts';

/** Runs that quick open knows; older ones are found in the list of runs. */
const RECENT_RUNS = 50;

const groups = {
  agent: 'Agent',
  skill: 'Skill',
  integration: 'Integration',
  'mcp-server': 'MCP server',
} as const;

/** Everything quick open can find now. */
export function useCommands(onHelp: () => void): readonly Command[] {
  const packages = useApp(({ library }) => library?.packages);
  const importer = useImport();
  const runs = useApp((state) => state.runs);
  const now = useNow(60_000);
  const onScreen = useShownCommands();
  const { mutate: look } = useAction('engine.look');
  const { mutate: build } = useAction('engine.prepareImage');
  const { mutate: stop } = useAction('runs.stop');
  const { mutate: update } = useAction('settings.update');
  return useMemo(() => {
    const recent = newestFirst(runs?.values() ?? []).slice(0, RECENT_RUNS);
    const active = recent.filter((run) => !isFinalStatus(run.status));
    const commands: Command[] = [
      ...onScreen.map((command): Command => ({ ...command, group: 'Here' })),
      ...(packages ?? []).map((summary): Command => ({
        id: `package-${summary.name}`,
        group: groups[summary.type],
        title: summary.displayName,
        hint: summary.name,
        run: () => goTo(placeOf(summary)),
      })),
      ...KINDS.map(({ kind, title }): Command => ({
        id: `kind-${kind}`,
        group: 'Library',
        title,
        hint: '',
        run: () => goTo({ name: 'library', kind }),
      })),
      { id: 'import', group: 'Action', title: 'Import packages', hint: '', run: () => importer.choose() },
      {
        id: 'try',
        group: 'Action',
        title: 'Try an MCP server',
        hint: '',
        run: () => goTo({ name: 'try' }),
      },
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
      {
        id: 'connections',
        group: 'Library',
        title: 'Connections',
        hint: '',
        run: () => goTo({ name: 'connections' }),
      },
      { id: 'runs', group: 'Run', title: 'All runs', hint: '', run: () => goTo({ name: 'runs' }) },
      ...SETTINGS_SECTIONS.map((section): Command => ({
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
  }, [packages, importer, runs, now, onScreen, look, build, stop, update, onHelp]);
}
