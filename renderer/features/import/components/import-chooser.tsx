import { FolderSync, GitBranch, Upload } from 'lucide-react';
import { useId, useRef, useState, type ComponentProps, type DragEvent, type FormEvent } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { classes } from '#renderer/components/classes.ts';
import { Field, Input } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { useServices } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { Problem } from '#shared/problem.ts';
import { useImport } from '../hooks/import-context.tsx';
import { droppedFiles, pickedFiles } from '../model/dropped-files.ts';

/** The ways something comes into the library. */
export function ImportChooser({
  problem,
  isWatching,
}: {
  problem: Problem | undefined;
  isWatching: boolean;
}) {
  return (
    <div className="space-y-6 overflow-auto px-5 pb-5">
      {problem && <ProblemCard problem={problem} />}
      <Files />
      <GitHub />
      <FollowedFolder isWatching={isWatching} />
    </div>
  );
}

function Files() {
  const desk = useImport();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const take = (input: HTMLInputElement) => {
    const picked = pickedFiles(input.files ?? []);
    // The same file can then be picked again.
    input.value = '';
    void desk.takeFiles(picked);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    void droppedFiles(event.dataTransfer).then((given) => desk.takeFiles(given));
  };
  return (
    // What can be dropped can be chosen by the buttons too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      aria-label="Files"
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={onDrop}
      className={classes(
        'flex flex-col items-center gap-3 rounded-lg border border-dashed px-4 py-7 text-center transition-colors duration-100',
        isOver ? 'border-accent bg-accent-soft' : 'border-line-strong bg-sunken/50',
      )}
    >
      <Upload size={22} aria-hidden="true" className="text-ink-faint" />
      <div>
        <p className="font-medium">Drop packages here, or anywhere on the window</p>
        <p className="text-ink-soft">.afps, .afps-bundle, .mcpb, .zip, or a folder; several at once</p>
      </div>
      <div className="flex gap-2">
        <Button variant="primary" onClick={() => files.current?.click()}>
          Choose files…
        </Button>
        <Button onClick={() => folder.current?.click()}>Choose a folder…</Button>
      </div>
      <input
        ref={files}
        type="file"
        hidden
        multiple
        aria-label="Packages to import"
        accept=".afps,.afps-bundle,.mcpb,.dxt,.zip,.skill,.json,.md"
        onChange={(event) => take(event.currentTarget)}
      />
      <input
        ref={folder}
        type="file"
        hidden
        aria-label="Folder to import"
        // The one way a page may read a folder.
        {...{ webkitdirectory: '' }}
        onChange={(event) => take(event.currentTarget)}
      />
    </section>
  );
}

function GitHub() {
  const id = useId();
  const desk = useImport();
  const [url, setUrl] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (url.trim() !== '') void desk.takeGitHub(url.trim());
  };
  return (
    <form onSubmit={submit}>
      <Field
        id={`${id}-url`}
        label="From GitHub"
        help="A repository, or a folder in it on any branch, tag or commit. Every package in it is found."
      >
        {(attributes) => (
          <span className="flex gap-2">
            <Input
              {...attributes}
              type="text"
              inputMode="url"
              spellCheck={false}
              placeholder="https://github.com/owner/repository/tree/main/folder"
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
            <Button
              type="submit"
              icon={<GitBranch size={14} />}
              unavailable={url.trim() === '' ? 'Paste the address first.' : undefined}
            >
              Look
            </Button>
          </span>
        )}
      </Field>
    </form>
  );
}

function FollowedFolder({ isWatching }: { isWatching: boolean }) {
  const { bridge } = useServices();
  return bridge.shell === 'electron' ? (
    <ChosenFolder isWatching={isWatching} />
  ) : (
    <TypedFolder isWatching={isWatching} />
  );
}

/** Where the system's own dialog is at hand, only what was chosen in it is followed. */
function ChosenFolder({ isWatching }: { isWatching: boolean }) {
  const desk = useImport();
  const [folder, setFolder] = useState<{ readonly handle: string; readonly path: string }>();
  const pick = useAction('library.pickFolder', {
    onDone: ({ folder: picked }) => {
      if (picked) setFolder(picked);
    },
  });
  return (
    <FollowForm
      isWatching={isWatching}
      unavailable={folder ? undefined : 'Choose the folder first.'}
      onFollow={() => folder && void desk.watch({ handle: folder.handle })}
    >
      {(attributes) => (
        <>
          <Input
            {...attributes}
            className="font-mono"
            readOnly
            placeholder="No folder chosen"
            value={folder?.path ?? ''}
          />
          <Button busy={pick.isPending} onClick={() => pick.mutate({})}>
            Choose…
          </Button>
        </>
      )}
    </FollowForm>
  );
}

function TypedFolder({ isWatching }: { isWatching: boolean }) {
  const desk = useImport();
  const [path, setPath] = useState('');
  return (
    <FollowForm
      isWatching={isWatching}
      unavailable={path.trim() === '' ? 'Write the folder’s path first.' : undefined}
      onFollow={() => void desk.watch({ path: path.trim() })}
    >
      {(attributes) => (
        <Input
          {...attributes}
          className="font-mono"
          spellCheck={false}
          placeholder="~/agents/weekly-report"
          value={path}
          onChange={(event) => setPath(event.target.value)}
        />
      )}
    </FollowForm>
  );
}

function FollowForm({
  isWatching,
  unavailable,
  onFollow,
  children,
}: {
  isWatching: boolean;
  unavailable: string | undefined;
  onFollow: () => void;
  children: ComponentProps<typeof Field>['children'];
}) {
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (unavailable === undefined && !isWatching) onFollow();
  };
  return (
    <form onSubmit={submit}>
      <Field
        id={`${id}-path`}
        label="Follow a folder"
        help="For a package you write in another editor: each save there becomes the draft here."
      >
        {(attributes) => (
          <span className="flex gap-2">
            {children(attributes)}
            <Button type="submit" icon={<FolderSync size={14} />} busy={isWatching} unavailable={unavailable}>
              Follow
            </Button>
          </span>
        )}
      </Field>
    </form>
  );
}
