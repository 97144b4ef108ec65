import { Lock } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { Button } from '#renderer/components/button.tsx';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { ManifestEditor } from '#renderer/features/editor/index.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { goTo, type PackagePlace } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { useEditorLibrary } from '../hooks/use-editor-library.ts';
import type { DraftSession, DraftState, SaveDraft } from '../model/draft-session.ts';
import { openDrafts } from '../model/open-drafts.ts';

/** The draft of a package, to be written. */
export function EditTab({
  detail,
  readAt,
  place,
  onFork,
}: {
  detail: PackageDetail;
  /** When the detail came, in milliseconds since 1970. */
  readAt: number;
  place: PackagePlace;
  onFork: () => void;
}) {
  const { summary } = detail;
  const { notices } = useServices();
  const unwatch = useAction('library.unwatchFolder', {
    onDone: () => notices.say('It is edited here again'),
  });
  if (summary.state === 'sample') {
    return (
      <EmptyState
        icon={<Lock size={28} aria-hidden="true" />}
        title="A sample is not changed"
        action={
          <Button variant="primary" onClick={onFork}>
            Fork it
          </Button>
        }
      >
        Fork it to have a copy of your own, with the same prompt, files and example.
      </EmptyState>
    );
  }
  const { watchedFolder } = summary;
  if (watchedFolder) {
    return (
      <EmptyState
        icon={<Lock size={28} aria-hidden="true" />}
        title="It is edited in its folder"
        action={
          <Button busy={unwatch.isPending} onClick={() => unwatch.mutate({ path: watchedFolder })}>
            Stop following the folder
          </Button>
        }
      >
        Each save in <span className="font-mono text-sm wrap-anywhere">{watchedFolder}</span> becomes the
        draft here.
      </EmptyState>
    );
  }
  if (place.version !== undefined) {
    return (
      <EmptyState
        icon={<Lock size={28} aria-hidden="true" />}
        title={`${place.version} never changes`}
        action={<Button onClick={() => goTo({ ...place, version: undefined })}>Edit the draft</Button>}
      >
        What is edited is the draft, which becomes the next version. To begin from this one again, restore it
        under Versions.
      </EmptyState>
    );
  }
  return <DraftEditor detail={detail} readAt={readAt} />;
}

function DraftEditor({ detail, readAt }: { detail: PackageDetail; readAt: number }) {
  const { client } = useServices();
  const [attempt, setAttempt] = useState(0);
  const { summary, files } = detail;
  const { name } = summary;
  const session = useMemo(
    () => {
      const save: SaveDraft = async (changed, basedOn) => {
        const saved = await client.request('library.saveDraft', {
          name,
          edits: changed.map(({ path, text }) => ({ path, text })),
          ...(basedOn !== undefined && { basedOn }),
        });
        return saved.draftId;
      };
      return openDrafts.open(detail, readAt, save);
    }, // Another attempt opens it anew.
    // oxlint-disable-next-line react/exhaustive-deps
    [client, name, detail, readAt, attempt],
  );
  const forget = () => {
    openDrafts.forget(name);
    setAttempt(attempt + 1);
  };
  const library = useEditorLibrary(name, session.document);
  const paths = useMemo(
    () =>
      files
        .map(({ path }) => path)
        .filter((path) => path !== MANIFEST_FILE && path !== session.content?.path),
    [files, session],
  );
  const actions = useMemo(() => ({ save: () => void session.save() }), [session]);
  useEffect(() => () => void session.save(), [session]);
  return (
    <div className="flex h-full min-h-0 flex-col pt-3">
      <SaveProblem session={session} onForget={forget} />
      <ManifestEditor
        identity={`${name} ${sessionId(session)}`}
        type={summary.type}
        document={session.document}
        content={session.content}
        paths={paths}
        library={library}
        actions={actions}
        isNameFixed
        toolbar={<SaveState session={session} />}
      />
    </div>
  );
}

/** A number for a session: the editor keeps what it knows of the texts by it. */
const ids = new WeakMap<DraftSession, number>();
let lastId = 0;

function sessionId(session: DraftSession): number {
  const id = ids.get(session) ?? (lastId += 1);
  ids.set(session, id);
  return id;
}

const words: Record<DraftState['status'], string> = {
  saved: 'Saved',
  changed: 'Not saved yet',
  saving: 'Saving…',
  refused: 'Not saved',
  conflict: 'Not saved',
};

function SaveState({ session }: { session: DraftSession }) {
  const { status } = useStore(session.store);
  return (
    <span role="status" className={status === 'saved' ? 'text-sm text-ink-faint' : 'text-sm text-caution'}>
      {words[status]}
    </span>
  );
}

function SaveProblem({ session, onForget }: { session: DraftSession; onForget: () => void }) {
  const { status, problem } = useStore(session.store);
  if (!problem) return null;
  return (
    <div className="px-6 pb-3">
      <ProblemCard problem={problem} tone="caution">
        {status === 'conflict' ? (
          <>
            <Button size="small" onClick={() => void session.save({ overwrite: true })}>
              Save mine over it
            </Button>
            <Button size="small" onClick={onForget}>
              Take the other, and lose what is typed here
            </Button>
          </>
        ) : (
          <Button size="small" onClick={() => void session.save()}>
            Try again
          </Button>
        )}
      </ProblemCard>
    </div>
  );
}
