import { useStore } from 'zustand';
import { Button } from '#renderer/components/button.tsx';
import { Dialog } from '#renderer/components/dialog.tsx';
import { lazyScreen } from '#renderer/components/lazy-screen.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { ProgressBar } from '#renderer/components/progress.tsx';
import { formatQuantity } from '#renderer/format/format.ts';
import { useImport } from '../hooks/import-context.tsx';
import type { ImportState } from '../model/import-desk.ts';
import { ImportChooser } from './import-chooser.tsx';

const ImportPreviewView = lazyScreen(
  'Loading',
  async () => (await import('./import-preview.tsx')).ImportPreviewView,
);

/** The window of an import, in whatever state it is. */
export function ImportSheet() {
  const desk = useImport();
  const state = useStore(desk.store);
  if (state.phase === 'closed') return null;
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) desk.close();
      }}
      title={titleOf(state)}
      width={state.phase === 'preview' || state.phase === 'taking' ? 'max-w-240' : 'max-w-150'}
    >
      {state.phase === 'choosing' && (
        <ImportChooser problem={state.problem} isWatching={state.isWatching === true} />
      )}
      {state.phase === 'reading' && <Reading label={state.label} fraction={state.fraction} />}
      {(state.phase === 'preview' || state.phase === 'taking') && (
        <ImportPreviewView
          preview={state.preview}
          decisions={state.decisions}
          isTaking={state.phase === 'taking'}
        />
      )}
      {state.phase === 'done' && <Outcome outcome={state.outcome} />}
    </Dialog>
  );
}

function titleOf(state: ImportState): string {
  if (state.phase === 'done') return 'Not everything was imported';
  if (state.phase !== 'preview' && state.phase !== 'taking') return 'Import';
  const { items } = state.preview;
  const [only] = items;
  if (items.length === 1 && only) return `Import ${only.displayName}`;
  return items.length === 0 ? 'Nothing to import' : `Import ${formatQuantity(items.length, 'package')}`;
}

function Reading({ label, fraction }: { label: string; fraction: number | undefined }) {
  const desk = useImport();
  return (
    <div className="space-y-3 px-5 pb-5">
      <p role="status" className="truncate text-ink-soft">
        {fraction === undefined || fraction >= 1 ? 'Checking' : 'Reading'} {label}
      </p>
      <ProgressBar label={`Reading ${label}`} fraction={fraction === 1 ? undefined : fraction} />
      <div className="flex justify-end">
        <Button onClick={() => desk.close()}>Cancel</Button>
      </div>
    </div>
  );
}

function Outcome({ outcome }: { outcome: Extract<ImportState, { phase: 'done' }>['outcome'] }) {
  const desk = useImport();
  const { imported, problems } = outcome;
  return (
    <div className="flex min-h-0 flex-col">
      <div className="min-h-0 space-y-3 overflow-auto px-5 pb-4">
        {problems.map((problem) => (
          <ProblemCard key={`${problem.code} ${problem.detail}`} problem={problem} />
        ))}
        {imported.length > 0 && (
          <section aria-label="Imported">
            <h3 className="mb-1 font-medium">Imported</h3>
            <ul className="font-mono text-sm">
              {imported.map(({ name, version, as }) => (
                <li key={`${name} ${version}`}>
                  {name} {version}
                  {as === 'draft' && <span className="font-sans text-ink-faint"> as a draft</span>}
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
      <footer className="flex justify-end gap-2 border-t border-line px-5 py-3">
        <Button onClick={() => desk.choose()}>Import something else</Button>
        <Button variant="primary" onClick={() => desk.close()}>
          Done
        </Button>
      </footer>
    </div>
  );
}
