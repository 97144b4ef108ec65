import { useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { LineDiff } from '#renderer/components/line-diff-view.tsx';
import { formatQuantity } from '#renderer/format/format.ts';
import { placeLink } from '#renderer/state/place.ts';
import { useRequest } from '#renderer/state/requests.ts';
import type { RunDifference } from '#shared/runs/differences.ts';
import type { RunSummary } from '#shared/runs/run.ts';

/** What a replay is a replay of, and where it came out otherwise. */
export function ReplayNote({
  runId,
  replayOf,
  isLive,
}: {
  runId: string;
  replayOf: NonNullable<RunSummary['replayOf']>;
  isLive: boolean;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const { data } = useRequest('runs.differences', { runId }, { enabled: !isLive });
  const differences = data?.differences;
  const answered =
    replayOf.mode === 'recorded'
      ? 'The model and the services answer as they did then.'
      : 'A live model; the services answer as they did then.';
  return (
    <section aria-label="Replay" className="shrink-0 px-5 pb-3 text-sm">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-soft">
        <span>
          Replay of{' '}
          <a
            href={placeLink({ name: 'run', runId: replayOf.runId })}
            className="text-accent underline underline-offset-2"
          >
            an earlier run
          </a>
          . {answered}
        </span>
        {differences !== undefined &&
          (differences.length === 0 ? (
            <span className="font-medium text-ink">It came out as it did then.</span>
          ) : (
            <Button variant="ghost" size="small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              {isOpen ? 'Hide' : 'Show'} {formatQuantity(differences.length, 'difference')}
            </Button>
          ))}
      </p>
      {isOpen && differences !== undefined && (
        <ul aria-label="Differences" className="mt-2 max-h-72 space-y-2 overflow-auto">
          {differences.map((difference, index) => (
            // A replay that has ended changes no more.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index}>
              <Difference {...difference} number={index + 1} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const PARTS: Readonly<Record<RunDifference['part'], string>> = {
  conversation: 'Conversation',
  told: 'Log, output and memory',
  files: 'Files',
  end: 'End',
};

function Difference({ part, before, after, number }: RunDifference & { number: number }) {
  return (
    <>
      <p className="mb-1 font-medium">{PARTS[part]}</p>
      <LineDiff before={textOf(before)} after={textOf(after)} label={`Difference ${number}: then and now`} />
    </>
  );
}

function textOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}
