import { Redo2, Undo2 } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { IconButton } from '#renderer/components/button.tsx';
import { isApple, shortcutText } from '#renderer/components/kbd.tsx';
import { useHistory } from '../hooks/use-document.ts';
import type { ManifestDocument } from '../model/manifest-document.ts';

/** Undo and redo of the one history that all views share. */
export function HistoryButtons({ document }: { document: ManifestDocument }) {
  const { canUndo, canRedo } = useHistory(document.text);
  return (
    <span className="flex">
      <IconButton
        label="Undo"
        shortcut={shortcutText('mod+z')}
        icon={<Undo2 size={15} />}
        disabled={!canUndo}
        onClick={() => document.undo()}
      />
      <IconButton
        label="Redo"
        shortcut={isApple ? '⇧⌘Z' : 'Ctrl+Shift+Z'}
        icon={<Redo2 size={15} />}
        disabled={!canRedo}
        onClick={() => document.redo()}
      />
    </span>
  );
}

/** Fields have no history of their own here: what they change is the one text. */
export function handleHistoryKeys(event: KeyboardEvent, document: ManifestDocument): void {
  const isCommand = isApple ? event.metaKey : event.ctrlKey;
  const key = event.key.toLowerCase();
  const isRedo = (key === 'z' && event.shiftKey) || (key === 'y' && !isApple);
  if (!isCommand || event.altKey || event.defaultPrevented || (key !== 'z' && !isRedo)) return;
  event.preventDefault();
  if (isRedo) document.redo();
  else document.undo();
}
