import { createContext, use } from 'react';
import type { Finding } from '#shared/manifest/finding.ts';
import type { ManifestDocument, ManifestEdits, ManifestValue } from '../model/manifest-document.ts';
import type { EditorActions, EditorLibrary } from '../ports.ts';

/** What every part of the form works with. */
export interface FormContextValue {
  readonly document: ManifestDocument;
  readonly manifest: ManifestValue;
  readonly library: EditorLibrary;
  /** The package's files, without its manifest and its Markdown. */
  readonly paths: readonly string[];
  readonly actions: EditorActions;
  readonly findings: readonly Finding[];
  /** Nothing can be changed here now: the text has a fault. */
  readonly isReadOnly: boolean;
  /** A package that exists keeps its name. */
  readonly isNameFixed: boolean;
  /** Place that was asked for last; what is hidden of it must be shown. */
  readonly sought: string | undefined;
  /** Changes the manifest; changes of one key that follow each other are one step of the history. */
  readonly edit: (edits: ManifestEdits, key?: string) => void;
  /** Tells the person why something was not done. */
  readonly tell: (sentence: string | undefined) => void;
  /** Shows a place in the JSON view. */
  readonly showInJson: (pointer: string) => void;
}

export const FormContext = createContext<FormContextValue | undefined>(undefined);

export function useForm(): FormContextValue {
  const value = use(FormContext);
  if (value === undefined) throw new Error('A part of the form stands outside of it');
  return value;
}

/** Sentences of the findings at a pointer, or inside of it. */
export function useErrorsAt(pointer: string, inside = false): string[] {
  const { findings } = useForm();
  return findings
    .filter(
      (finding) =>
        finding.file === 'manifest.json' &&
        finding.severity !== 'information' &&
        (finding.pointer === pointer || (inside && finding.pointer.startsWith(`${pointer}/`))),
    )
    .map(({ message }) => message);
}
