import { Badge, type Tone } from '#renderer/components/badge.tsx';
import { placeLink } from '#renderer/state/place.ts';
import type { DependencyNode } from '#shared/ipc/library-routes.ts';
import { aKind } from '../model/kinds.ts';
import { placeOf } from '../model/package-places.ts';
import { KindIcon } from './kind-icon.tsx';

/** The packages a package needs, and those they need. */
export function DependencyTree({ nodes }: { nodes: readonly DependencyNode[] }) {
  return (
    <ul aria-label="Needs" className="space-y-1">
      {nodes.map((node) => (
        <li key={`${node.kind} ${node.name}`}>
          <Node node={node} />
          {node.dependencies.length > 0 && (
            <div className="mt-1 ml-1.5 border-l border-line pl-4">
              <DependencyTree nodes={node.dependencies} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function Node({ node }: { node: DependencyNode }) {
  const { kind, name, range, version, isDraft, isYanked, isRepeated, state } = node;
  const isThere = state !== 'missing';
  return (
    <div>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="text-ink-faint">
          <KindIcon kind={kind} size={14} />
        </span>
        {isThere ? (
          <a
            href={placeLink(placeOf({ name, type: node.type ?? kind }, 'overview'))}
            className="font-mono text-sm text-accent underline underline-offset-2"
          >
            {name}
          </a>
        ) : (
          <span className="font-mono text-sm">{name}</span>
        )}
        <span className="font-mono text-sm text-ink-faint">{range}</span>
        {version !== undefined && <span className="text-sm text-ink-soft">→ {version}</span>}
        {isDraft && <Badge tone="caution">Draft</Badge>}
        {isYanked && <Badge tone="danger">Yanked</Badge>}
        {state !== 'resolved' && <Badge tone={faults[state].tone}>{faults[state].word}</Badge>}
        {isRepeated && <span className="text-sm text-ink-faint">its own needs stand above</span>}
      </p>
      {state !== 'resolved' && <p className="pl-5.5 text-sm text-ink-soft">{faultSentence(node)}</p>}
    </div>
  );
}

const faults: Record<Exclude<DependencyNode['state'], 'resolved'>, { word: string; tone: Tone }> = {
  missing: { word: 'Missing', tone: 'danger' },
  unsatisfied: { word: 'No version fits', tone: 'danger' },
  wrong_type: { word: 'Another kind', tone: 'danger' },
  cycle: { word: 'A circle', tone: 'danger' },
};

function faultSentence({ state, kind, name, range, available, type, path }: DependencyNode): string {
  switch (state) {
    case 'missing':
      return `There is no ${name} in the library. Import it, or remove it from the manifest.`;
    case 'unsatisfied':
      return available.length > 0
        ? `The range ${range} leads to none of ${available.slice(0, 5).join(', ')}.`
        : 'It was never published. Publish it, and the range has something to lead to.';
    case 'wrong_type':
      return `It is ${type ? aKind(type) : 'something else'}, but is named as ${aKind(kind)}.`;
    case 'cycle':
      return `${(path ?? [name]).join(' → ')}. Take one of these needs out.`;
    case 'resolved':
      return '';
  }
}
