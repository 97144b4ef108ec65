import { useEffect, useRef } from 'react';
import { shortcutText } from '#renderer/components/kbd.tsx';
import { offerScreenCommands, type ScreenCommand } from '#renderer/state/screen-commands.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import { sectionsOf, type SectionKey } from '../model/sections.ts';
import type { EditorActions } from '../ports.ts';

/** What the editor does when it is asked from elsewhere. */
export interface EditorMoves {
  readonly showForm: (section?: SectionKey) => void;
  readonly showJson: () => void;
  /** Goes to the problem so many after the present one, or before it. */
  readonly goBy: (step: number) => void;
  readonly undo: () => void;
  readonly redo: () => void;
}

/** Offers all that the editor can do in the command palette, while it is shown. */
export function useEditorCommands(
  type: PackageType,
  moves: EditorMoves,
  { save, tryIt }: EditorActions,
): void {
  const latest = useRef(moves);
  useEffect(() => {
    latest.current = moves;
  });
  useEffect(() => {
    const command = (title: string, hint: string, run: () => void): ScreenCommand => ({
      id: `editor-${title}`,
      title,
      hint,
      run,
    });
    return offerScreenCommands([
      ...sectionsOf(type).map(({ key, label }) =>
        command(`Edit: ${label}`, 'part of the form', () => latest.current.showForm(key)),
      ),
      command('Show the form', 'view', () => latest.current.showForm()),
      command('Show the JSON', 'view manifest', () => latest.current.showJson()),
      command('Next problem', shortcutText('mod+.'), () => latest.current.goBy(1)),
      command('Previous problem', shortcutText('mod+>'), () => latest.current.goBy(-1)),
      command('Undo', 'change', () => latest.current.undo()),
      command('Redo', 'change', () => latest.current.redo()),
      ...(save ? [command('Save the draft', shortcutText('mod+s'), save)] : []),
      ...(tryIt ? [command('Try the draft', 'run', () => tryIt())] : []),
    ]);
  }, [type, save, tryIt]);
}
