/** One contiguous change of a text, in UTF-16 offsets of the text before it. */
export interface TextReplacement {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/**
 * A text that several views show and change, with one history for all of them. An editor bound to it keeps
 * no history of its own.
 */
export interface TextSource {
  readonly text: string;
  /** Calls back after each change, also one made through this very port. */
  subscribe(listener: (change: TextReplacement) => void): () => void;
  /** Takes what a person typed; changes are applied from the end of the text to its beginning. */
  type(changes: readonly TextReplacement[]): void;
  undo(): void;
  redo(): void;
}

/** A mark on a place of a text. Lines and columns count from 1. */
export interface CodeMarker {
  readonly severity: 'error' | 'warning' | 'information';
  readonly message: string;
  readonly line: number;
  readonly column: number;
  /** Where it ends; the end of the word there when absent. */
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly code?: string;
}

/** A place to scroll to and to put the cursor at. Another object asks again. */
export interface CodePlace {
  readonly line: number;
  readonly column: number;
}

export type CodeLanguage = 'json' | 'markdown' | 'typescript' | 'python' | 'yaml' | 'plaintext';

/** The language of a file by its name. */
export function languageOf(path: string): CodeLanguage {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return LANGUAGES[extension] ?? 'plaintext';
}

const LANGUAGES: Readonly<Record<string, CodeLanguage>> = {
  json: 'json',
  md: 'markdown',
  markdown: 'markdown',
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  js: 'typescript',
  mjs: 'typescript',
  cjs: 'typescript',
  jsx: 'typescript',
  py: 'python',
  yaml: 'yaml',
  yml: 'yaml',
};
