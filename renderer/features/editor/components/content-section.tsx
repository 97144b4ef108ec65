import { useState } from 'react';
import { CodeEditor, type CodeMarker, type CodePlace } from '#renderer/components/code/index.ts';
import { Markdown } from '#renderer/components/markdown.tsx';
import { Segmented } from '#renderer/components/segmented.tsx';
import { formatCount } from '#renderer/format/format.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import { estimateTokens } from '#shared/tools/token-estimate.ts';
import { useText } from '../hooks/use-document.ts';
import type { EditedText } from '../model/edited-text.ts';
import { AssembledPrompt } from './assembled-prompt.tsx';
import { SkillHead } from './skill-head.tsx';

/** The Markdown a person writes for the model: a prompt, a skill, notes on a service. */
export function ContentSection({
  type,
  path,
  text,
  modelUri,
  markers,
  place,
  intro,
}: {
  type: PackageType;
  path: string;
  text: EditedText;
  modelUri: string;
  markers: readonly CodeMarker[];
  place: CodePlace | undefined;
  intro: string;
}) {
  const [view, setView] = useState<'write' | 'read' | 'whole'>('write');
  const current = useText(text);
  return (
    <section aria-label={path} className="flex min-h-0 flex-1 flex-col">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2 pb-3">
        <div className="min-w-60 flex-1">
          <h2 className="font-mono text-base font-semibold">{path}</h2>
          <p className="text-ink-soft">{intro}</p>
        </div>
        <p className="text-sm text-ink-faint">about {formatCount(estimateTokens(current))} tokens</p>
        <Segmented
          label="View of the text"
          value={view}
          onChange={setView}
          options={[
            { value: 'write', label: 'Write' },
            { value: 'read', label: 'Preview' },
            ...(type === 'agent' ? [{ value: 'whole' as const, label: 'All the agent is told' }] : []),
          ]}
        />
      </header>
      {type === 'skill' && view !== 'read' && <SkillHead text={text} />}
      {view === 'whole' ? (
        <AssembledPrompt prompt={current} />
      ) : view === 'write' ? (
        <div className="flex min-h-60 flex-1 flex-col overflow-hidden rounded-md border border-line">
          <CodeEditor
            source={text}
            label={path}
            language="markdown"
            modelUri={modelUri}
            markers={markers}
            place={place}
            wrap
          />
        </div>
      ) : (
        <div className="min-h-0 flex-1 overflow-auto rounded-md border border-line px-5 py-4">
          {current.trim() === '' ? (
            <p className="text-ink-faint">It is empty.</p>
          ) : (
            <Markdown text={type === 'skill' ? withoutHead(current) : current} />
          )}
        </div>
      )}
    </section>
  );
}

/** A head shown as Markdown would be a line and a title. */
function withoutHead(text: string): string {
  return text.replace(/^\uFEFF?---[ \t]*\r?\n[\s\S]*?\n---[ \t]*(\r?\n|$)/, '');
}
