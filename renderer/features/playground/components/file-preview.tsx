import { ChevronRight, FileText } from 'lucide-react';
import { useState } from 'react';
import { classes } from '#renderer/components/classes.ts';
import { CodeBlock } from '#renderer/components/code-block.tsx';
import { COLOURED_CHARACTERS } from '#renderer/components/coloured-json.ts';
import { Loading } from '#renderer/components/empty-state.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { formatBytes } from '#renderer/format/format.ts';
import { useRequest } from '#renderer/state/requests.ts';
import type { PlaygroundFile } from '#shared/ipc/playground-routes.ts';

/** Bytes of a file that are shown. */
const SHOWN_BYTES = 50_000;

/** A file of the playground, and its beginning when it is opened. */
export function FilePreview({ integrationId, file }: { integrationId: string; file: PlaygroundFile }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full items-center gap-1.5 rounded-sm py-0.5 text-left hover:bg-hover"
      >
        <ChevronRight
          size={13}
          aria-hidden="true"
          className={classes('shrink-0 text-ink-faint transition-transform', isOpen && 'rotate-90')}
        />
        <FileText size={14} aria-hidden="true" className="shrink-0 text-ink-faint" />
        <span className="min-w-0 truncate font-mono text-sm">{file.path}</span>
        <span className="shrink-0 text-sm text-ink-faint">{formatBytes(file.size)}</span>
      </button>
      {isOpen && <Beginning integrationId={integrationId} file={file} />}
    </div>
  );
}

function Beginning({ integrationId, file }: { integrationId: string; file: PlaygroundFile }) {
  const { data, error } = useRequest(
    'playground.readText',
    { integrationId, path: file.path, limit: SHOWN_BYTES },
    { version: file.size },
  );
  if (error) return <ProblemCard problem={error.problem} tone="caution" />;
  if (!data) return <Loading label="Loading the file" />;
  if (data.binary) {
    return (
      <p className="py-1 text-sm text-ink-soft">
        Not a text: {formatBytes(data.size)} that cannot be shown here.
      </p>
    );
  }
  const isColoured = /\.json$/i.test(file.path) && data.text.length <= COLOURED_CHARACTERS;
  return (
    <>
      <CodeBlock label={`Content of ${file.path}`} text={data.text} language={isColoured ? 'json' : 'text'} />
      {data.truncated && (
        <p className="mt-1 text-sm text-ink-soft">
          The first {formatBytes(SHOWN_BYTES)} of {formatBytes(data.size)}.
        </p>
      )}
    </>
  );
}
