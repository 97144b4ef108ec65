import {
  Braces,
  FileImage,
  FileText,
  FileWarning,
  FolderOpen,
  Maximize2,
  Table,
  TextQuote,
} from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { IconButton } from '#renderer/components/button.tsx';
import { classes } from '#renderer/components/classes.ts';
import { Dialog } from '#renderer/components/dialog.tsx';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { moveFocus } from '#renderer/components/move-focus.ts';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { Spinner } from '#renderer/components/spinner.tsx';
import { formatBytes, formatClock, formatCount, formatQuantity } from '#renderer/format/format.ts';
import { useAction, useRequest } from '#renderer/state/requests.ts';
import type { FileView, RunProjection } from '#shared/runs/projection.ts';
import { fileKind, type FileKind } from '../model/file-kind.ts';
import { FilePreview } from './file-preview.tsx';
import { SaveButton } from './save-button.tsx';

/** What the run leaves under `outputs/`, as it appears, with a look into each. */
export function FilesPanel({
  runId,
  projection,
  isLive,
}: {
  runId: string;
  projection: RunProjection;
  isLive: boolean;
}) {
  const { omittedFiles } = projection;
  const files = useMemo(
    () => [...projection.files.values()].sort((a, b) => a.path.localeCompare(b.path)),
    [projection.files],
  );
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const [isLarge, setIsLarge] = useState(false);
  const description = useRequest('app.describe', {});
  const reveal = useAction('runs.reveal');
  const named = chosen ?? projection.primaryFile;
  const current = files.find(({ path }) => path === named) ?? firstToShow(files);
  const hasKept = files.some(({ sha256 }) => sha256 !== undefined);

  if (files.length === 0) {
    return (
      <EmptyState
        icon={<FolderOpen size={28} aria-hidden="true" />}
        title={isLive ? 'No file yet' : 'The run left no file'}
      >
        What the agent writes into the folder “outputs” appears here while it works, and is kept with the run.
      </EmptyState>
    );
  }
  return (
    <>
      <div className="flex shrink-0 items-center gap-2 px-5 pt-3 pb-1">
        <p className="flex-1 text-sm text-ink-faint">
          {formatQuantity(files.length, 'file')},{' '}
          {formatBytes(files.reduce((sum, { size }) => sum + size, 0))}
        </p>
        {description.data?.canReveal && hasKept && (
          <IconButton
            size="small"
            label="Show in the file manager"
            icon={<FolderOpen size={14} />}
            onClick={() => reveal.mutate({ runId })}
          />
        )}
      </div>
      {/* Arrow keys move between the files; each is a button that Tab reaches too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ul
        aria-label="Files"
        onKeyDown={(event) => moveFocus(event, 'button[data-item]')}
        className="max-h-[38%] shrink-0 overflow-auto px-2.5 pb-2"
      >
        {files.map((file) => (
          <FileRow
            key={file.path}
            runId={runId}
            file={file}
            isCurrent={file.path === current?.path}
            isPrimary={file.path === projection.primaryFile}
            onChoose={() => setChosen(file.path)}
          />
        ))}
      </ul>
      {omittedFiles && (
        <p className="px-5 pb-2 text-sm text-caution">
          {omittedFiles.atLeast && 'At least '}
          {formatCount(omittedFiles.count)} more were written; they are not listed one by one.
        </p>
      )}
      {current && (
        <section
          aria-label={`Preview of ${current.path}`}
          className="flex min-h-0 flex-1 flex-col border-t border-line"
        >
          <div className="flex shrink-0 items-center gap-1 px-5 py-1">
            <h3 className="min-w-0 flex-1 truncate font-mono text-sm font-medium" title={current.path}>
              {current.path}
            </h3>
            {current.changing && isLive && <Spinner />}
            {current.sha256 !== undefined && (
              <>
                <IconButton
                  size="small"
                  label="Larger"
                  icon={<Maximize2 size={14} />}
                  onClick={() => setIsLarge(true)}
                />
                <SaveButton runId={runId} path={current.path} />
              </>
            )}
          </div>
          <Preview runId={runId} file={current} isLive={isLive} />
          <Dialog
            open={isLarge && current.sha256 !== undefined}
            onOpenChange={setIsLarge}
            title={current.path}
            width="max-w-[min(92vw,80rem)]"
          >
            <div className="flex h-[64vh] min-h-0 flex-col">
              <Preview runId={runId} file={current} isLive={isLive} />
            </div>
          </Dialog>
        </section>
      )}
    </>
  );
}

const icons: Record<FileKind, ReactNode> = {
  markdown: <TextQuote size={14} aria-hidden="true" />,
  csv: <Table size={14} aria-hidden="true" />,
  json: <Braces size={14} aria-hidden="true" />,
  image: <FileImage size={14} aria-hidden="true" />,
  pdf: <FileText size={14} aria-hidden="true" />,
  text: <FileText size={14} aria-hidden="true" />,
};

function FileRow({
  runId,
  file,
  isCurrent,
  isPrimary,
  onChoose,
}: {
  runId: string;
  file: FileView;
  isCurrent: boolean;
  /** The agent said that it is the main one. */
  isPrimary: boolean;
  onChoose: () => void;
}) {
  return (
    <li
      className={classes(
        'group/file flex items-center gap-1 rounded-md pr-1 transition-colors duration-100',
        isCurrent ? 'bg-selected' : 'hover:bg-hover',
      )}
    >
      <button
        type="button"
        data-item
        aria-current={isCurrent || undefined}
        onClick={onChoose}
        className="flex h-7 min-w-0 flex-1 items-center gap-2 rounded-md px-2.5 text-left"
      >
        <span className={isCurrent ? 'text-accent' : 'text-ink-faint'}>
          {file.problem ? (
            <FileWarning size={14} aria-hidden="true" className="text-caution" />
          ) : (
            icons[fileKind(file.path, file.mediaType)]
          )}
        </span>
        <span className="min-w-0 flex-1 truncate" title={file.path}>
          {file.path}
        </span>
        {isPrimary && <Badge tone="accent">main</Badge>}
        {file.problem && <Badge tone="caution">not kept</Badge>}
        <span className="shrink-0 text-sm text-ink-faint">{formatBytes(file.size)}</span>
        <time className="shrink-0 text-xs text-ink-faint" dateTime={new Date(file.modifiedAt).toISOString()}>
          {formatClock(file.modifiedAt).slice(0, 8)}
        </time>
      </button>
      {file.sha256 === undefined ? (
        <span className="size-6" />
      ) : (
        <SaveButton runId={runId} path={file.path} />
      )}
    </li>
  );
}

function Preview({ runId, file, isLive }: { runId: string; file: FileView; isLive: boolean }) {
  if (file.problem) {
    return (
      <div className="px-5 py-2">
        <ProblemCard problem={file.problem} tone="caution" />
      </div>
    );
  }
  if (file.sha256 === undefined) {
    return (
      <p className="px-5 py-6 text-center text-ink-faint">
        {isLive ? 'Still being written; it can be opened once it rests.' : 'It was not kept with the run.'}
      </p>
    );
  }
  return (
    <FilePreview
      // A new version is another file to the preview.
      key={`${file.path} ${file.sha256}`}
      runId={runId}
      path={file.path}
      mediaType={file.mediaType}
      version={file.sha256}
    />
  );
}

/** The file a person most likely wants to see: a document before data before the rest. */
function firstToShow(files: readonly FileView[]): FileView | undefined {
  const kept = files.filter(({ sha256 }) => sha256 !== undefined);
  const order: readonly FileKind[] = ['markdown', 'pdf', 'csv', 'image', 'json', 'text'];
  const rank = (file: FileView) => order.indexOf(fileKind(file.path, file.mediaType));
  return [...kept].sort((a, b) => rank(a) - rank(b))[0] ?? files[0];
}
