import { Check, Plus, Search } from 'lucide-react';
import { useMemo, useState, type KeyboardEvent } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { EmptyState, Loading } from '#renderer/components/empty-state.tsx';
import { Input } from '#renderer/components/field.tsx';
import { moveFocus } from '#renderer/components/move-focus.ts';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { formatQuantity } from '#renderer/format/format.ts';
import { placeOf } from '#renderer/features/packages/index.ts';
import { useApp, useServices } from '#renderer/state/app-context.tsx';
import { goTo } from '#renderer/state/place.ts';
import { useAction, useRequest } from '#renderer/state/requests.ts';
import type { CatalogueEntry } from '#shared/ipc/library-routes.ts';
import { connectWords, searchCatalogue } from '../model/catalogue-search.ts';

/** Services to choose from: their integrations come with the app. Several may be added one after another. */
export function CatalogueList({ onDone }: { onDone: () => void }) {
  const { notices } = useServices();
  const catalogue = useRequest('library.catalogue', {});
  const packages = useApp(({ library }) => library?.packages);
  const [query, setQuery] = useState('');
  const names = useMemo(() => new Set((packages ?? []).map(({ name }) => name)), [packages]);
  const found = useMemo(() => searchCatalogue(catalogue.data?.entries ?? [], query), [catalogue.data, query]);
  const open = (name: string) => {
    onDone();
    goTo(placeOf({ name, type: 'integration' }));
  };
  const add = useAction('library.addFromCatalogue', {
    onDone: ({ name }) => {
      const entry = catalogue.data?.entries.find((known) => known.name === name);
      notices.say(`Added ${entry?.displayName ?? name}`, { label: 'Open', run: () => open(name) });
    },
  });
  const adding = add.isPending ? add.variables.name : undefined;
  const onSearchKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    event.currentTarget.closest('[role="dialog"]')?.querySelector<HTMLElement>('[data-entry]')?.focus();
  };
  return (
    <>
      <div className="relative px-5 pb-3">
        <Search size={14} aria-hidden="true" className="absolute top-2.25 left-7.5 text-ink-faint" />
        <Input
          type="search"
          aria-label="Search the catalogue"
          placeholder={`Search ${catalogue.data ? formatQuantity(catalogue.data.entries.length, 'service') : 'services'}`}
          // The person opened it to find something.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          className="pl-8"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={onSearchKey}
        />
      </div>
      {catalogue.isError && (
        <div className="px-5 pb-5">
          <ProblemCard problem={catalogue.error.problem} />
        </div>
      )}
      {catalogue.isPending && <Loading label="Opening the catalogue" />}
      {catalogue.data && found.length === 0 && (
        <EmptyState title={`The catalogue has no “${query}”`}>
          Write an integration of your own: it takes the address of the service and the way to sign in.
        </EmptyState>
      )}
      {/* Arrow keys move between the services; each has a button that Tab reaches too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ul
        aria-label="Catalogue"
        className="h-[48vh] min-h-0 overflow-auto border-t border-line"
        onKeyDown={(event) => moveFocus(event, '[data-entry]')}
      >
        {found.map((entry) => (
          <Entry
            key={entry.name}
            entry={entry}
            isThere={names.has(entry.name)}
            isAdding={adding === entry.name}
            onAdd={() => add.mutate({ name: entry.name })}
            onOpen={() => open(entry.name)}
          />
        ))}
      </ul>
    </>
  );
}

function Entry({
  entry,
  isThere,
  isAdding,
  onAdd,
  onOpen,
}: {
  entry: CatalogueEntry;
  isThere: boolean;
  isAdding: boolean;
  onAdd: () => void;
  onOpen: () => void;
}) {
  return (
    <li className="flex items-center gap-4 border-b border-line px-5 py-2 [contain-intrinsic-size:auto_58px] [content-visibility:auto] hover:bg-hover">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium">{entry.displayName}</span>
          {entry.source === 'remote' && <Badge>MCP</Badge>}
          <span className="text-sm text-ink-faint">{connectWords(entry)}</span>
        </p>
        <p className="truncate text-ink-soft" title={entry.description}>
          {entry.description}
        </p>
      </div>
      {isThere ? (
        <Button
          data-entry
          size="small"
          variant="ghost"
          icon={<Check size={13} />}
          aria-label={`Open ${entry.displayName}, which is in the library`}
          onClick={onOpen}
        >
          In the library
        </Button>
      ) : (
        <Button
          data-entry
          size="small"
          icon={<Plus size={13} />}
          busy={isAdding}
          aria-label={`Add ${entry.displayName}`}
          onClick={onAdd}
        >
          Add
        </Button>
      )}
    </li>
  );
}
