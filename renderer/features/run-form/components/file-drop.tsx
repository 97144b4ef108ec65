import { CircleAlert, FileText, History, Upload, X } from 'lucide-react';
import { useRef, useState, type DragEvent } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { IconButton } from '#renderer/components/button.tsx';
import { classes } from '#renderer/components/classes.ts';
import { ProgressBar } from '#renderer/components/progress.tsx';
import { formatBytes } from '#renderer/format/format.ts';
import type { FieldAttributes } from '#renderer/components/field.tsx';
import { useApp } from '#renderer/state/app-context.tsx';
import { useFileRegistration } from '../hooks/use-file-registration.ts';
import { newId, refuseFile, type ChosenFile } from '../model/draft.ts';
import { RunFilePicker, type KeptRunFile } from './run-file-picker.tsx';

/** Files to drop or to pick, and the ones that were. */
export function FileDrop({
  attributes,
  label,
  files,
  change,
  accept,
  maxSize,
  maxFiles,
}: {
  attributes: FieldAttributes;
  label: string;
  files: readonly ChosenFile[];
  change: (update: (files: readonly ChosenFile[]) => readonly ChosenFile[]) => void;
  accept: string | undefined;
  maxSize: number | undefined;
  maxFiles: number;
}) {
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const [isPicking, setIsPicking] = useState(false);
  const hasRuns = useApp(({ runs }) => [...(runs?.values() ?? [])].some(({ fileCount }) => fileCount > 0));
  const single = maxFiles === 1;
  const add = useFileRegistration({ accept, maxSize }, change);
  const take = (picked: readonly File[]) => {
    if (picked.length === 0) return;
    // Another file takes the place of the one there is.
    if (single) change(() => []);
    void add(single ? picked.slice(0, 1) : picked);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    take([...event.dataTransfer.files]);
  };
  const limits = [
    accept
      ?.split(',')
      .map((kind) => kind.trim())
      .join(', '),
    maxSize !== undefined && `at most ${formatBytes(maxSize)}`,
    !single && Number.isFinite(maxFiles) && `up to ${maxFiles} files`,
  ].filter(Boolean);
  const isFull = files.length >= maxFiles;
  const takeKept = (kept: readonly KeptRunFile[]) => {
    const added = kept.map((file) => {
      const asFile = { name: file.name, size: file.size, type: '' };
      const error = refuseFile({ accept, maxSize }, asFile, formatBytes);
      return { ...file, id: newId(), progress: undefined, error };
    });
    change((known) => (single ? added : [...known, ...added]));
  };
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={onDrop}
      className={classes(
        'rounded-md border transition-colors duration-100',
        files.length === 0 && 'border-dashed',
        isOver ? 'border-accent bg-accent-soft' : 'border-line-strong/70 bg-surface',
      )}
    >
      {files.length > 0 && (
        <ul aria-label={`${label}: chosen files`} className="divide-y divide-line">
          {files.map((file) => (
            <ChosenRow
              key={file.id}
              file={file}
              onRemove={() => change((known) => known.filter(({ id }) => id !== file.id))}
            />
          ))}
        </ul>
      )}
      <button
        type="button"
        id={attributes.id}
        aria-describedby={attributes['aria-describedby']}
        data-invalid={attributes['aria-invalid']}
        onClick={() => picker.current?.click()}
        className={classes(
          'flex w-full items-center gap-2 rounded-md px-3 text-left text-ink-soft transition-colors duration-100 hover:bg-hover hover:text-ink',
          files.length > 0 ? 'h-8 border-t border-line text-sm' : 'h-12',
          isFull && !single && 'hidden',
        )}
      >
        <Upload size={14} aria-hidden="true" />
        <span className="flex-1">
          <span className="sr-only">{label}: </span>
          {files.length === 0
            ? `Drop ${single ? 'a file' : 'files'} here, or click to choose`
            : single
              ? 'Replace it'
              : 'Add more'}
        </span>
        <span className="text-xs text-ink-faint">{limits.join(', ')}</span>
      </button>
      {hasRuns && !(isFull && !single) && (
        <button
          type="button"
          onClick={() => setIsPicking(true)}
          className="flex h-8 w-full items-center gap-2 rounded-md border-t border-line px-3 text-left text-sm text-ink-soft transition-colors duration-100 hover:bg-hover hover:text-ink"
        >
          <History size={14} aria-hidden="true" />
          <span>
            <span className="sr-only">{label}: </span>
            From an earlier run…
          </span>
        </button>
      )}
      {isPicking && <RunFilePicker single={single} onChoose={takeKept} onClose={() => setIsPicking(false)} />}
      <input
        ref={picker}
        type="file"
        hidden
        aria-label={label}
        multiple={!single}
        accept={accept}
        onChange={(event) => {
          take([...(event.target.files ?? [])]);
          // The same file can then be picked again after it was removed.
          event.target.value = '';
        }}
      />
    </div>
  );
}

function ChosenRow({ file, onRemove }: { file: ChosenFile; onRemove: () => void }) {
  return (
    <li className="px-3 py-1.5">
      <div className="flex items-center gap-2.5">
        {file.error ? (
          <CircleAlert size={15} aria-hidden="true" className="shrink-0 text-danger" />
        ) : (
          <FileText size={15} aria-hidden="true" className="shrink-0 text-ink-faint" />
        )}
        <span className="min-w-0 truncate font-medium" title={file.name}>
          {file.name}
        </span>
        <span className="shrink-0 text-sm text-ink-faint">{formatBytes(file.size)}</span>
        {file.source?.kind === 'example' && <Badge>Example</Badge>}
        {file.source?.kind === 'run' && <Badge>Of a run</Badge>}
        <span className="flex-1" />
        <IconButton size="small" label={`Remove ${file.name}`} icon={<X size={14} />} onClick={onRemove} />
      </div>
      {file.error && <p className="mt-0.5 pl-6 text-sm text-danger">{file.error}</p>}
      {!file.error && file.progress !== undefined && (
        <div className="mt-1 pl-6">
          <ProgressBar label={`Reading ${file.name}`} fraction={file.progress} />
        </div>
      )}
    </li>
  );
}
