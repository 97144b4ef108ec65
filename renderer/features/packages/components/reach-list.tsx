import { Box, Code, Globe, KeyRound, ShieldCheck, Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import type { reachItemSchema } from '#shared/ipc/library-routes.ts';
import type { ReachKind } from '#shared/manifest/reach.ts';
import type { z } from 'zod';
import { groupReach } from '../model/reach-groups.ts';

type Item = z.infer<typeof reachItemSchema>;

const icons: Record<ReachKind, ReactNode> = {
  host: <Globe size={15} aria-hidden="true" />,
  credential: <KeyRound size={15} aria-hidden="true" />,
  scope: <ShieldCheck size={15} aria-hidden="true" />,
  tool: <Wrench size={15} aria-hidden="true" />,
  script: <Code size={15} aria-hidden="true" />,
  dependency: <Box size={15} aria-hidden="true" />,
};

export function ReachIcon({ kind }: { kind: ReachKind }) {
  return <span className="text-ink-faint">{icons[kind]}</span>;
}

/** Items shown of a group before the person asks for the rest. */
const SHOWN = 8;

/** All that a package may reach, by kind, each with the reason. */
export function ReachList({ items }: { items: readonly Item[] }) {
  return (
    <div className="space-y-5">
      {groupReach(items).map(({ kind, title, items: group }) => (
        <section key={kind} aria-label={title}>
          <h3 className="mb-1 flex items-center gap-2 font-medium">
            <ReachIcon kind={kind} />
            {title}
            <span className="font-normal text-ink-faint">{group.length}</span>
          </h3>
          <Rows items={group.slice(0, SHOWN)} />
          {group.length > SHOWN && (
            <details className="group/more">
              <summary className="py-1 pl-6 text-sm text-accent group-open/more:hidden">
                {group.length - SHOWN} more
              </summary>
              <Rows items={group.slice(SHOWN)} />
            </details>
          )}
        </section>
      ))}
    </div>
  );
}

function Rows({ items }: { items: readonly Item[] }) {
  return (
    <dl className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] gap-x-4 pl-6">
      {items.map(({ subject, reason }) => (
        <div
          key={`${subject} ${reason}`}
          className="col-span-2 grid grid-cols-subgrid border-t border-line py-1"
        >
          <dt className="font-mono text-sm leading-5 wrap-anywhere">{subject}</dt>
          <dd className="text-ink-soft">{reason}</dd>
        </div>
      ))}
    </dl>
  );
}
