import { Lock, Play } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { Button } from '#renderer/components/button.tsx';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { Split } from '#renderer/components/split.tsx';
import { useConnectActions, useGrantedConnections } from '#renderer/features/connections/index.ts';
import { ManifestEditor } from '#renderer/features/editor/index.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { goTo, placeLink, type PackagePlace } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import type { Problem } from '#shared/problem.ts';
import { useEditorLibrary } from '../hooks/use-editor-library.ts';
import type { DraftSession, DraftState, SaveDraft } from '../model/draft-session.ts';
import { openDrafts } from '../model/open-drafts.ts';
import { RecoveredText } from './recovered-text.tsx';
import { TryPanel } from './try-panel.tsx';

/** The draft of a package, to be written. */
export function EditTab({
  detail,
  readAt,
  revision,
  place,
  onFork,
}: {
  detail: PackageDetail;
  /** When the detail came, in milliseconds since 1970. */
  readAt: number;
  /** Another number when the package has changed. */
  revision: number;
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
  return <DraftEditor detail={detail} readAt={readAt} revision={revision} />;
}

function DraftEditor({
  detail,
  readAt,
  revision,
}: {
  detail: PackageDetail;
  readAt: number;
  revision: number;
}) {
  const { client, notices } = useServices();
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
      return openDrafts.open(detail, {
        save,
        typedTexts: (writer) => ({
          keep: (files, basedOn) =>
            client.request('typedTexts.keep', { name, writer, basedOn, files: [...files] }),
          forget: () => client.request('typedTexts.forget', { name, writer }),
        }),
      });
    }, // Another attempt opens it anew.
    // oxlint-disable-next-line react/exhaustive-deps
    [client, name, detail, attempt],
  );
  useEffect(() => {
    if (session.follow(detail, readAt)) {
      notices.say('The draft was changed outside of this editor, which shows it now. Undo takes that back.');
    }
  }, [session, detail, readAt, notices]);
  const forget = () => {
    openDrafts.forget(name);
    setAttempt(attempt + 1);
  };
  const others = useEditorLibrary(name, session.document);
  const connections = useGrantedConnections();
  const library = useMemo(() => ({ ...others, connections }), [others, connections]);
  const paths = useMemo(
    () =>
      files
        .map(({ path }) => path)
        .filter((path) => path !== MANIFEST_FILE && path !== session.content?.path),
    [files, session],
  );
  const { connect } = useConnectActions();
  const [trial, setTrial] = useState<Trial>();
  const isAgent = summary.type === 'agent';
  const actions = useMemo(
    () => ({
      save: () => void session.save(),
      connect,
      isTrying: trial !== undefined,
      ...(isAgent && {
        tryIt: (values?: Trial['values']) => {
          // The form of the trial is that of what is saved.
          void session.save();
          setTrial((known) => ({ values, round: (known?.round ?? 0) + 1 }));
        },
      }),
    }),
    [session, connect, isAgent, trial],
  );
  useEffect(() => () => void session.save(), [session]);
  const editor = (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col pt-3">
      <RecoveredText name={name} session={session} draftId={detail.draftId} />
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
        toolbar={
          <>
            <SaveState session={session} />
            <LastVersionLink detail={detail} />
            {isAgent && trial === undefined && (
              <Button icon={<Play size={13} />} onClick={() => actions.tryIt?.()}>
                Try it
              </Button>
            )}
          </>
        }
      />
    </div>
  );
  return (
    <div className="flex h-full min-h-0">
      <Split
        label="Width of the trial"
        storageKey="slipway.editor.trial-width"
        initial={440}
        min={340}
        max={900}
        first={editor}
        second={
          trial && (
            <TryPanel
              key={trial.round}
              agentId={name}
              revision={revision}
              values={trial.values}
              prepare={() => saveForRun(session)}
              onClose={() => setTrial(undefined)}
            />
          )
        }
      />
    </div>
  );
}

/** A trial of the draft: another round is another form. */
interface Trial {
  readonly values: Readonly<Record<string, unknown>> | undefined;
  readonly round: number;
}

/** Saves what is to be run; gives why it could not be. */
async function saveForRun(session: DraftSession): Promise<Problem | undefined> {
  await session.save();
  if (!session.hasUnsaved) return undefined;
  return (
    session.store.getState().problem ?? {
      code: 'draft_broken',
      title: 'The draft is not saved',
      detail: 'Its manifest is no JSON now, so a run would be of what was saved before.',
      action: 'Mend the JSON, then run it.',
    }
  );
}

/** The way to what has changed since the last version. */
function LastVersionLink({ detail }: { detail: PackageDetail }) {
  const { name, type, state, latestVersion } = detail.summary;
  if (state !== 'modified' || latestVersion === undefined) return null;
  const link = placeLink({
    name: 'package',
    kind: type,
    packageName: name,
    tab: 'versions',
    from: latestVersion,
    to: 'draft',
  });
  return (
    <a href={link} className="text-sm text-accent underline underline-offset-2">
      Changes since {latestVersion}
    </a>
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
      <ProblemCard
        problem={
          status === 'conflict' ? { ...problem, action: 'Decide which of the two the draft is.' } : problem
        }
        tone="caution"
      >
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
