import { useMemo, type ReactNode } from 'react';
import { CodeBlock } from '#renderer/components/code-block.tsx';
import { LineDiff } from '#renderer/components/line-diff-view.tsx';
import { formatBytes } from '#renderer/format/format.ts';
import type { ShownContent } from '#shared/events/run-event.ts';
import type { CallItem } from '#shared/runs/projection.ts';
import { useSpilledResource } from '../hooks/run-resources.ts';
import { shownArguments, type ShownArguments } from '../model/call-arguments.ts';
import { SpilledResource } from './spilled-resource.tsx';

/** What a call was given and what it answered, in full. */
export function CallBody({ item, source }: { item: CallItem; source: string }) {
  const shown = useMemo(() => shownArguments(item.tool, item.arguments), [item.tool, item.arguments]);
  return (
    <div className="space-y-2.5 pt-1.5">
      <Part title={shown.kind === 'command' ? 'Command' : shown.kind === 'edits' ? 'Change' : 'Arguments'}>
        <Arguments shown={shown} />
      </Part>
      <Part title={item.state === 'running' ? 'Output so far' : item.state === 'failed' ? 'Error' : 'Result'}>
        <Result item={item} />
      </Part>
      <p className="text-xs text-ink-faint">
        {source} tool, call <span className="font-mono">{item.callId || 'unknown'}</span>
        {item.result && `, ${formatBytes(item.result.bytes)} as the model saw it`}
      </p>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h4 className="mb-1 text-xs font-medium text-ink-faint">{title}</h4>
      {children}
    </section>
  );
}

function Arguments({ shown }: { shown: ShownArguments }) {
  switch (shown.kind) {
    case 'command':
      return (
        <>
          <CodeBlock label="Command" text={shown.command} />
          {Object.keys(shown.rest).length > 0 && (
            <CodeBlock label="Further arguments" text={JSON.stringify(shown.rest, null, 2)} language="json" />
          )}
        </>
      );
    case 'content':
      return (
        <>
          <p className="mb-1 font-mono text-sm">{shown.path}</p>
          <CodeBlock label="Content" text={shown.content} numbered />
        </>
      );
    case 'edits':
      return (
        <>
          <p className="mb-1 font-mono text-sm">{shown.path}</p>
          <div className="space-y-1.5">
            {shown.edits.map((edit) => (
              <LineDiff
                key={`${edit.oldText}\n${edit.newText}`}
                before={edit.oldText}
                after={edit.newText}
                label="Changed lines"
              />
            ))}
          </div>
        </>
      );
    case 'json':
      if (shown.value === undefined)
        return <p className="text-sm text-ink-faint">The call’s beginning is not known.</p>;
      return <CodeBlock label="Arguments" text={JSON.stringify(shown.value, null, 2)} language="json" />;
  }
}

function Result({ item }: { item: CallItem }) {
  const { result, state, progress } = item;
  if (!result) {
    if (state === 'running') {
      return progress ? (
        <CodeBlock label="Output so far" text={progress} />
      ) : (
        <p className="text-sm text-ink-faint">Nothing yet.</p>
      );
    }
    return <p className="text-sm text-ink-faint">The run ended before the call did.</p>;
  }
  const isEmpty = result.content.every((part) => part.type === 'text' && part.text === '');
  return (
    <div className="space-y-1.5">
      {isEmpty && <p className="text-sm text-ink-faint">The tool answered nothing.</p>}
      {!isEmpty &&
        result.content.map((part, index) => (
          // Parts have no other identity than their place.
          // oxlint-disable-next-line react/no-array-index-key
          <ContentPart key={index} part={part} />
        ))}
      {result.truncated && (
        <p className="text-sm text-caution">
          Shown in part: the whole result has {formatBytes(result.bytes)}, and the model saw all of it.
        </p>
      )}
    </div>
  );
}

function ContentPart({ part }: { part: ShownContent }) {
  switch (part.type) {
    case 'text':
      return part.text ? (
        <CodeBlock label="Result" text={part.text} language={looksLikeJson(part.text) ? 'json' : 'text'} />
      ) : null;
    case 'image':
      return (
        <p className="text-sm text-ink-soft">
          An image ({part.mediaType}, {formatBytes(part.bytes)})
        </p>
      );
    case 'resource':
      return <ResourcePart part={part} />;
  }
}

function ResourcePart({ part }: { part: Extract<ShownContent, { type: 'resource' }> }) {
  const spilled = useSpilledResource(part.uri);
  if (spilled) return <SpilledResource {...spilled} />;
  return (
    <p className="text-sm">
      {part.title && <span className="mr-2">{part.title}</span>}
      <span className="font-mono text-ink-soft">{part.uri}</span>
    </p>
  );
}

function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text);
}
