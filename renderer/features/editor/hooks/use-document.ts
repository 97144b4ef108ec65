import { useCallback, useEffect, useSyncExternalStore } from 'react';
import type { EditedText } from '../model/edited-text.ts';
import type { ManifestDocument, ManifestReading } from '../model/manifest-document.ts';

/** Milliseconds without typing after which a text is read again, where a form follows it and where none is shown. */
const PAUSE = 150;
const PAUSE_UNSEEN = 600;

/**
 * What a manifest says, followed: at once where the form changed it, and after a pause where a person types
 * JSON, so that no letter waits for the whole text to be read.
 */
export function useReading(document: ManifestDocument, isSeen: boolean): ManifestReading {
  useEffect(() => {
    if (isSeen) document.read();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = document.text.onChange(() => {
      clearTimeout(timer);
      timer = setTimeout(() => document.read(), isSeen ? PAUSE : PAUSE_UNSEEN);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [document, isSeen]);
  return useSyncExternalStore(
    useCallback((listener) => document.onReading(listener), [document]),
    () => document.reading,
  );
}

/** A text, followed. */
export function useText(text: EditedText): string {
  return useSyncExternalStore(
    useCallback((listener) => text.onChange(listener), [text]),
    () => text.text,
  );
}

/** Whether there is something to undo and to redo. */
export function useHistory(text: EditedText): { canUndo: boolean; canRedo: boolean } {
  const subscribe = useCallback((listener: () => void) => text.onChange(listener), [text]);
  const canUndo = useSyncExternalStore(subscribe, () => text.canUndo);
  const canRedo = useSyncExternalStore(subscribe, () => text.canRedo);
  return { canUndo, canRedo };
}
