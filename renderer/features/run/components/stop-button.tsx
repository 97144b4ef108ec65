import { Square } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { ConfirmDialog } from '#renderer/components/dialog.tsx';
import { useShortcut } from '#renderer/components/use-shortcut.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';

/** Ends a run that is under way. */
export function StopButton({
  runId,
  isPreparing,
  hasShortcuts = true,
}: {
  runId: string;
  isPreparing: boolean;
  /** Not where the keys mean something else. */
  hasShortcuts?: boolean;
}) {
  const [asking, setAsking] = useState(false);
  const [stopping, setStopping] = useState(false);
  const { notices } = useServices();
  const stop = useAction('runs.stop', {
    onDone: () => setStopping(false),
    onProblem: (problem) => {
      setStopping(false);
      notices.report(problem);
    },
  });
  const stopNow = () => {
    if (stopping) return;
    setStopping(true);
    stop.mutate({ runId });
  };
  useShortcut('mod+.', stopNow, hasShortcuts);
  // A slip of the finger should not end a run that has cost something.
  useShortcut('Escape', () => (isPreparing ? stopNow() : setAsking(true)), hasShortcuts && !stopping);
  return (
    <>
      <Button icon={<Square size={12} fill="currentColor" />} busy={stopping} onClick={stopNow}>
        {stopping ? 'Stopping' : 'Stop'}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Stop this run?"
        confirm="Stop the run"
        dangerous
        onConfirm={stopNow}
      >
        <p>The tool in flight is ended, and the containers with it. What was delivered so far is kept.</p>
      </ConfirmDialog>
    </>
  );
}
