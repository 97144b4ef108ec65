import { Upload } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { classes } from '#renderer/components/classes.ts';
import { Field, Textarea } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { useServices } from '#renderer/state/app-context.tsx';
import { goTo } from '#renderer/state/place.ts';
import { toProblem, type Problem } from '#shared/problem.ts';

/** Begins a trial of a bundle, which runs in a container of its own. */
export function BundleForm() {
  const id = useId();
  const { bridge, client } = useServices();
  const picker = useRef<HTMLInputElement>(null);
  const [uris, setUris] = useState('');
  const [isOver, setIsOver] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const take = async (file: File | undefined) => {
    if (file === undefined || isBusy) return;
    setProblem(undefined);
    setIsBusy(true);
    try {
      const registered = await bridge.registerFile(file, () => undefined);
      if (!registered.ok) {
        setProblem(registered.error);
        return;
      }
      const authorizedUris = uris.split('\n').flatMap((line) => line.trim() || []);
      const { handle } = registered.data;
      const { integrationId } = await client.request('servers.tryBundle', { handle, authorizedUris });
      goTo({ name: 'try', integrationId });
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <section aria-label="From a bundle" className="space-y-4">
      <h2 className="font-semibold">From a bundle</h2>
      {/* What can be dropped can be chosen by the button too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          // The window would import it.
          event.stopPropagation();
          setIsOver(false);
          void take(event.dataTransfer.files[0]);
        }}
        className={classes(
          'flex flex-col items-center gap-3 rounded-lg border border-dashed px-4 py-7 text-center transition-colors duration-100',
          isOver ? 'border-accent bg-accent-soft' : 'border-line-strong bg-sunken/50',
        )}
      >
        <Upload size={22} aria-hidden="true" className="text-ink-faint" />
        <div>
          <p className="font-medium">Drop the bundle of a server here</p>
          <p className="text-ink-soft">.mcpb, or .afps of an MCP server</p>
        </div>
        <Button busy={isBusy} onClick={() => picker.current?.click()}>
          Choose a file…
        </Button>
        <input
          ref={picker}
          type="file"
          hidden
          aria-label="Bundle to try"
          accept=".mcpb,.dxt,.afps,.zip"
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            // The same file can then be picked again.
            target.value = '';
            void take(file);
          }}
        />
      </div>
      <Field
        id={`${id}-uris`}
        label="Addresses it may reach"
        help="One on each line, such as https://api.example.com/**. Without any it has no network."
      >
        {(attributes) => (
          <Textarea
            {...attributes}
            rows={2}
            spellCheck={false}
            className="min-h-8! font-mono text-sm!"
            value={uris}
            onChange={({ target }) => setUris(target.value)}
          />
        )}
      </Field>
      <p className="text-sm text-ink-faint">
        It runs in a container of its own, without your files. What it wants to be told you enter on the next
        page.
      </p>
      {problem && <ProblemCard problem={problem} />}
    </section>
  );
}
