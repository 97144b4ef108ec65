import { useId, useRef, useState } from 'react';
import { ActionDialog } from '#renderer/components/action-dialog.tsx';
import { Button } from '#renderer/components/button.tsx';
import { Field, Input } from '#renderer/components/field.tsx';
import { Segmented } from '#renderer/components/segmented.tsx';
import { formatQuantity } from '#renderer/format/format.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import type { FileEdit } from '#shared/ipc/library-routes.ts';
import { ProblemError, toProblem, type Problem } from '#shared/problem.ts';

/** Adds files to a draft: an empty one of a name, or some of this computer. */
export function AddFileDialog({
  name,
  basedOn,
  folder,
  existing,
  onClose,
  onAdded,
}: {
  name: string;
  basedOn: number;
  /** Folder that is proposed, without a slash at its end. */
  folder: string;
  existing: readonly string[];
  onClose: () => void;
  onAdded: (path: string) => void;
}) {
  const id = useId();
  const { bridge, client } = useServices();
  const picker = useRef<HTMLInputElement>(null);
  const [way, setWay] = useState<'new' | 'chosen'>('new');
  const [path, setPath] = useState(folder === '' ? '' : `${folder}/`);
  const [target, setTarget] = useState(folder);
  const [chosen, setChosen] = useState<readonly File[]>([]);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const newPath = path.trim();
  const unavailable =
    way === 'chosen'
      ? chosen.length === 0
        ? 'Choose the files first.'
        : undefined
      : newPath === '' || newPath.endsWith('/')
        ? 'Write the path first.'
        : existing.includes(newPath)
          ? `${newPath} is there already.`
          : undefined;
  const editsOf = async (): Promise<FileEdit[]> => {
    if (way === 'new') return [{ path: newPath, text: '' }];
    const prefix = target.trim().replace(/\/+$/, '');
    const edits: FileEdit[] = [];
    for (const file of chosen) {
      const registered = await bridge.registerFile(file);
      if (!registered.ok) throw new ProblemError(registered.error);
      const { handle } = registered.data;
      edits.push({ path: prefix === '' ? file.name : `${prefix}/${file.name}`, handle });
    }
    return edits;
  };
  const add = async () => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      const edits = await editsOf();
      await client.request('library.saveDraft', { name, edits, basedOn });
      onAdded(edits[0]?.path ?? '');
    } catch (error) {
      setProblem(toProblem(error));
      setIsBusy(false);
    }
  };
  return (
    <ActionDialog
      title="Add files"
      action="Add"
      busy={isBusy}
      unavailable={unavailable}
      problem={problem}
      onClose={onClose}
      onSubmit={() => void add()}
    >
      <Segmented
        label="Where from"
        value={way}
        onChange={setWay}
        options={[
          { value: 'new', label: 'A new text file' },
          { value: 'chosen', label: 'From this computer' },
        ]}
      />
      {way === 'new' ? (
        <Field id={`${id}-path`} label="Path" help="Folders are made by naming them.">
          {(attributes) => (
            <Input
              {...attributes}
              className="font-mono"
              spellCheck={false}
              placeholder="references/words.md"
              value={path}
              onChange={(event) => setPath(event.target.value)}
            />
          )}
        </Field>
      ) : (
        <>
          <Button onClick={() => picker.current?.click()}>
            {chosen.length === 0 ? 'Choose files…' : formatQuantity(chosen.length, 'file')}
          </Button>
          <input
            ref={picker}
            type="file"
            hidden
            multiple
            aria-label="Files to add"
            onChange={(event) => setChosen([...(event.target.files ?? [])])}
          />
          <Field id={`${id}-folder`} label="Into the folder" help="Empty for the package itself.">
            {(attributes) => (
              <Input
                {...attributes}
                className="font-mono"
                spellCheck={false}
                placeholder="scripts"
                value={target}
                onChange={(event) => setTarget(event.target.value)}
              />
            )}
          </Field>
        </>
      )}
    </ActionDialog>
  );
}
