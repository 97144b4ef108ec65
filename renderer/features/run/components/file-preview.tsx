import { lazy, Suspense, useState } from 'react';
import { CodeBlock } from '#renderer/components/code-block.tsx';
import { Loading } from '#renderer/components/empty-state.tsx';
import { ErrorBoundary } from '#renderer/components/error-boundary.tsx';
import { JsonTree } from '#renderer/components/json-tree.tsx';
import { Markdown } from '#renderer/components/markdown.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { formatBytes } from '#renderer/format/format.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { useRequest } from '#renderer/state/requests.ts';
import type { KeptFolder } from '#shared/runs/run.ts';
import { fileKind, resolveOutputPath } from '../model/file-kind.ts';
import { NothingToShow } from './nothing-to-show.tsx';

const CsvPreview = lazy(() => import('./csv-preview.tsx'));
const HexPreview = lazy(() => import('./hex-preview.tsx'));
const PdfPreview = lazy(() => import('./pdf-preview.tsx'));

/** Bytes of a text that a preview reads. */
const TEXT_LIMIT = 500_000;
const CSV_LIMIT = 2_000_000;

interface PreviewProps {
  readonly runId: string;
  readonly path: string;
  /** Where it is kept; the outputs when absent. */
  readonly folder?: KeptFolder;
  readonly mediaType: string | undefined;
  /** Changes with the file's bytes. */
  readonly version: string;
}

/** A look into a kept file, by its kind. */
export function FilePreview(props: PreviewProps) {
  const { bridge } = useServices();
  const { runId, path, folder = 'outputs', mediaType } = props;
  const kind = fileKind(path, mediaType);
  const url = bridge.outputUrl(runId, path, { folder });
  return (
    <div className="flex min-h-0 flex-1 flex-col" data-preview={kind}>
      <ErrorBoundary>
        <Suspense fallback={<Loading label="Loading the preview" />}>
          {kind === 'image' ? (
            <ImagePreview key={props.version} url={url} path={path} />
          ) : kind === 'pdf' ? (
            <PdfPreview url={url} path={path} />
          ) : (
            <TextPreview {...props} kind={kind} />
          )}
        </Suspense>
      </ErrorBoundary>
    </div>
  );
}

/** Drawings of programs expect paper under them, in the dark theme too. */
function ImagePreview({ url, path }: { url: string; path: string }) {
  const [isBroken, setIsBroken] = useState(false);
  if (isBroken)
    return <NothingToShow text="This image cannot be shown: it is damaged. Save it to open it elsewhere." />;
  return (
    <div className="min-h-0 flex-1 overflow-auto px-5 pb-4">
      <img
        src={url}
        alt={path}
        className="mx-auto max-w-full rounded-md border border-line"
        style={{ background: 'white' }}
        onError={() => setIsBroken(true)}
      />
    </div>
  );
}

function TextPreview({
  runId,
  path,
  folder = 'outputs',
  version,
  kind,
}: PreviewProps & { kind: 'markdown' | 'csv' | 'json' | 'text' }) {
  const { bridge } = useServices();
  const limit = kind === 'csv' ? CSV_LIMIT : TEXT_LIMIT;
  const answer = useRequest('runs.readText', { runId, path, folder, limit }, { version });
  if (answer.isPending) return <Loading label="Reading the file" />;
  if (answer.isError) {
    return (
      <div className="px-5 py-2">
        <ProblemCard problem={answer.error.problem} />
      </div>
    );
  }
  const { text, size, truncated, binary } = answer.data;
  if (binary) {
    const url = bridge.outputUrl(runId, path, { folder });
    return <HexPreview url={url} path={path} size={size} version={version} />;
  }
  if (size === 0) return <NothingToShow text="This file is empty." />;
  const cut = truncated && (
    <p className="shrink-0 px-5 py-1 text-sm text-caution">
      The first {formatBytes(limit)} of {formatBytes(size)} are shown. Save the file to see all of it.
    </p>
  );
  if (kind === 'csv') {
    return (
      <>
        {cut}
        <CsvPreview text={text} path={path} isCut={truncated} />
      </>
    );
  }
  return (
    <ScrollRegion label={path} className="min-h-0 flex-1 px-5 pb-4">
      {cut}
      {kind === 'markdown' ? (
        <Markdown
          text={text}
          imageUrl={(reference) => {
            const image = resolveOutputPath(path, reference);
            return image && bridge.outputUrl(runId, image);
          }}
        />
      ) : (
        <PlainOrJson text={text} path={path} isJson={kind === 'json' && !truncated} />
      )}
    </ScrollRegion>
  );
}

function PlainOrJson({ text, path, isJson }: { text: string; path: string; isJson: boolean }) {
  const value = isJson ? parseJson(text) : undefined;
  if (value) return <JsonTree value={value.json} label={path} />;
  return <CodeBlock label={path} text={text} maxHeight="" />;
}

function parseJson(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
