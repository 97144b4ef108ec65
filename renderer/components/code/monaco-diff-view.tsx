import { DiffEditor } from '@monaco-editor/react';
import type { editor } from 'monaco-editor';
import { useEffect, useId, useState } from 'react';
import { EDITOR_OPTIONS } from './editor-options.ts';
import { monaco } from './monaco.ts';
import type { CodeLanguage } from './text-source.ts';
import { useColorScheme } from './use-color-scheme.ts';

export interface DiffViewProps {
  readonly original: string;
  readonly modified: string;
  /** What is compared, for assistive technology: "Manifest, 1.0.0 and draft". */
  readonly label: string;
  readonly language: CodeLanguage;
  readonly layout?: 'side-by-side' | 'inline';
  /** How many places differ, once it is known. */
  readonly onCount?: (changes: number) => void;
}

/** Default export, because it is loaded lazily. */
export default function MonacoDiffView({
  original,
  modified,
  label,
  language,
  layout = 'side-by-side',
  onCount,
}: DiffViewProps) {
  const scheme = useColorScheme();
  const id = useId();
  const [mounted, setMounted] = useState<editor.IStandaloneDiffEditor>();

  useEffect(() => {
    if (!mounted || !onCount) return;
    const listener = mounted.onDidUpdateDiff(() => onCount(mounted.getLineChanges()?.length ?? 0));
    return () => listener.dispose();
  }, [mounted, onCount]);

  // The wrapper disposes the models before the editor that shows them, which the editor calls an error.
  const originalPath = `slipway://diff/${id}/original`;
  const modifiedPath = `slipway://diff/${id}/modified`;
  useEffect(
    () => () => {
      queueMicrotask(() => {
        for (const path of [originalPath, modifiedPath]) {
          monaco.editor.getModel(monaco.Uri.parse(path))?.dispose();
        }
      });
    },
    [originalPath, modifiedPath],
  );

  return (
    <DiffEditor
      original={original}
      modified={modified}
      originalModelPath={originalPath}
      modifiedModelPath={modifiedPath}
      keepCurrentOriginalModel
      keepCurrentModifiedModel
      language={language}
      theme={`slipway-${scheme}`}
      loading={null}
      onMount={setMounted}
      options={{
        ...EDITOR_OPTIONS,
        originalAriaLabel: `${label}: before`,
        modifiedAriaLabel: `${label}: after`,
        readOnly: true,
        domReadOnly: true,
        tabFocusMode: true,
        renderSideBySide: layout === 'side-by-side',
        useInlineViewWhenSpaceIsLimited: false,
        renderOverviewRuler: false,
        hideUnchangedRegions: { enabled: true },
        diffAlgorithm: 'advanced',
      }}
    />
  );
}
