import { ChevronRight } from 'lucide-react';
import { memo, useId, useState } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { classes } from '#renderer/components/classes.ts';
import { Select } from '#renderer/components/field.tsx';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import { removeDependency, setRange, setRuntimeTool } from '../model/agent-value.ts';
import type { ManifestEdits, ManifestValue } from '../model/manifest-document.ts';
import { setMode, setTools, type SelectionMode, type ToolSource } from '../model/tool-plan.ts';
import { ScopeBadge, ToolRow } from './tool-row.tsx';

/** Tools a group shows before it is opened further: a list of eighty is no picture. */
const OPEN_UP_TO = 14;

const EXPLANATIONS: Readonly<Record<ToolSource['kind'], string>> = {
  sandbox: 'Files and programs inside the container, which has no network. Always given.',
  runtime: 'Served by the run’s sidecar. What arrives here is what the agent delivers.',
  integration: '',
  skill: 'Instructions the model knows by name and opens when it needs them. They are no tools.',
  'mcp-server': 'All tools of the server are given.',
};

/** Makes edits of what the manifest says at the time. */
export type EditManifest = (edits: (manifest: ManifestValue) => ManifestEdits) => void;

/** The tools of one origin. It is drawn again only when something of its own has changed. */
export const ToolSourceGroup = memo(function ToolSourceGroup({
  source,
  whole,
  integration,
  scopes,
  errors,
  isSearching,
  isReadOnly,
  onEdit,
}: {
  /** As far as the search shows it. */
  source: ToolSource;
  whole: ToolSource;
  integration: IntegrationManifest | undefined;
  /** Scopes its choice asks for, one on each line. */
  scopes: string;
  /** Sentences, one on each line. */
  errors: string;
  isSearching: boolean;
  isReadOnly: boolean;
  onEdit: EditManifest;
}) {
  const headingId = useId();
  const [opened, setOpened] = useState<boolean>();
  const isOpen = isSearching || (opened ?? (whole.kind !== 'sandbox' && whole.tools.length <= OPEN_UP_TO));
  const chosen = whole.tools.filter(({ isChosen }) => isChosen).length;
  const place = placeOf(whole);
  const explanation = whole.selection?.meaning ?? EXPLANATIONS[whole.kind];

  const toggle = (ids: readonly string[], isChosen: boolean) =>
    onEdit((manifest) => {
      if (integration !== undefined) return setTools(manifest, whole, integration, ids, isChosen);
      const [id = ''] = ids;
      return whole.kind === 'skill'
        ? onSkill(manifest, id, isChosen)
        : setRuntimeTool(manifest, id, isChosen);
    });
  const onSkill = (manifest: ManifestValue, id: string, isChosen: boolean) => {
    if (!isChosen) return removeDependency(manifest, 'skills', id);
    return setRange(manifest, 'skills', id, whole.tools.find((skill) => skill.id === id)?.range ?? '*');
  };

  return (
    <section
      aria-labelledby={headingId}
      data-pointer={place}
      tabIndex={-1}
      className="rounded-lg border border-line bg-surface focus:outline-none"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpened(!isOpen)}
          className="flex min-w-0 flex-1 items-center gap-2 rounded-sm text-left"
        >
          <ChevronRight
            size={14}
            aria-hidden="true"
            className={classes('shrink-0 text-ink-faint transition-transform', isOpen && 'rotate-90')}
          />
          <h3 id={headingId} className="truncate font-semibold">
            {whole.title}
          </h3>
          {whole.title !== whole.id && (whole.kind === 'integration' || whole.kind === 'mcp-server') && (
            <span className="truncate font-mono text-sm text-ink-faint">{whole.id}</span>
          )}
          <span className="shrink-0 text-sm text-ink-faint">
            {chosen} of {whole.tools.length}
          </span>
        </button>
        {integration !== undefined && (
          <IntegrationMode
            source={whole}
            integration={integration}
            isReadOnly={isReadOnly}
            onToggle={toggle}
            onEdit={onEdit}
          />
        )}
      </header>
      {explanation !== '' && <p className="px-3 pb-2 pl-9 text-sm text-ink-soft">{explanation}</p>}
      {scopes !== '' && (
        <p className="flex flex-wrap items-center gap-1 px-3 pb-2 pl-9 text-sm text-ink-faint">
          Asks for
          {scopes.split('\n').map((scope) => (
            <ScopeBadge key={scope} scope={scope} />
          ))}
        </p>
      )}
      {whole.unknown && <p className="px-3 pb-2 pl-9 text-sm text-caution">{whole.unknown}</p>}
      {errors !== '' &&
        errors.split('\n').map((error) => (
          <p key={error} className="px-3 pb-2 pl-9 text-sm text-danger">
            {error}
          </p>
        ))}
      {isOpen && (
        <ul className="border-t border-line py-1">
          {source.tools.map((tool) => (
            <ToolRow
              key={tool.id}
              tool={tool}
              isReadOnly={isReadOnly}
              onToggle={(isChosen) => toggle([tool.id], isChosen)}
            />
          ))}
          {whole.strays.map((name) => (
            <StrayRow
              key={name}
              name={name}
              onRemove={isReadOnly ? undefined : () => toggle([name], false)}
            />
          ))}
          {whole.selection?.isOpen === true && (
            <li className="px-9 py-1.5 text-sm text-ink-faint">
              Its server may have more tools, which are known once it is connected.
            </li>
          )}
        </ul>
      )}
    </section>
  );
});

const MODES: Readonly<Record<SelectionMode, string>> = {
  default: 'Default',
  chosen: 'Chosen',
  none: 'None',
  all: 'All tools',
};

/** How the tools of an integration are chosen, and all or none of them at once. */
function IntegrationMode({
  source,
  integration,
  isReadOnly,
  onToggle,
  onEdit,
}: {
  source: ToolSource;
  integration: IntegrationManifest;
  isReadOnly: boolean;
  onToggle: (ids: readonly string[], isChosen: boolean) => void;
  onEdit: EditManifest;
}) {
  const { selection } = source;
  if (selection === undefined) return null;
  const modes = (['default', 'chosen', 'none', 'all'] as const).filter(
    (mode) => mode !== 'all' || selection.allowsAll || selection.mode === 'all',
  );
  const isAll = source.tools.length > 0 && source.tools.every(({ isChosen }) => isChosen);
  return (
    <span className="flex items-center gap-2">
      {source.tools.length > 1 && selection.mode !== 'all' && (
        <Button
          size="small"
          variant="ghost"
          unavailable={isReadOnly ? 'Mend the JSON first.' : undefined}
          onClick={() =>
            onToggle(
              source.tools.map(({ id }) => id),
              !isAll,
            )
          }
        >
          {isAll ? 'Untick all' : 'Tick all'}
        </Button>
      )}
      <span className="w-28">
        <Select
          aria-label={`Selection of ${source.title}`}
          value={selection.mode}
          disabled={isReadOnly}
          onChange={(event) => {
            const mode = modes.find((candidate) => candidate === event.target.value);
            if (mode) onEdit((manifest) => setMode(manifest, source, integration, mode));
          }}
        >
          {modes.map((mode) => (
            <option key={mode} value={mode}>
              {MODES[mode]}
            </option>
          ))}
        </Select>
      </span>
    </span>
  );
}

/** A name that is chosen and stands for no tool. */
function StrayRow({ name, onRemove }: { name: string; onRemove: (() => void) | undefined }) {
  return (
    <li className="flex items-center gap-3 px-9 py-1.5">
      <span className="font-mono text-sm text-danger line-through">{name}</span>
      <Badge tone="danger">no such tool</Badge>
      {onRemove && (
        <Button size="small" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </Button>
      )}
    </li>
  );
}

/** Where the manifest chooses the tools of a source. */
function placeOf({ kind, id }: ToolSource): string | undefined {
  switch (kind) {
    case 'integration':
      return pointerOf(['integrations_configuration', id]);
    case 'runtime':
      return '/runtime_tools';
    case 'sandbox':
    case 'skill':
    case 'mcp-server':
      return undefined;
  }
}
