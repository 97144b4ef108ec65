import { Badge } from '#renderer/components/badge.tsx';
import { formatBytes, formatDuration } from '#renderer/format/format.ts';
import type { AgentDetail } from '#shared/ipc/routes.ts';
import { groupTools } from '../model/tool-origin.ts';

/** What an agent may do and what it is made of, beside its form. */
export function AgentFacts({ agent }: { agent: AgentDetail }) {
  return (
    <aside aria-label="About this agent" className="space-y-6">
      <section aria-label="Tools">
        <h2 className="mb-2 font-semibold">What it can call</h2>
        <dl className="space-y-3">
          {groupTools(agent).map((group) => (
            <div key={group.origin}>
              <dt className="flex items-center gap-2">
                <Badge tone={group.origin === 'Platform' ? 'accent' : 'neutral'}>{group.origin}</Badge>
              </dt>
              <dd className="mt-1">
                <p className="font-mono text-sm text-ink">{group.tools.join('  ')}</p>
                <p className="text-sm text-ink-faint">{group.explanation}</p>
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <section aria-label="Limits">
        <h2 className="mb-1 font-semibold">Limits</h2>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 text-ink-soft">
          <dt className="text-ink-faint">Time</dt>
          <dd>{formatDuration(agent.timeoutSeconds * 1000)}</dd>
          <dt className="text-ink-faint">Network</dt>
          <dd>none</dd>
          <dt className="text-ink-faint">Output</dt>
          <dd>{agent.outputSchema ? 'checked against a schema' : 'free'}</dd>
        </dl>
      </section>
      <section aria-label="Package files">
        <h2 className="mb-1 font-semibold">Files of the package</h2>
        <ul className="text-sm">
          {agent.files.map((file) => (
            <li key={file.path} className="flex gap-3">
              <span className="min-w-0 flex-1 truncate font-mono text-ink-soft" title={file.path}>
                {file.path}
              </span>
              <span className="text-ink-faint">{formatBytes(file.size)}</span>
            </li>
          ))}
        </ul>
      </section>
    </aside>
  );
}
