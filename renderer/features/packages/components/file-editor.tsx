import { useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { CodeEditor, languageOf } from '#renderer/components/code/index.ts';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { useShortcut } from '#renderer/components/use-shortcut.ts';
import { EditedText } from '#renderer/features/editor/index.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { toProblem, type Problem } from '#shared/problem.ts';

/** One more file of a draft, to be written: a script, a reference, a server's code. */
export function FileEditor({
  name,
  path,
  text,
  basedOn,
  onDone,
}: {
  name: string;
  path: string;
  text: string;
  /** State of the draft the text is of. */
  basedOn: number;
  onDone: () => void;
}) {
  const { client, notices } = useServices();
  const source = useMemo(() => new EditedText(text), [text]);
  const saved = useRef(text);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [isSaving, setIsSaving] = useState(false);
  const save = async () => {
    const { source: current } = source;
    if (current === saved.current) return onDone();
    setIsSaving(true);
    setProblem(undefined);
    try {
      await client.request('library.saveDraft', { name, edits: [{ path, text: current }], basedOn });
      saved.current = current;
      notices.say(`Saved ${path}`);
      onDone();
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setIsSaving(false);
    }
  };
  useShortcut('mod+s', () => void save());
  // Going elsewhere saves what was typed; only Cancel gives it up.
  useEffect(
    () => () => {
      const { source: current } = source;
      if (current === saved.current) return;
      client
        .request('library.saveDraft', { name, edits: [{ path, text: current }] })
        .catch((error: unknown) => notices.report(toProblem(error)));
    },
    [client, notices, source, name, path],
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3">
      <div className="flex items-center gap-2">
        <h2 className="min-w-0 flex-1 truncate font-mono text-sm">{path}</h2>
        <Button
          onClick={() => {
            saved.current = source.source;
            onDone();
          }}
        >
          Cancel
        </Button>
        <Button variant="primary" busy={isSaving} onClick={() => void save()}>
          Save
        </Button>
      </div>
      {problem && <ProblemCard problem={problem} />}
      <div className="flex min-h-80 flex-1 flex-col overflow-hidden rounded-md border border-line">
        <CodeEditor
          source={source}
          label={path}
          language={languageOf(path)}
          modelUri={`slipway://file/${encodeURIComponent(name)}/${path}`}
          wrap={/\.(md|markdown|txt)$/i.test(path)}
          // The person asked to change it.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
        />
      </div>
    </div>
  );
}
