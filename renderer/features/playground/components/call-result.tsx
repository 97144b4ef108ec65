import { RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { CodeBlock } from '#renderer/components/code-block.tsx';
import { isColouredJson } from '#renderer/components/coloured-json.ts';
import { Loading } from '#renderer/components/empty-state.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { formatBytes, formatDuration } from '#renderer/format/format.ts';
import { useNow } from '#renderer/state/use-now.ts';
import { useAction, useRequest } from '#renderer/state/requests.ts';
import type { PlaygroundCall, PlaygroundResult } from '#shared/ipc/playground-routes.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { UPSTREAM_META_KEY } from '#shared/protocol/api-tools.ts';
import { outcomeOf } from './call-list.tsx';
import { FilePreview } from './file-preview.tsx';

/** A call in full: what a model would read, and what stands behind it. */
export function CallResult({
  call,
  onReuse,
}: {
  call: PlaygroundCall;
  onReuse: (tool: string, given: Readonly<Record<string, unknown>>) => void;
}) {
  const { data, error } = useRequest(
    'playground.result',
    { callId: call.id },
    { version: call.revision, keepsPrevious: true },
  );
  if (error && !data) return <ProblemCard problem={error.problem} />;
  if (!data || data.call.id !== call.id) return <Loading label="Loading the call" />;
  return (
    <article aria-label="Shown call" className="space-y-5">
      <Head call={call} onReuse={() => onReuse(call.tool, data.arguments)} />
      {data.problem && <ProblemCard problem={data.problem} />}
      {call.state === 'cancelled' && (
        <p className="text-ink-soft">
          It was cancelled, so there is no result. A service may have acted on it.
        </p>
      )}
      {data.content.length > 0 && (
        <Part title="What a model reads">
          <Blocks content={data.content} />
        </Part>
      )}
      {data.files.length > 0 && (
        <Part title="Files it wrote">
          <ul className="space-y-2">
            {data.files.map((file) => (
              <li key={file.path}>
                <FilePreview integrationId={call.integrationId} file={file} />
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Headers result={data} />
      <Requests outbound={data.outbound} />
      <Part title="Arguments">
        <CodeBlock
          label="Arguments"
          text={JSON.stringify(data.arguments, null, 2)}
          language="json"
          maxHeight="max-h-60"
        />
      </Part>
      {data.result && (
        <Part title="Result with _meta">
          <CodeBlock label="Result with _meta" text={JSON.stringify(data.result, null, 2)} language="json" />
        </Part>
      )}
    </article>
  );
}

function Head({ call, onReuse }: { call: PlaygroundCall; onReuse: () => void }) {
  const cancel = useAction('playground.cancel');
  const isRunning = call.state === 'running';
  const now = useNow(500, isRunning);
  const outcome = outcomeOf(call);
  const tone = call.state === 'failed' ? 'danger' : call.state === 'done' ? 'success' : 'neutral';
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <h3 className="min-w-0 truncate font-mono font-semibold">{call.tool}</h3>
      {outcome !== '' && <Badge tone={tone}>{outcome}</Badge>}
      {isRunning && <Badge tone="accent">{call.progress ?? 'under way'}</Badge>}
      <span className="text-sm text-ink-soft">
        as {call.connection} · {formatDuration(isRunning ? now - call.startedAt : (call.durationMs ?? 0))}
      </span>
      <span className="flex-1" />
      {isRunning ? (
        <Button size="small" busy={cancel.isPending} onClick={() => cancel.mutate({ callId: call.id })}>
          Cancel
        </Button>
      ) : (
        <Button size="small" icon={<RotateCcw size={13} />} onClick={onReuse}>
          Use these arguments
        </Button>
      )}
    </header>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h4 className="mb-1.5 text-sm font-medium text-ink-soft">{title}</h4>
      {children}
    </section>
  );
}

/** Each block by itself: a model is given them one after another. */
function Blocks({ content }: { content: PlaygroundResult['content'] }) {
  return (
    <div className="space-y-1.5">
      {content.map((block, index) =>
        block.type === 'text' ? (
          <CodeBlock
            // Blocks have no other identity than their place.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            label={`Block ${index + 1}`}
            text={block.text}
            language={isColouredJson(block.text) ? 'json' : 'text'}
          />
        ) : (
          // oxlint-disable-next-line react/no-array-index-key
          <p key={index} className="text-sm text-ink-soft">
            An image ({block.mimeType}, {formatBytes((block.data.length * 3) / 4)})
          </p>
        ),
      )}
    </div>
  );
}

/** Headers of the response that a model's tools pass on. */
function Headers({ result: { result } }: { result: PlaygroundResult }) {
  const meta = isRecord(result?.['_meta']) ? result['_meta'][UPSTREAM_META_KEY] : undefined;
  const headers = isRecord(meta) && isRecord(meta['headers']) ? Object.entries(meta['headers']) : [];
  if (headers.length === 0) return null;
  return (
    <Part title="Response headers">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 font-mono text-sm">
        {headers.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-soft">{name}</dt>
            <dd className="wrap-anywhere">{String(value)}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

/** Each request that left, or was refused before, with what a run's audit would keep of it. */
function Requests({ outbound }: { outbound: PlaygroundResult['outbound'] }) {
  if (outbound.length === 0) return null;
  return (
    <Part title="Requests it made">
      <ScrollRegion label="Requests" className="rounded-md border border-line">
        <table className="w-full text-left text-sm">
          <thead className="text-xs text-ink-faint">
            <tr>
              {['Method', 'Address', 'Outcome', 'Allowed by', 'Sent', 'Received', 'Time'].map((title) => (
                <th key={title} scope="col" className="px-2.5 py-1.5 font-medium whitespace-nowrap">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line border-t border-line">
            {outbound.map((request, index) => (
              // Requests have no other identity than their place.
              // oxlint-disable-next-line react/no-array-index-key
              <tr key={index} className="align-top">
                <td className="px-2.5 py-1.5 font-mono">{request.method}</td>
                <td className="max-w-80 min-w-40 px-2.5 py-1.5 font-mono wrap-anywhere">{request.url}</td>
                <td className="px-2.5 py-1.5 font-mono">{request.code ?? request.status}</td>
                <td className="max-w-60 px-2.5 py-1.5 font-mono wrap-anywhere text-ink-soft">
                  {request.rule ?? '—'}
                </td>
                <td className="px-2.5 py-1.5 whitespace-nowrap">{formatBytes(request.bytesSent)}</td>
                <td className="px-2.5 py-1.5 whitespace-nowrap">{formatBytes(request.bytesReceived)}</td>
                <td className="px-2.5 py-1.5 whitespace-nowrap">{formatDuration(request.durationMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Part>
  );
}
