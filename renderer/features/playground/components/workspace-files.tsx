import { Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { useServices } from '#renderer/state/app-context.tsx';
import type { PlaygroundFile } from '#shared/ipc/playground-routes.ts';
import { toProblem } from '#shared/problem.ts';
import { FilePreview } from './file-preview.tsx';

/** Files that calls may send by `fromFile`, and those they wrote. */
export function WorkspaceFiles({
  integrationId,
  files,
  onAdded,
}: {
  integrationId: string;
  files: readonly PlaygroundFile[];
  onAdded: () => void;
}) {
  const { bridge, client, notices } = useServices();
  const picker = useRef<HTMLInputElement>(null);
  const [isAdding, setIsAdding] = useState(false);
  const add = async (picked: readonly File[]) => {
    setIsAdding(true);
    try {
      for (const file of picked) {
        const registered = await bridge.registerFile(file, () => undefined);
        if (!registered.ok) notices.report(registered.error);
        else await client.request('playground.addFile', { integrationId, handle: registered.data.handle });
      }
    } catch (error) {
      notices.report(toProblem(error));
    } finally {
      setIsAdding(false);
      onAdded();
    }
  };
  return (
    <section aria-label="Files">
      <div className="mb-1 flex items-center gap-2">
        <h3 className="font-semibold">Files</h3>
        <Button
          size="small"
          icon={<Upload size={13} />}
          busy={isAdding}
          className="ml-auto"
          onClick={() => picker.current?.click()}
        >
          Add files
        </Button>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files to add"
          onChange={({ target }) => {
            const picked = [...(target.files ?? [])];
            // The same file may be picked again.
            target.value = '';
            if (picked.length > 0) void add(picked);
          }}
        />
      </div>
      {files.length === 0 ? (
        <p className="text-sm text-ink-faint">
          A call sends a file of here by fromFile, and writes its response here by toFile. They are gone when
          you start over, or close Slipway.
        </p>
      ) : (
        <ul>
          {files.map((file) => (
            <li key={file.path}>
              <FilePreview integrationId={integrationId} file={file} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
