import { useId, useState } from 'react';
import { classes } from '#renderer/components/classes.ts';
import { Loading } from '#renderer/components/empty-state.tsx';
import { Input } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { Segmented } from '#renderer/components/segmented.tsx';
import { formatQuantity } from '#renderer/format/format.ts';
import { useRequest } from '#renderer/state/requests.ts';
import type { ServerList, ServerRequest, ServerSession } from '#shared/ipc/server-routes.ts';
import { itemsOf, type ServerItem } from '../model/server-items.ts';
import { RequestForm } from './request-form.tsx';

const WORDS: Record<ServerList, { readonly label: string; readonly one: string }> = {
  tools: { label: 'Tools', one: 'tool' },
  prompts: { label: 'Prompts', one: 'prompt' },
  resources: { label: 'Resources', one: 'resource' },
  templates: { label: 'Templates', one: 'template' },
};

/** What the server lists, one kind at a time, and a form to ask for one of it. */
export function ServerLists({
  session,
  isBusy,
  onSend,
}: {
  session: ServerSession;
  isBusy: boolean;
  onSend: (request: ServerRequest) => void;
}) {
  const [list, setList] = useState<ServerList>('tools');
  return (
    <div className="space-y-4">
      <Segmented
        label="What the server has"
        value={list}
        onChange={setList}
        options={Object.entries(WORDS).map(([value, { label }]) => ({ value: value as ServerList, label }))}
      />
      <OneList key={list} session={session} list={list} isBusy={isBusy} onSend={onSend} />
    </div>
  );
}

function OneList({
  session,
  list,
  isBusy,
  onSend,
}: {
  session: ServerSession;
  list: ServerList;
  isBusy: boolean;
  onSend: (request: ServerRequest) => void;
}) {
  const { one } = WORDS[list];
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const revision = session.listRevisions[list] ?? 0;
  const { data, error, isPending } = useRequest(
    'servers.list',
    { sessionId: session.id, list },
    { version: revision, keepsPrevious: true },
  );
  if (error && !data) return <ProblemCard problem={error.problem} />;
  if (isPending || !data) return <Loading label={`Loading the ${one}s`} />;
  const items = itemsOf(list, data.items);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = items.filter(({ key, title, description }) => {
    const said = `${key} ${title} ${description}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
  const item = found.find(({ key }) => key === chosen) ?? found[0];
  return (
    <>
      {items.length > 8 && (
        <Input
          type="search"
          aria-label={`Search the ${one}s`}
          placeholder="Search"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
      )}
      {items.length === 0 ? (
        <p className="text-ink-soft">This server lists no {one}s.</p>
      ) : (
        <ItemList list={list} items={found} shownKey={item?.key} onShow={setChosen} />
      )}
      {items.length > 0 && (
        <p className="text-sm text-ink-faint">
          {formatQuantity(items.length, one)}
          {data.pages > 1 && ` on ${formatQuantity(data.pages, 'page')}`}
          {revision > 0 && `, changed ${formatQuantity(revision, 'time')} since you connected`}
        </p>
      )}
      <Refused refused={data.refused} />
      {item && (
        <RequestForm
          key={`${list} ${item.key}`}
          session={session}
          list={list}
          item={item}
          isBusy={isBusy}
          onSend={onSend}
        />
      )}
    </>
  );
}

function ItemList({
  list,
  items,
  shownKey,
  onShow,
}: {
  list: ServerList;
  items: readonly ServerItem[];
  shownKey: string | undefined;
  onShow: (key: string) => void;
}) {
  return (
    <ScrollRegion label={WORDS[list].label} className="max-h-56 border-y border-line">
      <ul className="divide-y divide-line">
        {items.map(({ key, title, description }) => (
          <li key={key}>
            <button
              type="button"
              aria-current={key === shownKey || undefined}
              onClick={() => onShow(key)}
              className={classes(
                'block w-full px-2 py-1.5 text-left text-sm hover:bg-hover',
                key === shownKey && 'bg-selected',
              )}
            >
              <span className="block truncate font-mono font-semibold">{key}</span>
              {(description !== '' || title !== key) && (
                <span className="block truncate text-ink-soft">{description || title}</span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </ScrollRegion>
  );
}

function Refused({ refused }: { refused: readonly { readonly name: string; readonly reason: string }[] }) {
  const id = useId();
  if (refused.length === 0) return null;
  return (
    <section aria-labelledby={id} className="rounded-md border-l-2 border-caution bg-caution-soft px-3 py-2">
      <h4 id={id} className="font-semibold">
        {formatQuantity(refused.length, 'tool')} no agent is offered
      </h4>
      <ul className="text-sm">
        {refused.map(({ name, reason }) => (
          <li key={`${name} ${reason}`} className="wrap-anywhere">
            <code>{name}</code>: {reason}
          </li>
        ))}
      </ul>
    </section>
  );
}
