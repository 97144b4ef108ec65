import type { Readable } from 'node:stream';
import type { InputFile } from '#main/runs/run-service.ts';

/** What only a shell can do for the person, given to the router. */
export interface ShellServices {
  readonly kind: 'electron' | 'browser';
  /** Whether {@link revealFolder} can work here. */
  readonly canReveal: boolean;
  /** Opens an https address in the person's browser. */
  openExternal(url: string): Promise<void>;
  /**
   * Asks where to save and writes the stream there. `undefined` when the person cancelled.
   * @throws ProblemError `save_unavailable` where the page downloads by URL instead, `save_failed`.
   */
  saveFile(suggestedName: string, open: () => Readable, signal: AbortSignal): Promise<string | undefined>;
  /** Shows a folder in the file manager. @throws ProblemError `reveal_unavailable`. */
  revealFolder(path: string): Promise<void>;
  /** Asks for a folder; `undefined` when the person chose none. Absent where the shell cannot ask. */
  pickFolder?(): Promise<string | undefined>;
}

/** What the person picked or dropped, held for one session under unguessable handles. */
export interface FileHandles {
  /** @throws ProblemError `file_handle_unknown`. */
  resolve(handle: string): Omit<InputFile, 'field'>;
  /** Makes a folder that the person chose usable under the handle in the answer. */
  registerFolder(path: string): string;
  /** Path of a folder the person chose. @throws ProblemError `folder_handle_unknown`. */
  resolveFolder(handle: string): string;
}
