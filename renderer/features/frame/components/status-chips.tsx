import { Box, Sparkles } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from '#renderer/components/classes.ts';
import { Tooltip } from '#renderer/components/tooltip.tsx';
import { useApp } from '#renderer/state/app-context.tsx';
import { placeLink, type SettingsSection } from '#renderer/state/place.ts';
import type { EngineReport } from '#shared/engines/engine-report.ts';

type Light = 'good' | 'busy' | 'caution' | 'bad';

const lights: Record<Light, string> = {
  good: 'bg-success',
  busy: 'animate-pulse bg-accent',
  caution: 'bg-caution',
  bad: 'bg-danger',
};

/** Whether there is an engine to run on, at a glance. */
export function EngineChip() {
  const engine = useApp((state) => state.engine);
  const { light, text, detail } = describeEngine(engine);
  return (
    <Chip
      section="engine"
      label="Engine"
      icon={<Box size={14} aria-hidden="true" />}
      light={light}
      text={text}
      detail={detail}
    />
  );
}

/** Which model runs take unless they say otherwise. */
export function ModelChip() {
  const models = useApp((state) => state.models);
  const reference = models?.defaultModel;
  const provider = models?.providers.find(({ id }) => id === reference?.providerId);
  const model = provider?.models.find(({ modelId }) => modelId === reference?.modelId);
  const text = model?.displayName ?? reference?.modelId ?? '…';
  return (
    <Chip
      section="models"
      label="Default model"
      icon={<Sparkles size={14} aria-hidden="true" />}
      light={models === undefined ? 'busy' : provider?.ready ? 'good' : 'caution'}
      text={text}
      detail={
        models && !provider?.ready
          ? 'Not ready: see Settings, Models'
          : model?.scripted
            ? 'A script, not a language model: no key needed'
            : (provider?.displayName ?? '')
      }
    />
  );
}

function Chip({
  section,
  label,
  icon,
  light,
  text,
  detail,
}: {
  section: SettingsSection;
  label: string;
  icon: ReactNode;
  light: Light;
  text: string;
  detail: string;
}) {
  return (
    <Tooltip text={detail} side="right">
      <a
        href={placeLink({ name: 'settings', section })}
        aria-label={`${label}: ${text}${detail ? `. ${detail}` : ''}`}
        className="flex h-7 items-center gap-2 rounded-md px-2 text-sm text-ink-soft transition-colors duration-100 hover:bg-hover hover:text-ink"
      >
        {icon}
        <span className="min-w-0 flex-1 truncate">{text}</span>
        <span className={classes('size-1.5 shrink-0 rounded-full', lights[light])} aria-hidden="true" />
      </a>
    </Tooltip>
  );
}

function describeEngine(engine: EngineReport | undefined): { light: Light; text: string; detail: string } {
  switch (engine?.state) {
    case undefined:
    case 'looking':
      return { light: 'busy', text: 'Looking for an engine', detail: '' };
    case 'missing':
      return { light: 'bad', text: 'No engine', detail: 'No container engine answers' };
    case 'needs_consent':
      return { light: 'bad', text: 'No engine', detail: 'Running without isolation needs your consent' };
    case 'ready': {
      const name = engine.selected?.name ?? 'Engine';
      const version = engine.selected?.version ?? '';
      if (engine.image.state === 'building')
        return { light: 'busy', text: name, detail: 'The image is being built' };
      if (engine.image.state === 'failed')
        return { light: 'caution', text: name, detail: 'The image could not be built' };
      if (engine.selected && !engine.selected.isolates)
        return { light: 'caution', text: name, detail: 'Runs are not isolated' };
      return { light: 'good', text: name, detail: `Version ${version}. ${engine.selected?.reason ?? ''}` };
    }
  }
}
