import { useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { formatDateTime } from '#renderer/format/format.ts';
import { useAction, useRequest } from '#renderer/state/requests.ts';
import type { TypedTexts } from '#shared/ipc/typed-text-routes.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import type { Problem } from '#shared/problem.ts';
import type { DraftSession } from '../model/draft-session.ts';
import { openDrafts } from '../model/open-drafts.ts';

/** Offers what was typed into a draft before the app ended, or is typed in another window, and never saved. */
export function RecoveredText({
  name,
  session,
  draftId,
}: {
  name: string;
  session: DraftSession;
  /** The state the draft is in now. */
  draftId: number;
}) {
  const [openedAt] = useState(() => Date.now());
  const kept = useRequest('typedTexts.list', { name }, { version: openedAt });
  const forget = useAction('typedTexts.forget', { onDone: () => void kept.refetch() });
  if (kept.isError) return <ProblemCard problem={kept.error.problem} tone="caution" />;
  const [found] = (kept.data?.texts ?? []).filter(
    ({ writer, files }) => !openDrafts.isOwn(name, writer) && files.some((file) => isOther(file, session)),
  );
  if (found === undefined) return null;
  const { writer } = found;
  const take = async () => {
    for (const file of found.files) editedText(session, file.path)?.change(withoutMark(file.text));
    session.document.read();
    // Not forgotten before it is kept as this editor's own.
    await openDrafts.keepTyped(name);
    forget.mutate({ name, writer });
  };
  return (
    <div className="px-6 pb-3">
      <ProblemCard problem={problemOf(found, draftId)} tone="caution">
        <Button size="small" busy={forget.isPending} onClick={() => void take()}>
          Take it into the editor
        </Button>
        <Button size="small" busy={forget.isPending} onClick={() => forget.mutate({ name, writer })}>
          Forget it
        </Button>
      </ProblemCard>
    </div>
  );
}

function problemOf({ keptAt, basedOn, files }: TypedTexts, draftId: number): Problem {
  const where = files.map(({ path }) => path).join(' and ');
  const since = basedOn === draftId ? '' : ' The draft was changed since.';
  return {
    code: 'typed_text_kept',
    title: 'Something was typed here and not saved',
    detail: `It is in ${where}, of ${formatDateTime(keptAt)}: Slipway ended before it was saved, or another window has it open.${since}`,
    action: 'Take it, and undo brings back what is here now.',
  };
}

function editedText(session: DraftSession, path: string) {
  if (path === MANIFEST_FILE) return session.document.text;
  return path === session.content?.path ? session.content.text : undefined;
}

function isOther({ path, text }: TypedTexts['files'][number], session: DraftSession): boolean {
  const edited = editedText(session, path);
  return edited !== undefined && edited.text !== withoutMark(text);
}

/** Editors show no byte order mark; the file keeps its own. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}
