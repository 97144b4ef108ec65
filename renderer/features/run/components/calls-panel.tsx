import { useInfiniteQuery } from '@tanstack/react-query';
import { Download, Globe } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { Badge, type Tone } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { EmptyState, Loading } from '#renderer/components/empty-state.tsx';
import { Select } from '#renderer/components/field.tsx';
import { Menu } from '#renderer/components/menu.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { SearchInput } from '#renderer/components/search-input.tsx';
import { formatBytes, formatClock, formatDuration, formatQuantity } from '#renderer/format/format.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';
import { toProblem } from '#shared/problem.ts';
import {
  outcomeOf,
  type CallExportFormat,
  type CallFilter,
  type CallOutcome,
  type RecordedCall,
} from '#shared/runs/recorded-call.ts';

/** Requests asked for at once. */
const PAGE = 200;

const outcomes: Record<CallOutcome, { label: string; tone: Tone }> = {
  answered: { label: 'Answered', tone: 'success' },
  rejected: { label: 'Rejected by the service', tone: 'caution' },
  unsent: { label: 'Refused or unanswered', tone: 'danger' },
};

const formats: readonly { format: CallExportFormat; label: string }[] = [
  { format: 'csv', label: 'CSV, for a spreadsheet' },
  { format: 'jsonl', label: 'JSON lines, for a program' },
];

/** What the run sent to services and what was refused, for the author to look through and take along. */
export function CallsPanel({ runId, count, isLive }: { runId: string; count: number; isLive: boolean }) {
  const { client } = useServices();
  const [text, setText] = useState('');
  const [outcome, setOutcome] = useState<CallOutcome | undefined>(undefined);
  const wanted = useDeferredValue(text.trim());
  const filter: CallFilter = { ...(wanted !== '' && { text: wanted }), ...(outcome && { outcome }) };
  const pages = useInfiniteQuery({
    // The count makes it ask anew when there are more.
    queryKey: ['runs.calls', runId, filter, count],
    queryFn: ({ pageParam, signal }) =>
      client.request('runs.calls', { runId, filter, after: pageParam, limit: PAGE }, { signal }),
    initialPageParam: 0,
    getNextPageParam: (last) => (last.calls.length === PAGE ? last.calls.at(-1)?.sequence : undefined),
    placeholderData: (previous) => previous,
  });
  if (count === 0) {
    return (
      <EmptyState
        icon={<Globe size={28} aria-hidden="true" />}
        title={isLive ? 'No request yet' : 'The run called no service'}
      >
        Each request to a service is listed here: where it went, by whose account, and which rule let it.
      </EmptyState>
    );
  }
  const calls = pages.data?.pages.flatMap((page) => page.calls) ?? [];
  const total = pages.data?.pages[0]?.total ?? 0;
  return (
    <>
      <div className="flex shrink-0 flex-wrap items-center gap-2 px-5 pt-3 pb-2">
        <SearchInput
          className="min-w-40 flex-1"
          aria-label="Filter requests"
          placeholder="Address, account, rule …"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <span className="w-44">
          <Select
            aria-label="Outcome"
            value={outcome ?? ''}
            onChange={(event) => setOutcome(outcomeFrom(event.target.value))}
          >
            <option value="">Every outcome</option>
            {Object.entries(outcomes).map(([key, { label }]) => (
              <option key={key} value={key}>
                {label}
              </option>
            ))}
          </Select>
        </span>
        <ExportMenu runId={runId} filter={filter} />
      </div>
      {pages.isError && (
        <div className="px-5 py-2">
          <ProblemCard problem={toProblem(pages.error)} />
        </div>
      )}
      {pages.isPending && <Loading label="Reading the requests" />}
      {pages.data && (
        <>
          <p role="status" className="shrink-0 px-5 pb-1 text-sm text-ink-faint">
            {total === count
              ? formatQuantity(count, 'request')
              : `${total} of ${formatQuantity(count, 'request')}`}
          </p>
          <ScrollRegion label="Requests" className="min-h-0 flex-1 px-5 pb-4">
            {calls.length === 0 ? (
              <p className="py-6 text-center text-ink-faint">No request fits the filter.</p>
            ) : (
              <CallTable calls={calls} />
            )}
            {pages.hasNextPage && (
              <div className="py-3 text-center">
                <Button
                  size="small"
                  busy={pages.isFetchingNextPage}
                  onClick={() => void pages.fetchNextPage()}
                >
                  Show more
                </Button>
              </div>
            )}
          </ScrollRegion>
        </>
      )}
    </>
  );
}

function CallTable({ calls }: { calls: readonly RecordedCall[] }) {
  return (
    <table className="w-full border-collapse text-sm">
      <thead>
        <tr className="text-left text-ink-faint">
          <th scope="col" className="py-1 pr-3 font-medium">
            Request
          </th>
          <th scope="col" className="py-1 pr-3 font-medium">
            Status
          </th>
          <th scope="col" className="py-1 pr-3 text-right font-medium">
            Bytes
          </th>
          <th scope="col" className="py-1 text-right font-medium">
            Time
          </th>
        </tr>
      </thead>
      <tbody>
        {calls.map((call) => (
          <tr key={call.sequence} className="border-t border-line align-top">
            <td className="py-1.5 pr-3">
              <span className="font-mono wrap-anywhere">
                <span className="font-semibold">{call.method}</span> {call.url}
              </span>
              <span className="block text-ink-faint wrap-anywhere">
                {formatClock(call.at).slice(0, 8)}, {call.connectionLabel} of {call.integrationId}
              </span>
              <span className="block text-ink-faint wrap-anywhere">{ruleText(call)}</span>
            </td>
            <td className="py-1.5 pr-3">
              <Badge tone={outcomes[outcomeOf(call)].tone}>{statusText(call)}</Badge>
            </td>
            <td className="py-1.5 pr-3 text-right whitespace-nowrap">
              {call.bytesSent > 0 && <span className="block">{formatBytes(call.bytesSent)} sent</span>}
              {call.status > 0 && <span className="block">{formatBytes(call.bytesReceived)} got</span>}
            </td>
            <td className="py-1.5 text-right whitespace-nowrap">{formatDuration(call.durationMs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Codes by which nothing was sent; the others are of requests that got no answer. */
const REFUSALS: ReadonlySet<string> = new Set([
  'unauthorized_target',
  'blocked_target',
  'credential_exfiltration_refused',
  'credential_unusable',
]);

function statusText({ status, code }: RecordedCall): string {
  if (status > 0) return String(status);
  return code !== undefined && REFUSALS.has(code) ? 'refused' : 'no answer';
}

function ruleText({ rule, code }: RecordedCall): string {
  const why = code === undefined ? '' : `${code}; `;
  if (rule !== undefined) return `${why}allowed by ${rule}`;
  if (code !== undefined && REFUSALS.has(code)) return code;
  return `${why}every address is allowed`;
}

function ExportMenu({ runId, filter }: { runId: string; filter: CallFilter }) {
  const { bridge, notices } = useServices();
  const save = useAction('runs.saveCalls', {
    onDone: ({ savedTo }) => {
      if (savedTo !== undefined) notices.say(`Saved to ${savedTo}`);
    },
  });
  const choose = (format: CallExportFormat) => {
    if (bridge.shell !== 'browser') {
      save.mutate({ runId, filter, format });
      return;
    }
    const link = document.createElement('a');
    link.href = bridge.callsUrl(runId, format, filter);
    link.download = '';
    link.click();
  };
  return (
    <Menu
      label="Export the requests"
      groups={[formats.map(({ format, label }) => ({ label, choose: () => choose(format) }))]}
    >
      <Button icon={<Download size={14} aria-hidden="true" />}>Export</Button>
    </Menu>
  );
}

function outcomeFrom(value: string): CallOutcome | undefined {
  return Object.keys(outcomes).find((key): key is CallOutcome => key === value);
}
