import { Import } from 'lucide-react';
import { useEffect, useState } from 'react';
import { toProblem } from '#shared/problem.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { useImport } from '../hooks/import-context.tsx';
import { droppedFiles, holdsFiles } from '../model/dropped-files.ts';

/** Milliseconds without a sign of the drag after which it has left the window. */
const DRAG_PATIENCE_MS = 250;

/** Takes packages that are dropped anywhere on the window, where no field of its own takes them. */
export function WindowDrop() {
  const desk = useImport();
  const { notices } = useServices();
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = (event: DragEvent) => {
      if (!holdsFiles(event.dataTransfer)) return;
      // A field that takes files has said so already.
      const isElsewhere = event.defaultPrevented;
      event.preventDefault();
      if (!isElsewhere) event.dataTransfer.dropEffect = 'copy';
      setIsOver(!isElsewhere);
      // A drag sends these all the time, but nothing reliable when it leaves.
      clearTimeout(timer);
      timer = setTimeout(() => setIsOver(false), DRAG_PATIENCE_MS);
    };
    const drop = (event: DragEvent) => {
      setIsOver(false);
      if (!holdsFiles(event.dataTransfer) || event.defaultPrevented) return;
      event.preventDefault();
      droppedFiles(event.dataTransfer)
        .then((files) => desk.takeFiles(files))
        .catch((error: unknown) => notices.report(toProblem(error)));
    };
    window.addEventListener('dragover', over, { signal });
    window.addEventListener('drop', drop, { signal });
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [desk, notices]);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-0 z-50 flex items-center justify-center bg-scrim p-6">
      <p className="flex items-center gap-3 rounded-lg border-2 border-dashed border-accent bg-raised px-8 py-6 text-lg font-semibold">
        <Import size={20} aria-hidden="true" className="text-accent" />
        Drop to import into the library
      </p>
    </div>
  );
}
