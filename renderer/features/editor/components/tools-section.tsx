import { Plus } from 'lucide-react';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { SearchInput } from '#renderer/components/search-input.tsx';
import { formatCount } from '#renderer/format/format.ts';
import type { Finding } from '#shared/manifest/finding.ts';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { useForm } from '../hooks/form-context.ts';
import { MAX_TOOLS } from '../model/platform-tools.ts';
import type { ManifestValue } from '../model/manifest-document.ts';
import { planScopes } from '../model/scope-plan.ts';
import { planTools, type ToolSource } from '../model/tool-plan.ts';
import { searchTools } from '../model/tool-search.ts';
import { packageOf, type EditorLibrary } from '../ports.ts';
import { FormSection } from './form-fields.tsx';
import { PackagePicker } from './package-picker.tsx';
import { ToolSourceGroup, type EditManifest } from './tool-source-group.tsx';

/** Everything the model may call: where it comes from, what is chosen, and what that costs. */
export function ToolsSection() {
  const { document, manifest, library, findings, isReadOnly, edit } = useForm();
  const [search, setSearch] = useState('');
  const [isAdding, setAdding] = useState(false);
  const sought = useDeferredValue(search);
  const plan = useMemo(() => planTools(manifest, library), [manifest, library]);
  const sources = useMemo(() => searchTools(plan.sources, sought), [plan, sought]);
  const scopes = useMemo(() => scopesByIntegration(manifest, library), [manifest, library]);
  const onEdit: EditManifest = useCallback(
    (edits) => {
      const reading = document.read();
      if (reading.state === 'read') edit(edits(reading.value));
    },
    [document, edit],
  );
  return (
    <FormSection
      title="Tools"
      intro="What the model may call. The sandbox’s own tools are always there; everything else is given only if it is chosen."
      extra={
        <Button
          icon={<Plus size={14} />}
          onClick={() => setAdding(true)}
          unavailable={isReadOnly ? 'Mend the JSON first.' : undefined}
        >
          Add an integration
        </Button>
      }
    >
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <SearchInput
          className="w-80 max-w-full"
          aria-label="Search the tools"
          placeholder="Search names, descriptions, scopes"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <ToolBudget count={plan.count} tokens={plan.tokens} isEstimate={plan.isEstimate} />
      </div>
      {sources.length === 0 && (
        <EmptyState title="No tool has these words">
          Search looks at names, descriptions and scopes of everything the agent depends on.
        </EmptyState>
      )}
      <div className="space-y-3">
        {sources.map((source) => (
          <ToolSourceGroup
            key={`${source.kind} ${source.id}`}
            source={source}
            whole={plan.sources.find(({ id, kind }) => id === source.id && kind === source.kind) ?? source}
            integration={integrationIn(library, source)}
            scopes={scopes.get(source.id) ?? ''}
            errors={errorsOf(source, findings)}
            isSearching={sought.trim() !== ''}
            isReadOnly={isReadOnly}
            onEdit={onEdit}
          />
        ))}
      </div>
      <PackagePicker open={isAdding} onOpenChange={setAdding} map="integrations" />
    </FormSection>
  );
}

function integrationIn(library: EditorLibrary, { kind, id }: ToolSource): IntegrationManifest | undefined {
  const manifest = kind === 'integration' ? packageOf(library, id, 'integration')?.manifest : undefined;
  return manifest?.type === 'integration' ? manifest : undefined;
}

/** What the choice of each integration asks for: of the method it signs in by, else of all it may. */
function scopesByIntegration(manifest: ManifestValue, library: EditorLibrary): Map<string, string> {
  return new Map(
    planScopes(manifest, library).map(({ integration, auths }) => {
      const chosen = auths.filter(({ isChosen }) => isChosen);
      const asked = (chosen.length > 0 ? chosen : auths).flatMap(({ scopes }) =>
        scopes.map(({ value }) => value),
      );
      return [integration, [...new Set(asked)].join('\n')];
    }),
  );
}

/** Sentences about a source, one on each line. */
function errorsOf({ kind, id }: ToolSource, findings: readonly Finding[]): string {
  const places =
    kind === 'runtime'
      ? ['/runtime_tools']
      : kind === 'integration'
        ? [pointerOf(['integrations_configuration', id]), pointerOf(['dependencies', 'integrations', id])]
        : [];
  const about = findings.filter(
    ({ file, pointer, severity }) =>
      file === MANIFEST_FILE &&
      severity !== 'information' &&
      places.some((place) => pointer === place || pointer.startsWith(`${place}/`)),
  );
  return [...new Set(about.map(({ message }) => message))].join('\n');
}

/** How many tools the model is offered, and what they take of its context. */
function ToolBudget({ count, tokens, isEstimate }: { count: number; tokens: number; isEstimate: boolean }) {
  const isOver = count > MAX_TOOLS;
  return (
    <div className="min-w-56" role="status" aria-live="polite">
      <p className={isOver ? 'text-danger' : 'text-ink-soft'}>
        <strong className="font-semibold">{count}</strong> of {MAX_TOOLS} tools ·{' '}
        {isEstimate ? 'at least' : 'about'} {formatCount(tokens)} tokens each turn
      </p>
      <div className="mt-1 h-1 overflow-hidden rounded-sm bg-sunken" aria-hidden="true">
        <div
          className={isOver ? 'h-full bg-danger' : 'h-full bg-accent'}
          style={{ width: `${Math.min(100, (count / MAX_TOOLS) * 100)}%` }}
        />
      </div>
      {isOver && (
        <p className="mt-1 text-sm text-danger">
          A model takes {MAX_TOOLS} tools at most, so a run would be refused. Untick {count - MAX_TOOLS}.
        </p>
      )}
    </div>
  );
}
