import { useEffect, useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { Loading } from '#renderer/components/empty-state.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { preloadManifestEditor } from '#renderer/features/editor/index.ts';
import { goTo, type PackagePlace } from '#renderer/state/place.ts';
import { useDocumentTitle } from '#renderer/state/use-document-title.ts';
import { usePackage } from '../hooks/use-package.ts';
import { kindWords } from '../model/kinds.ts';
import { openDrafts } from '../model/open-drafts.ts';
import { PackageDialog, type PackageAction } from './package-dialog.tsx';
import { PackageHeader } from './package-header.tsx';
import { PackageTabs } from './package-tabs.tsx';

/** One package in one of its states: what it is, and all that can be done with it. */
export function PackageScreen({ place }: { place: PackagePlace }) {
  const { packageName, kind } = place;
  const { summary, detail, revision } = usePackage(packageName, place.version);
  const shown = detail.data?.summary ?? summary;
  useDocumentTitle(shown?.displayName ?? packageName);
  const [asked, setAsked] = useState<PackageAction | undefined>(undefined);
  useUnsavedWarning();
  useEffect(preloadManifestEditor, []);
  // A link may call a package another kind than it is.
  useEffect(() => {
    if (shown && shown.type !== kind) goTo({ ...place, kind: shown.type }, { replace: true });
  }, [shown, kind, place]);
  const close = () => setAsked(undefined);
  return (
    <>
      <PackageHeader place={place} summary={shown} detail={detail.data} onAsk={setAsked} />
      {detail.isError && (
        <main id="content" tabIndex={-1} className="max-w-170 px-6 focus:outline-none">
          <ProblemCard problem={detail.error.problem}>
            <Button size="small" onClick={() => void detail.refetch()}>
              Try again
            </Button>
            {place.version !== undefined && (
              <Button size="small" onClick={() => goTo({ ...place, version: undefined }, { replace: true })}>
                Show what there is
              </Button>
            )}
          </ProblemCard>
        </main>
      )}
      {detail.isPending && <Loading label={`Loading the ${kindWords(kind).one}`} />}
      {detail.data && !detail.isError && (
        <PackageTabs
          detail={detail.data}
          readAt={detail.dataUpdatedAt}
          revision={revision}
          place={place}
          onFork={() => setAsked('fork')}
        />
      )}
      {detail.data && <PackageDialog asked={asked} detail={detail.data} place={place} onClose={close} />}
    </>
  );
}

/** Closing the window asks first while something typed is not in the library. */
function useUnsavedWarning(): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (openDrafts.hasUnsaved) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, []);
}
