import { Select } from '#renderer/components/field.tsx';
import { PageHeader } from '#renderer/components/page-header.tsx';
import { Segmented } from '#renderer/components/segmented.tsx';
import { useApp } from '#renderer/state/app-context.tsx';
import { goTo, type Place } from '#renderer/state/place.ts';
import { useDocumentTitle } from '#renderer/state/use-document-title.ts';
import type { RunStatus } from '#shared/runs/run.ts';
import { useMemo } from 'react';
import { RunTable } from './run-table.tsx';

const filters: Record<'active' | 'success' | 'failed', readonly RunStatus[]> = {
  active: ['queued', 'preparing', 'running'],
  success: ['success'],
  failed: ['failed', 'timed_out', 'interrupted', 'cancelled'],
};

/** All runs there were. */
export function RunsScreen({ place }: { place: Extract<Place, { name: 'runs' }> }) {
  useDocumentTitle('Runs');
  const runs = useApp((state) => state.runs);
  const agents = useMemo(() => {
    const names = new Map<string, string>();
    for (const run of runs?.values() ?? []) names.set(run.agentId, run.agentName);
    return [...names].sort(([, a], [, b]) => a.localeCompare(b));
  }, [runs]);
  const filter = filterOf(place.status);
  return (
    <>
      <PageHeader title="Runs">
        <Segmented
          label="Status"
          value={filter}
          onChange={(status) =>
            goTo({ ...place, status: status === 'all' ? undefined : status }, { replace: true })
          }
          options={[
            { value: 'all', label: 'All' },
            { value: 'active', label: 'Active' },
            { value: 'success', label: 'Succeeded' },
            { value: 'failed', label: 'Not succeeded' },
          ]}
        />
        <Select
          aria-label="Agent"
          className="w-48"
          value={place.agentId ?? ''}
          onChange={(event) =>
            goTo({ ...place, agentId: event.target.value || undefined }, { replace: true })
          }
        >
          <option value="">All agents</option>
          {agents.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </PageHeader>
      <main id="content" tabIndex={-1} className="relative flex-1 overflow-auto px-6 pb-8 focus:outline-none">
        <RunTable agentId={place.agentId} statuses={filter === 'all' ? undefined : filters[filter]} />
      </main>
    </>
  );
}

function filterOf(status: string | undefined): keyof typeof filters | 'all' {
  return status === 'active' || status === 'success' || status === 'failed' ? status : 'all';
}
