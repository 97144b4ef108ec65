import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '#renderer/components/button.tsx';
import { CodeView, languageOf } from '#renderer/components/code/index.ts';
import { CodeBlock } from '#renderer/components/code-block.tsx';
import { EmptyState, Loading } from '#renderer/components/empty-state.tsx';
import { Markdown } from '#renderer/components/markdown.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { Segmented } from '#renderer/components/segmented.tsx';
import { formatBytes } from '#renderer/format/format.ts';
import { useRequest } from '#renderer/state/requests.ts';

/** Bytes of a file that are shown. */
const LIMIT = 1_000_000;
/** Characters up to which a text is drawn at once; a longer one is left to the editor, which draws what is in sight. */
const MAX_PLAIN = 60_000;

/** One file of a package, to read. */
export function FileViewer({
  name,
  version,
  path,
  digest,
  onEdit,
  onRemove,
}: {
  name: string;
  version: string | undefined;
  path: string;
  /** Another content is another answer. */
  digest: string;
  /** Offered where the file is a text and can be changed; told its text. */
  onEdit?: ((text: string) => void) | undefined;
  onRemove?: (() => void) | undefined;
}) {
  const [view, setView] = useState<'rendered' | 'raw'>('rendered');
  const file = useRequest(
    'library.readFile',
    { name, path, limit: LIMIT, ...(version !== undefined && { version }) },
    { version: digest },
  );
  if (file.isError) return <ProblemCard problem={file.error.problem} />;
  if (!file.data) return <Loading label={`Reading ${path}`} />;
  const { text, size, truncated, binary } = file.data;
  const isMarkdown = /\.(md|markdown)$/i.test(path);
  return (
    <section aria-label={path} className="flex min-h-0 flex-1 flex-col">
      <header className="flex h-8 items-center gap-3 pb-3">
        <h2 className="min-w-0 flex-1 truncate font-mono text-sm">{path}</h2>
        <span className="text-sm text-ink-faint">{formatBytes(size)}</span>
        {isMarkdown && !binary && (
          <Segmented
            label="View of the file"
            value={view}
            onChange={setView}
            options={[
              { value: 'rendered', label: 'Rendered' },
              { value: 'raw', label: 'As it is' },
            ]}
          />
        )}
        {onEdit && !binary && !truncated && (
          <Button size="small" icon={<Pencil size={12} />} onClick={() => onEdit(text)}>
            Edit
          </Button>
        )}
        {onRemove && (
          <IconButton size="small" label={`Remove ${path}`} icon={<Trash2 size={14} />} onClick={onRemove} />
        )}
      </header>
      {binary ? (
        <EmptyState title="This file is no text">
          It is kept as it is, and comes along in every export.
        </EmptyState>
      ) : text === '' ? (
        <p className="text-ink-faint">It is empty.</p>
      ) : isMarkdown && view === 'rendered' ? (
        <Markdown text={withoutFrontmatter(text)} />
      ) : text.length > MAX_PLAIN ? (
        <div className="min-h-100 flex-1 overflow-hidden rounded-md border border-line">
          <CodeView
            text={text}
            label={path}
            language={languageOf(path)}
            modelUri={`slipway://view/${encodeURIComponent(name)}/${digest}/${path}`}
          />
        </div>
      ) : (
        <CodeBlock
          label={path}
          text={text}
          language={path.endsWith('.json') ? 'json' : 'text'}
          numbered
          maxHeight=""
        />
      )}
      {truncated && (
        <p className="mt-2 text-sm text-ink-faint">Only the first {formatBytes(LIMIT)} are shown.</p>
      )}
    </section>
  );
}

/** The header of a skill is data; rendered it would be a heading. */
function withoutFrontmatter(text: string): string {
  return text.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---\r?\n/, '');
}
