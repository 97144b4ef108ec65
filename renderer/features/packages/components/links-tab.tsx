import { Link2 } from 'lucide-react';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { useApp } from '#renderer/state/app-context.tsx';
import { placeLink } from '#renderer/state/place.ts';
import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import { kindWords } from '../model/kinds.ts';
import { placeOf } from '../model/package-places.ts';
import { DependencyTree } from './dependency-tree.tsx';
import { KindIcon } from './kind-icon.tsx';

/** What a package needs, and what needs it. */
export function LinksTab({ detail }: { detail: PackageDetail }) {
  const { dependencies, usedBy, summary } = detail;
  if (dependencies.length === 0 && usedBy.length === 0) {
    return (
      <EmptyState icon={<Link2 size={28} aria-hidden="true" />} title="It stands by itself">
        {summary.type === 'agent'
          ? 'An agent names the skills and integrations it needs under “dependencies” in its manifest. They are found here in the library.'
          : `Once an agent names this ${kindWords(summary.type).one} under “dependencies”, it is listed here.`}
      </EmptyState>
    );
  }
  return (
    <div className="grid max-w-250 gap-10 lg:grid-cols-2">
      <section aria-label="Uses">
        <h2 className="mb-2 font-semibold">Uses</h2>
        {dependencies.length > 0 ? (
          <DependencyTree nodes={dependencies} />
        ) : (
          <p className="text-ink-faint">It needs no other package.</p>
        )}
      </section>
      <section aria-label="Used by">
        <h2 className="mb-2 font-semibold">Used by</h2>
        {usedBy.length > 0 ? (
          <ul className="space-y-1">
            {usedBy.map((dependant) => (
              <Dependant key={`${dependant.name} ${dependant.version ?? 'draft'}`} dependant={dependant} />
            ))}
          </ul>
        ) : (
          <p className="text-ink-faint">Nothing in the library needs it, so it can be deleted.</p>
        )}
      </section>
    </div>
  );
}

function Dependant({ dependant }: { dependant: PackageDetail['usedBy'][number] }) {
  const { name, version, range } = dependant;
  const type = useApp(({ library }) => library?.packages.find((known) => known.name === name)?.type);
  return (
    <li className="flex flex-wrap items-center gap-x-2">
      {type && (
        <span className="text-ink-faint">
          <KindIcon kind={type} size={14} />
        </span>
      )}
      {type ? (
        <a
          href={placeLink(placeOf({ name, type }, 'links'))}
          className="font-mono text-sm text-accent underline underline-offset-2"
        >
          {name}
        </a>
      ) : (
        <span className="font-mono text-sm">{name}</span>
      )}
      <span className="text-sm text-ink-soft">{version ?? 'its draft'}</span>
      <span className="text-sm text-ink-faint">
        asks for <span className="font-mono">{range}</span>
      </span>
    </li>
  );
}
