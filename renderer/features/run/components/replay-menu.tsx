import { ChevronDown, History } from 'lucide-react';
import { Button } from '#renderer/components/button.tsx';
import { Menu } from '#renderer/components/menu.tsx';
import { goTo } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { RunDetail } from '#shared/runs/run.ts';

/** Runs a recorded run again, with nothing outside asked: the model too, or the model anew. */
export function ReplayMenu({ runId, detail }: { runId: string; detail: RunDetail }) {
  const replay = useAction('runs.replay', {
    onDone: (started) => goTo({ name: 'run', runId: started.runId }),
  });
  if (detail.summary.replayOf !== undefined) return null;
  const unavailable = detail.isRecorded ? undefined : 'The run was not recorded.';
  return (
    <Menu
      label="Replay"
      groups={[
        [
          {
            label: 'As it was: recorded model and calls',
            unavailable,
            choose: () => replay.mutate({ runId, mode: 'recorded' }),
          },
          {
            label: 'Live model, recorded calls: the agent as it is now',
            unavailable,
            choose: () => replay.mutate({ runId, mode: 'live' }),
          },
        ],
      ]}
    >
      <Button icon={<History size={14} />} busy={replay.isPending}>
        Replay
        <ChevronDown size={13} aria-hidden="true" />
      </Button>
    </Menu>
  );
}
