import { Download } from 'lucide-react';
import { IconButton } from '#renderer/components/button.tsx';
import { useServices } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { KeptFolder } from '#shared/runs/run.ts';

/** Saves a file that is kept with a run: Electron asks where to; a browser downloads it. */
export function SaveButton({
  runId,
  path,
  folder = 'outputs',
}: {
  runId: string;
  path: string;
  folder?: KeptFolder;
}) {
  const { bridge, notices } = useServices();
  const save = useAction('runs.saveFile', {
    onDone: ({ savedTo }) => {
      if (savedTo !== undefined) notices.say(`Saved to ${savedTo}`);
    },
  });
  const label = `Save ${path}`;
  if (bridge.shell === 'browser') {
    return (
      <a
        href={bridge.outputUrl(runId, path, { download: true, folder })}
        download={path.slice(path.lastIndexOf('/') + 1)}
        aria-label={label}
        title={label}
        className="inline-flex size-6 shrink-0 items-center justify-center rounded-md text-ink-faint hover:bg-hover hover:text-ink"
      >
        <Download size={14} aria-hidden="true" />
      </a>
    );
  }
  return (
    <IconButton
      size="small"
      label={label}
      icon={<Download size={14} />}
      onClick={() => save.mutate({ runId, path, folder })}
    />
  );
}
