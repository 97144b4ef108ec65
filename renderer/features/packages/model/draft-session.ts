import { createStore, type StoreApi } from 'zustand/vanilla';
import { EditedText, ManifestDocument } from '#renderer/features/editor/index.ts';
import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { toProblem, type Problem } from '#shared/problem.ts';

/** What a draft was saved as; `refused` keeps what was typed here, and `conflict` waits for a decision. */
export interface DraftState {
  readonly status: 'saved' | 'changed' | 'saving' | 'refused' | 'conflict';
  readonly problem?: Problem | undefined;
}

export interface DraftFile {
  readonly path: string;
  readonly text: string;
}

/** What is edited of a package. */
export type EditedDraft = Pick<PackageDetail, 'draftId' | 'manifestText' | 'content'>;

/** Saves files over a state of a draft; gives the state they are now. @throws ProblemError. */
export type SaveDraft = (files: readonly DraftFile[], basedOn: number | undefined) => Promise<number>;

/** Milliseconds without a change after which a draft is saved. */
const PAUSE = 900;

/** A draft as it is being written here: its texts with their history, saved by themselves after a pause. */
export class DraftSession implements Disposable {
  readonly document: ManifestDocument;
  readonly content: { readonly path: string; readonly text: EditedText } | undefined;
  readonly store: StoreApi<DraftState> = createStore<DraftState>(() => ({ status: 'saved' }));
  readonly #save: SaveDraft;
  readonly #saved = new Map<string, string>();
  readonly #stops: (() => void)[] = [];
  #basedOn: number;
  #savedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving: Promise<void> | undefined;

  constructor(detail: EditedDraft, save: SaveDraft) {
    this.#save = save;
    this.#basedOn = detail.draftId;
    this.document = new ManifestDocument(detail.manifestText);
    this.content = detail.content && {
      path: detail.content.path,
      text: new EditedText(detail.content.text),
    };
    for (const { path, text } of this.#files()) this.#saved.set(path, text);
    const onChange = () => this.#changed();
    this.#stops.push(this.document.text.onChange(onChange));
    if (this.content) this.#stops.push(this.content.text.onChange(onChange));
  }

  /** State of the draft these texts are saved as, or were read from. */
  get basedOn(): number {
    return this.#basedOn;
  }

  /** When the last save ended, in milliseconds since 1970; 0 before the first. */
  get savedAt(): number {
    return this.#savedAt;
  }

  /** Whether something typed here is not in the library. */
  get hasUnsaved(): boolean {
    return this.unsaved.length > 0;
  }

  /** Files whose text here is another one than in the library. */
  get unsaved(): DraftFile[] {
    return this.#files().filter(({ path, text }) => this.#saved.get(path) !== text);
  }

  /** Whether these texts can become those of a draft that was changed elsewhere. */
  canFollow(detail: EditedDraft): boolean {
    const isMarked = (text: string) => text.startsWith('\uFEFF');
    return (
      detail.content?.path === this.content?.path &&
      detailFiles(detail).every(
        ({ text }, index) => isMarked(text) === isMarked(this.#files()[index]?.text ?? ''),
      )
    );
  }

  /**
   * Takes over what the draft says now, as steps that undo takes back, unless something typed here is not
   * saved. Gives whether a text became another one.
   * @param readAt when the detail came, in milliseconds since 1970: it may be older than the last save
   */
  follow(detail: EditedDraft, readAt: number): boolean {
    const isOld = readAt <= this.#savedAt || detail.draftId === this.#basedOn;
    if (isOld || this.#saving || this.hasUnsaved || !this.canFollow(detail)) return false;
    this.#basedOn = detail.draftId;
    const before = this.#files();
    const files = detailFiles(detail);
    for (const { path, text } of files) this.#saved.set(path, text);
    for (const { path, text } of files) {
      const edited = path === MANIFEST_FILE ? this.document.text : this.content?.text;
      edited?.change(text.replace(/^\uFEFF/, ''));
    }
    this.document.read();
    return files.some(({ text }, index) => text !== before[index]?.text);
  }

  /** Saves what changed; waits for a save under way first. Its outcome is in the store. */
  async save(options: { overwrite?: boolean } = {}): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#saving) await this.#saving;
    this.#saving = this.#saveNow(options.overwrite ?? false).finally(() => (this.#saving = undefined));
    await this.#saving;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const stop of this.#stops) stop();
  }

  async #saveNow(overwrite: boolean): Promise<void> {
    const files = this.unsaved;
    if (files.length === 0) {
      this.store.setState({ status: 'saved', problem: undefined });
      return;
    }
    // A text that is no JSON would only be refused; the editor says so already.
    if (this.document.read().state === 'broken') return;
    this.store.setState({ status: 'saving', problem: undefined });
    try {
      this.#basedOn = await this.#save(files, overwrite ? undefined : this.#basedOn);
      this.#savedAt = Date.now();
      for (const { path, text } of files) this.#saved.set(path, text);
      this.store.setState({ status: 'saved' });
      if (this.hasUnsaved) this.#changed();
    } catch (error) {
      const problem = toProblem(error);
      const status = problem.code === 'draft_conflict' ? 'conflict' : 'refused';
      this.store.setState({ status, problem });
    }
  }

  #changed(): void {
    if (this.store.getState().status === 'conflict') return;
    clearTimeout(this.#timer);
    if (!this.hasUnsaved) {
      this.store.setState({ status: 'saved', problem: undefined });
      return;
    }
    this.store.setState({ status: 'changed', problem: undefined });
    this.#timer = setTimeout(() => void this.save(), PAUSE);
  }

  #files(): DraftFile[] {
    const files = [{ path: MANIFEST_FILE, text: this.document.text.source }];
    if (this.content) files.push({ path: this.content.path, text: this.content.text.source });
    return files;
  }
}

function detailFiles({ manifestText, content }: EditedDraft): DraftFile[] {
  const manifest = { path: MANIFEST_FILE, text: manifestText };
  return content ? [manifest, { path: content.path, text: content.text }] : [manifest];
}
