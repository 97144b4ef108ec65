import { BookOpen, Bot, Plug, Server } from 'lucide-react';
import type { PackageType } from '#shared/manifest/dialect.ts';

const icons = { agent: Bot, skill: BookOpen, integration: Plug, 'mcp-server': Server } as const;

/** The mark of a kind of package. It says nothing that is not written beside it. */
export function KindIcon({ kind, size = 16 }: { kind: PackageType; size?: number }) {
  const Icon = icons[kind];
  return <Icon size={size} aria-hidden="true" className="shrink-0" />;
}
