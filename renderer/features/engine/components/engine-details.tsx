import { CircleCheck, CircleX, RefreshCw } from 'lucide-react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { Segmented } from '#renderer/components/segmented.tsx';
import { Spinner } from '#renderer/components/spinner.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { EngineReport, IsolationCheck } from '#shared/engines/engine-report.ts';
import { AttemptList } from './attempt-list.tsx';
import { ImageStatusView } from './image-status-view.tsx';
import { InstallSteps } from './install-steps.tsx';
import { ProcessConsent } from './process-consent.tsx';

/** All there is to know of where runs happen, and the choices about it. */
export function EngineDetails({ engine }: { engine: EngineReport }) {
  const look = useAction('engine.look');
  const prefer = useAction('engine.prefer');
  const { selected } = engine;
  return (
    <div className="space-y-9">
      <section aria-label="Engine in use">
        <div className="flex items-start gap-4">
          <div className="min-w-0 flex-1">
            {selected ? (
              <>
                <p className="flex flex-wrap items-center gap-2">
                  <span className="text-lg font-semibold">
                    {selected.name} {selected.version}
                  </span>
                  {selected.isolates ? (
                    <Badge tone="success">Isolates</Badge>
                  ) : (
                    <Badge tone="caution">Does not isolate</Badge>
                  )}
                </p>
                <p className="font-mono text-sm wrap-anywhere text-ink-soft">{selected.address}</p>
                <p className="mt-1 text-ink-soft">{selected.reason}</p>
              </>
            ) : (
              <p className="flex items-center gap-2 text-lg font-semibold">
                {engine.state === 'looking' && <Spinner />}
                {engine.state === 'looking' ? 'Looking for an engine' : 'No engine in use'}
              </p>
            )}
          </div>
          <Button icon={<RefreshCw size={14} />} busy={look.isPending} onClick={() => look.mutate({})}>
            Look again
          </Button>
        </div>
        {engine.problem && (
          <div className="mt-3">
            <ProblemCard problem={engine.problem} />
          </div>
        )}
      </section>

      <section aria-label="Preference">
        <h3 className="mb-2 font-semibold">Preference</h3>
        <Segmented
          label="Engine preference"
          value={engine.preference}
          onChange={(preference) => prefer.mutate({ preference })}
          options={[
            { value: 'automatic', label: 'Automatic' },
            { value: 'docker', label: 'Only containers' },
            { value: 'process', label: 'Only processes' },
          ]}
        />
        <p className="mt-2 text-sm text-ink-faint">
          Automatic takes the first container engine that answers, and plain processes only if you allowed
          them below.
        </p>
      </section>

      <section aria-label="Endpoints">
        <h3 className="mb-2 font-semibold">Where Slipway looked</h3>
        <AttemptList attempts={engine.attempts} />
      </section>

      <section aria-label="Isolation">
        <h3 className="mb-2 font-semibold">Isolation checks</h3>
        <IsolationChecks checks={engine.isolation} />
      </section>

      <div>
        <h3 className="mb-2 font-semibold">Image</h3>
        <ImageStatusView image={engine.image} />
      </div>

      <ProcessConsent process={engine.process} />
      <InstallSteps />
    </div>
  );
}

function IsolationChecks({ checks }: { checks: readonly IsolationCheck[] }) {
  if (checks.length === 0) {
    return (
      <p className="text-ink-soft">
        The engine is probed from inside a container before the first run: capabilities, root file system,
        network, and the ways to this computer. The results will stand here.
      </p>
    );
  }
  return (
    <ul aria-label="Isolation checks" className="divide-y divide-line border-y border-line">
      {checks.map((check) => (
        <li key={check.id} className="flex gap-2.5 py-1.5">
          {check.passed ? (
            <CircleCheck size={15} aria-hidden="true" className="mt-0.5 shrink-0 text-success" />
          ) : (
            <CircleX size={15} aria-hidden="true" className="mt-0.5 shrink-0 text-danger" />
          )}
          <span className="min-w-0 flex-1">
            <span className="font-medium">{check.title}</span>
            <span className="sr-only">{check.passed ? ' passed' : ' failed'}</span>
            <span className="block text-sm wrap-anywhere text-ink-faint">{check.detail}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
