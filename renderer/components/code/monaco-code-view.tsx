import { Editor } from '@monaco-editor/react';
import type { editor } from 'monaco-editor';
import { useEffect, useState } from 'react';
import { EDITOR_OPTIONS } from './editor-options.ts';
import './monaco.ts';
import type { CodeLanguage, CodePlace } from './text-source.ts';
import { useColorScheme } from './use-color-scheme.ts';

export interface CodeViewProps {
  readonly text: string;
  readonly label: string;
  readonly language: CodeLanguage;
  readonly modelUri: string;
  readonly place?: CodePlace | undefined;
  readonly wrap?: boolean;
}

/** Default export, because it is loaded lazily. */
export default function MonacoCodeView({
  text,
  label,
  language,
  modelUri,
  place,
  wrap = false,
}: CodeViewProps) {
  const scheme = useColorScheme();
  const [mounted, setMounted] = useState<editor.IStandaloneCodeEditor>();
  useEffect(() => {
    if (mounted && place) mounted.revealLineInCenter(place.line);
  }, [mounted, place]);
  return (
    <Editor
      path={modelUri}
      language={language}
      value={text}
      theme={`slipway-${scheme}`}
      loading={null}
      keepCurrentModel={false}
      onMount={setMounted}
      options={{
        ...EDITOR_OPTIONS,
        ariaLabel: label,
        readOnly: true,
        domReadOnly: true,
        // Nothing can be indented here, so Tab goes on.
        tabFocusMode: true,
        wordWrap: wrap ? 'on' : 'off',
        renderLineHighlight: 'none',
      }}
    />
  );
}
