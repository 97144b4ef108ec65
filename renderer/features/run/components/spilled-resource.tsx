import { FileDown, FileWarning } from 'lucide-react';
import { useState } from 'react';
import { Dialog } from '#renderer/components/dialog.tsx';
import { formatBytes } from '#renderer/format/format.ts';
import type { ResourceView } from '#shared/runs/projection.ts';
import { FilePreview } from './file-preview.tsx';
import { SaveButton } from './save-button.tsx';

/** A result that went to a file instead of into the conversation; opens a look into it. */
export function SpilledResource({ runId, resource }: { runId: string; resource: ResourceView }) {
  const [isOpen, setIsOpen] = useState(false);
  const { path, size, mediaType, isKept, problem } = resource;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const facts = [mediaType, formatBytes(size)].filter((fact) => fact !== undefined).join(', ');
  if (!isKept) {
    return (
      <p className="flex items-center gap-1.5 text-sm text-ink-faint">
        <FileWarning size={14} aria-hidden="true" className={problem && 'text-caution'} />
        <span className="font-mono wrap-anywhere">{path}</span>
        <span>
          {facts}; {problem ? problem.detail : 'being kept'}
        </span>
      </p>
    );
  }
  return (
    <>
      <button
        type="button"
        onClick={() => setIsOpen(true)}
        className="inline-flex max-w-full items-center gap-1.5 rounded-md border border-line bg-surface px-2 py-1 text-left text-sm hover:border-line-strong hover:bg-hover"
      >
        <FileDown size={14} aria-hidden="true" className="shrink-0 text-accent" />
        <span className="min-w-0 truncate font-mono">{name}</span>
        <span className="shrink-0 text-ink-faint">{facts}</span>
      </button>
      <Dialog open={isOpen} onOpenChange={setIsOpen} title={name} width="max-w-[min(92vw,80rem)]">
        <div className="flex h-[64vh] min-h-0 flex-col">
          <p className="flex shrink-0 items-center gap-2 px-5 py-1 text-sm text-ink-faint">
            <span className="min-w-0 flex-1 truncate">
              {facts}. The model was given the path <span className="font-mono">{path}</span>.
            </span>
            <SaveButton runId={runId} path={name} folder="resources" />
          </p>
          <FilePreview
            runId={runId}
            path={name}
            folder="resources"
            mediaType={mediaType}
            version={resource.uri}
          />
        </div>
      </Dialog>
    </>
  );
}
