import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Loading } from '#renderer/components/empty-state.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { placeLink } from '#renderer/state/place.ts';
import { useRequest } from '#renderer/state/requests.ts';
import type { DependencyNode } from '#shared/ipc/library-routes.ts';
import { placeOf } from '../model/package-places.ts';
import { KindIcon } from './kind-icon.tsx';
import { ReachList } from './reach-list.tsx';

/** What a package reaches through those it needs: each one's own list, on demand. */
export function DependencyReach({ nodes }: { nodes: readonly DependencyNode[] }) {
  const found = nodes.filter(({ state }) => state === 'resolved');
  if (found.length === 0) return null;
  return (
    <section aria-label="Through what it needs">
      <h2 className="mb-1 text-lg font-semibold">Through what it needs</h2>
      <ul className="divide-y divide-line border-y border-line">
        {found.map((node) => (
          <li key={`${node.kind} ${node.name}`}>
            <Dependency node={node} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Dependency({ node }: { node: DependencyNode }) {
  const [isOpen, setIsOpen] = useState(false);
  const version = node.isDraft ? 'draft' : node.version;
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)} className="group/needs">
      <summary className="flex list-none items-center gap-2 py-1.5 hover:bg-hover">
        <ChevronRight
          size={14}
          aria-hidden="true"
          className="text-ink-faint transition-transform duration-100 group-open/needs:rotate-90"
        />
        <span className="text-ink-faint">
          <KindIcon kind={node.kind} size={14} />
        </span>
        <span className="font-mono text-sm">{node.name}</span>
        <span className="text-sm text-ink-faint">{node.isDraft ? 'its draft' : node.version}</span>
      </summary>
      {isOpen && <Reach name={node.name} version={version} kind={node.kind} />}
    </details>
  );
}

function Reach({
  name,
  version,
  kind,
}: {
  name: string;
  version: string | undefined;
  kind: DependencyNode['kind'];
}) {
  const detail = useRequest('library.package', { name, ...(version !== undefined && { version }) });
  if (detail.isError) return <ProblemCard problem={detail.error.problem} />;
  if (!detail.data) return <Loading label={`Reading ${name}`} />;
  return (
    <div className="pt-1 pb-4 pl-6">
      {detail.data.reach.length > 0 ? (
        <ReachList items={detail.data.reach} />
      ) : (
        <p className="text-ink-soft">It reaches nothing by itself.</p>
      )}
      <a
        href={placeLink(placeOf({ name, type: kind }, 'overview'))}
        className="mt-3 inline-block text-sm text-accent underline underline-offset-2"
      >
        Open {name}
      </a>
    </div>
  );
}
