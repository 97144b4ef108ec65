import { useDocumentTitle } from '#renderer/state/use-document-title.ts';
import type { EngineReport } from '#shared/engines/engine-report.ts';
import { ImageStatusView } from './image-status-view.tsx';

/** Stands in place of the first screen while the image could not be built. */
export function ImageFailedScreen({ engine, onBrowse }: { engine: EngineReport; onBrowse: () => void }) {
  useDocumentTitle('The image could not be built');
  return (
    <main id="content" tabIndex={-1} className="relative flex-1 overflow-auto px-8 py-10 focus:outline-none">
      <div className="mx-auto max-w-170">
        <h1 className="text-2xl font-semibold tracking-[-0.01em]">The image could not be built</h1>
        <p className="mt-2 mb-6 text-lg text-ink-soft">
          Agents run in an image that Slipway builds once on this computer
          {engine.selected ? ` with ${engine.selected.name} ${engine.selected.version}` : ''}. The build
          stopped half-way; usually the disk is full or the network was away.
        </p>
        <ImageStatusView image={engine.image} />
        <p className="mt-6 text-ink-soft">
          Or{' '}
          <button type="button" onClick={onBrowse} className="text-accent underline underline-offset-2">
            look at the agents first
          </button>
          ; the next run tries the build again.
        </p>
      </div>
    </main>
  );
}
