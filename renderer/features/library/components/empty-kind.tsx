import { Import, Plus } from 'lucide-react';
import { Button } from '#renderer/components/button.tsx';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { KindIcon, kindWords } from '#renderer/features/packages/index.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';

const lessons: Record<PackageType, string> = {
  agent:
    'An agent is a manifest.json, which says what it takes, gives and may call, and a prompt.md, which says what to do.',
  skill:
    'A skill is a folder with a SKILL.md and whatever it speaks of: scripts, references, templates. An agent reads it when a task calls for it. Folders made for other tools work too.',
  integration:
    'An integration says how to sign in to a service and which addresses the credential may be sent to. Take one of the catalogue, or write your own.',
  'mcp-server':
    'An MCP server is a program that offers tools. An integration names it as its source, and gives it the credential it needs.',
};

/** What will be here, how it comes about, and the ways to begin. */
export function EmptyKind({
  kind,
  onNew,
  onImport,
}: {
  kind: PackageType | undefined;
  onNew: () => void;
  onImport: () => void;
}) {
  const shown = kind ?? 'agent';
  return (
    <EmptyState
      icon={<KindIcon kind={shown} size={28} />}
      title={kind ? `There is no ${kindWords(kind).one} yet` : 'The library is empty'}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <Button variant="primary" icon={<Plus size={14} />} onClick={onNew}>
            {kind === 'integration' ? 'Look at the catalogue' : `New ${kindWords(shown).one}`}
          </Button>
          <Button icon={<Import size={14} />} onClick={onImport}>
            Import…
          </Button>
        </div>
      }
    >
      <p>{lessons[shown]}</p>
      <p className="mt-2 text-ink-faint">
        You can also drop .afps and .mcpb files or a folder anywhere on this window.
      </p>
    </EmptyState>
  );
}
