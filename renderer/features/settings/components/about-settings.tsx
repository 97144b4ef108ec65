import { CopyButton } from '#renderer/components/copy-button.tsx';
import { Loading } from '#renderer/components/empty-state.tsx';
import { Mark } from '#renderer/components/mark.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { useRequest } from '#renderer/state/requests.ts';

/** What app this is and where it keeps its data. */
export function AboutSettings() {
  const description = useRequest('app.describe', {});
  if (description.isError) return <ProblemCard problem={description.error.problem} />;
  if (!description.data) return <Loading label="Asking the app" />;
  const { version, shell, platform, nodeVersion, dataDirectory } = description.data;
  return (
    <div className="space-y-5">
      <p className="flex items-center gap-3 text-accent">
        <Mark size={34} />
        <span>
          <span className="block text-lg font-semibold text-ink">Slipway {version}</span>
          <span className="block text-ink-soft">Write, run and debug agents on your own laptop.</span>
        </span>
      </p>
      <dl className="grid grid-cols-[9rem_minmax(0,1fr)] gap-y-1">
        <dt className="text-ink-faint">Data folder</dt>
        <dd className="flex items-start gap-1">
          <span className="font-mono text-sm leading-6 wrap-anywhere">{dataDirectory}</span>
          <CopyButton text={dataDirectory} label="Copy the folder’s path" />
        </dd>
        <dt className="text-ink-faint">Window</dt>
        <dd>{shell === 'electron' ? 'Electron' : 'Browser'}</dd>
        <dt className="text-ink-faint">Platform</dt>
        <dd>{platform}</dd>
        <dt className="text-ink-faint">Node</dt>
        <dd>{nodeVersion}</dd>
      </dl>
    </div>
  );
}
