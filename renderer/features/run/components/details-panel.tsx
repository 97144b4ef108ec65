import { ChevronRight } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { classes } from '#renderer/components/classes.ts';
import { CodeBlock } from '#renderer/components/code-block.tsx';
import { JsonTree } from '#renderer/components/json-tree.tsx';
import { Gauge } from '#renderer/components/progress.tsx';
import {
  describeCost,
  formatBytes,
  formatCost,
  formatCount,
  formatDateTime,
  formatDuration,
  formatTokens,
} from '#renderer/format/format.ts';
import type { RunProjection, TurnItem } from '#shared/runs/projection.ts';
import type { RunDetail, RunSummary } from '#shared/runs/run.ts';
import { phaseLabels } from '../model/phase-labels.ts';
import { SaveButton } from './save-button.tsx';

/** Everything about a run that is neither its course nor its result. */
export function DetailsPanel({
  runId,
  projection,
  detail,
}: {
  runId: string;
  projection: RunProjection;
  detail: RunDetail | undefined;
}) {
  const turns = projection.timeline.filter((item) => item.kind === 'turn');
  const inputFiles = detail?.inputFiles ?? projection.inputFiles;
  return (
    <div className="space-y-7 px-5 py-4">
      <Part title="Input">
        {detail && Object.keys(detail.input).length > 0 ? (
          <JsonTree value={detail.input} label="Input" />
        ) : (
          inputFiles.length === 0 && <p className="text-ink-faint">It was given no input.</p>
        )}
        {inputFiles.length > 0 && (
          <ul aria-label="Input files" className="mt-1 space-y-0.5">
            {inputFiles.map((file) => (
              <li key={file.name} className="flex gap-3 text-sm">
                <span className="min-w-0 flex-1 wrap-anywhere">
                  {file.originalName}
                  <span className="ml-2 font-mono text-ink-faint">documents/{file.name}</span>
                </span>
                {file.field && <span className="font-mono text-ink-faint">{file.field}</span>}
                <span className="text-ink-faint">{formatBytes(file.size)}</span>
                {'kept' in file && file.kept === true && (
                  <SaveButton runId={runId} path={file.name} folder="documents" />
                )}
              </li>
            ))}
          </ul>
        )}
      </Part>

      {projection.phases.length > 0 && (
        <Part title="Preparation">
          <Facts>
            {projection.phases.map((phase) => (
              <Fact key={phase.phase} name={phaseLabels[phase.phase]}>
                {phase.durationMs === undefined ? '…' : formatDuration(phase.durationMs)}
              </Fact>
            ))}
          </Facts>
        </Part>
      )}

      {turns.length > 0 && (
        <Part title="Turns">
          <TurnTable turns={turns} />
        </Part>
      )}

      <Part title="Usage">
        <UsageFacts usage={projection.usage} />
      </Part>

      {projection.tools.length > 0 && (
        <Part title="Tools offered">
          <ul className="space-y-0.5">
            {projection.tools.map((tool) => (
              <li key={tool.name} className="flex gap-3 text-sm">
                <span className="min-w-0 flex-1 truncate font-mono">{tool.name}</span>
                <span className="text-ink-faint">{tool.source === 'runtime' ? 'platform' : tool.source}</span>
                <span className="w-20 text-right text-ink-faint">
                  ≈ {formatTokens(tool.estimatedTokens)} tok
                </span>
              </li>
            ))}
          </ul>
        </Part>
      )}

      <Part title="Run">
        <Facts>
          <Fact name="Run">
            <span className="font-mono wrap-anywhere">{runId}</span>
          </Fact>
          {detail && <SummaryFacts summary={detail.summary} model={projection.model} />}
          {projection.queuedAt !== undefined && (
            <Fact name="Created">{formatDateTime(projection.queuedAt)}</Fact>
          )}
          {projection.endedAt !== undefined && <Fact name="Ended">{formatDateTime(projection.endedAt)}</Fact>}
          <Fact name="Events">{formatCount(projection.lastSequence)}</Fact>
        </Facts>
      </Part>

      {detail && (
        <>
          <Snapshot title="Manifest as it was">
            <CodeBlock label="Manifest" text={detail.manifestText} language="json" numbered />
          </Snapshot>
          <Snapshot title="Prompt as it was">
            <CodeBlock label="Prompt" text={detail.promptText} />
          </Snapshot>
        </>
      )}
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1.5 font-semibold">{title}</h3>
      {children}
    </section>
  );
}

function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-y-0.5 text-sm">{children}</dl>;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-ink-faint">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function SummaryFacts({ summary, model }: { summary: RunSummary; model: string | undefined }) {
  const modelId = model ?? summary.model.modelId;
  return (
    <>
      <Fact name="Agent">
        <span className="font-mono wrap-anywhere">
          {summary.agentId} {summary.agentVersion}
        </span>
      </Fact>
      <Fact name="Model">
        {summary.modelName}
        {modelId !== summary.modelName && <span className="text-ink-faint"> ({modelId})</span>}
      </Fact>
      {summary.engine && <Fact name="Engine">{summary.engine}</Fact>}
      <Fact name="Started by">{summary.trigger === 'cli' ? 'the command line' : 'the app'}</Fact>
    </>
  );
}

function UsageFacts({ usage }: { usage: RunProjection['usage'] }) {
  return (
    <Facts>
      <Fact name="Cost">
        <span title={describeCost(usage)}>{formatCost(usage)}</span>
      </Fact>
      <Fact name="Model requests">{formatCount(usage.modelRequests)}</Fact>
      <Fact name="Input tokens">{formatCount(usage.inputTokens)}</Fact>
      <Fact name="Output tokens">{formatCount(usage.outputTokens)}</Fact>
      <Fact name="Cache, read">{formatCount(usage.cacheReadTokens)}</Fact>
      <Fact name="Cache, written">{formatCount(usage.cacheWriteTokens)}</Fact>
    </Facts>
  );
}

function TurnTable({ turns }: { turns: readonly TurnItem[] }) {
  return (
    <table className="w-full border-collapse text-sm">
      <thead>
        <tr className="text-ink-faint">
          <th scope="col" className="py-1 text-left font-medium">
            Turn
          </th>
          <th scope="col" className="py-1 text-left font-medium">
            Context
          </th>
          <th scope="col" className="py-1 text-right font-medium">
            In
          </th>
          <th scope="col" className="py-1 text-right font-medium">
            Cached
          </th>
          <th scope="col" className="py-1 text-right font-medium">
            Out
          </th>
          <th scope="col" className="py-1 text-right font-medium">
            Time
          </th>
        </tr>
      </thead>
      <tbody>
        {turns.map(({ key, turn, metrics }) => (
          <tr key={key} className="border-t border-line">
            <th scope="row" className="py-1 text-left font-normal">
              {turn}
            </th>
            {metrics ? (
              <>
                <td className="py-1">
                  <span className="flex items-center gap-2">
                    <Gauge
                      label={`Context of turn ${turn}`}
                      fraction={metrics.contextTokens / metrics.contextWindow}
                      valueText={`${formatCount(metrics.contextTokens)} of ${formatCount(metrics.contextWindow)} tokens`}
                      className="w-10"
                    />
                    {formatTokens(metrics.contextTokens)}
                  </span>
                </td>
                <td className="py-1 text-right">{formatTokens(metrics.inputTokens)}</td>
                <td className="py-1 text-right">{formatTokens(metrics.cacheReadTokens)}</td>
                <td className="py-1 text-right">{formatTokens(metrics.outputTokens)}</td>
                <td className="py-1 text-right">{formatDuration(metrics.durationMs)}</td>
              </>
            ) : (
              <td colSpan={5} className="py-1 text-ink-faint">
                not ended
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Snapshot({ title, children }: { title: string; children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section aria-label={title}>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex items-center gap-1.5 rounded-sm font-semibold"
      >
        <ChevronRight
          size={14}
          aria-hidden="true"
          className={classes('text-ink-faint transition-transform', isOpen && 'rotate-90')}
        />
        {title}
      </button>
      {isOpen && <div className="mt-2">{children}</div>}
    </section>
  );
}
