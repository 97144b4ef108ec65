import { useState } from 'react';
import { Dialog } from '#renderer/components/dialog.tsx';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { Input } from '#renderer/components/field.tsx';
import { moveFocus } from '#renderer/components/move-focus.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import { useForm } from '../hooks/form-context.ts';
import { rangesOf, setRange, type DependencyMap } from '../model/agent-value.ts';

const KINDS: Readonly<Record<DependencyMap, { type: PackageType; word: string; plural: string }>> = {
  integrations: { type: 'integration', word: 'an integration', plural: 'integrations' },
  skills: { type: 'skill', word: 'a skill', plural: 'skills' },
  mcp_servers: { type: 'mcp-server', word: 'an MCP server', plural: 'MCP servers' },
};

/** Chooses a package of the library to depend on. */
export function PackagePicker({
  open,
  onOpenChange,
  map,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  map: DependencyMap;
}) {
  const { manifest, library, edit } = useForm();
  const [search, setSearch] = useState('');
  const { type, word, plural } = KINDS[map];
  const taken = new Set(rangesOf(manifest, map).map(([name]) => name));
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const offered = library.packages.filter(
    (candidate) =>
      candidate.type === type &&
      !taken.has(candidate.name) &&
      candidate.name !== manifest['name'] &&
      words.every((part) =>
        `${candidate.name} ${candidate.displayName} ${candidate.description}`.toLowerCase().includes(part),
      ),
  );
  const add = (name: string, newest: string | undefined) => {
    edit(setRange(manifest, map, name, newest === undefined ? '*' : `^${newest}`));
    onOpenChange(false);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        setSearch('');
        onOpenChange(next);
      }}
      title={`Add ${word}`}
      description={`Of the ${plural} in your library, those the agent does not use yet.`}
      width="max-w-140"
    >
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- The keys only move the focus. */}
      <div className="flex min-h-0 flex-col" onKeyDown={(event) => moveFocus(event, '[data-option], input')}>
        <div className="px-5 pb-3">
          <Input
            type="search"
            aria-label={`Search the ${plural}`}
            placeholder="Search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            onKeyDown={(event) => {
              const [first] = offered;
              if (event.key === 'Enter' && first) add(first.name, first.versions[0]);
            }}
          />
        </div>
        {offered.length === 0 ? (
          <EmptyState
            title={words.length > 0 ? 'None has these words' : `No other ${plural} in your library`}
          >
            Import a package, or write one, and it can be chosen here.
          </EmptyState>
        ) : (
          <ul className="min-h-0 overflow-auto px-2 pb-3">
            {offered.map(({ name, displayName, description, versions }) => (
              <li key={name}>
                <button
                  type="button"
                  data-option
                  onClick={() => add(name, versions[0])}
                  className="w-full rounded-md px-3 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2"
                >
                  <span className="flex items-baseline gap-2">
                    <span className="font-medium">{displayName}</span>
                    <span className="min-w-0 truncate font-mono text-sm text-ink-faint">
                      {name} {versions[0] ?? 'not published'}
                    </span>
                  </span>
                  <span className="line-clamp-1 text-ink-soft">{description}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}
