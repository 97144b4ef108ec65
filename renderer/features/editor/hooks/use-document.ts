import { useCallback, useSyncExternalStore } from 'react';
import type { EditedText } from '../model/edited-text.ts';
import type { ManifestDocument, ManifestReading } from '../model/manifest-document.ts';

/** What a manifest says now, followed. */
export function useReading(document: ManifestDocument): ManifestReading {
  return useSyncExternalStore(
    useCallback((listener) => document.text.onChange(listener), [document]),
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
