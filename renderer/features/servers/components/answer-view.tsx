import { SquareTerminal } from 'lucide-react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { CodeBlock } from '#renderer/components/code-block.tsx';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { formatDuration } from '#renderer/format/format.ts';
import { useNow } from '#renderer/state/use-now.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import type { ServerAnswer } from '../hooks/use-server-request.ts';
import { ContentBlock } from './content-block.tsx';

const STATES = {
  running: { word: 'under way', tone: 'accent' },
  done: { word: 'answered', tone: 'success' },
  failed: { word: 'failed', tone: 'danger' },
  cancelled: { word: 'cancelled', tone: 'neutral' },
} as const;

/** What the server answered to the last request. */
export function AnswerView({ answer, onCancel }: { answer: ServerAnswer | undefined; onCancel: () => void }) {
  const isRunning = answer?.state === 'running';
  const now = useNow(500, isRunning);
  if (answer === undefined) {
    return (
      <EmptyState icon={<SquareTerminal size={28} aria-hidden="true" />} title="Nothing was asked yet">
        Call a tool, get a prompt or read a resource on the left; what the server answers is shown here.
      </EmptyState>
    );
  }
  const { request, state, result, problem, durationMs } = answer;
  const { word, tone } = STATES[state];
  const elapsed = durationMs ?? Math.max(0, now - answer.startedAt);
  return (
    <article aria-label="Shown answer" className="space-y-5">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="min-w-0 truncate font-mono font-semibold">
          {request.kind === 'resource' ? request.uri : request.name}
        </h3>
        <span role="status">
          <Badge tone={tone}>{word}</Badge>
        </span>
        <span className="text-sm text-ink-soft">{formatDuration(elapsed)}</span>
        <span className="flex-1" />
        {isRunning && (
          <Button size="small" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </header>
      {problem && <ProblemCard problem={problem} />}
      {state === 'cancelled' && (
        <p className="text-ink-soft">The server was told to stop. It may have acted on the request.</p>
      )}
      {result && <Result result={result} />}
    </article>
  );
}

function Result({ result }: { result: Readonly<Record<string, unknown>> }) {
  const parts = partsOf(result);
  const structured = result['structuredContent'];
  return (
    <>
      {parts.map(({ key, title, content }) => (
        <section key={key} aria-label={title}>
          <h4 className="mb-1.5 text-sm font-medium text-ink-soft">{title}</h4>
          <ContentBlock content={content} label={title} />
        </section>
      ))}
      {structured !== undefined && (
        <section aria-label="Structured content">
          <h4 className="mb-1.5 text-sm font-medium text-ink-soft">Structured content</h4>
          <CodeBlock label="Structured content" text={JSON.stringify(structured, null, 2)} language="json" />
        </section>
      )}
      <details>
        <summary className="cursor-pointer text-sm text-ink-soft">The result as JSON</summary>
        <div className="mt-1.5">
          <CodeBlock label="The result as JSON" text={JSON.stringify(result, null, 2)} language="json" />
        </div>
      </details>
    </>
  );
}

interface Part {
  readonly key: string;
  readonly title: string;
  readonly content: unknown;
}

/** Blocks of a tool's result, messages of a prompt, or contents of a resource. */
function partsOf(result: Readonly<Record<string, unknown>>): Part[] {
  const list = (name: string) => (Array.isArray(result[name]) ? (result[name] as unknown[]) : []);
  return [
    ...list('content').map((content, index) => part(`Block ${index + 1}`, content)),
    ...list('messages').map((message, index) => {
      const { role, content } = isRecord(message) ? message : { role: 'unknown', content: message };
      return part(`Message ${index + 1}, ${String(role)}`, content);
    }),
    ...list('contents').map((content, index) =>
      part(`Content ${index + 1}`, { type: 'resource', resource: content }),
    ),
  ];
}

function part(title: string, content: unknown): Part {
  return { key: title, title, content };
}
