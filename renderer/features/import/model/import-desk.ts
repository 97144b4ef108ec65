import { createStore, type StoreApi } from 'zustand/vanilla';
import type { IpcClient } from '#shared/ipc/client.ts';
import type { ShellBridge } from '#shared/ipc/frames.ts';
import type { ImportOutcome, ImportPreview, ImportSource, WatchState } from '#shared/ipc/library-routes.ts';
import type { RouteInput } from '#shared/ipc/routes.ts';
import type { Finding } from '#shared/manifest/finding.ts';
import { toProblem, type Problem } from '#shared/problem.ts';
import { decideOne, proposedDecisions, type Choice, type Decisions } from './decisions.ts';
import type { GivenFile } from './dropped-files.ts';

/** Where an import is. */
export type ImportState =
  | { readonly phase: 'closed' }
  | { readonly phase: 'choosing'; readonly problem?: Problem | undefined; readonly isWatching?: boolean }
  | {
      readonly phase: 'reading';
      readonly label: string;
      /** Share of the bytes that was handed over; undefined when that is not known. */
      readonly fraction: number | undefined;
    }
  | {
      readonly phase: 'preview' | 'taking';
      readonly preview: ImportPreview;
      readonly decisions: Decisions;
    }
  | { readonly phase: 'done'; readonly outcome: ImportOutcome };

export interface ImportDeskOptions {
  readonly client: Pick<IpcClient, 'request'>;
  readonly bridge: Pick<ShellBridge, 'registerFile'>;
  /** Told when packages were taken without any problem. */
  readonly onTaken: (imported: ImportOutcome['imported'], preview: ImportPreview) => void;
  /** Told when a folder is followed. */
  readonly onWatched: (state: WatchState) => void;
}

/** Files handed over at the same time. */
const AT_ONCE = 4;

/** One import after another: from choosing what, over what it would change, to what was taken. */
export class ImportDesk {
  readonly store: StoreApi<ImportState> = createStore<ImportState>(() => ({ phase: 'closed' }));
  readonly #options: ImportDeskOptions;
  #abort = new AbortController();

  constructor(options: ImportDeskOptions) {
    this.#options = options;
  }

  /** Asks the person what to import. */
  choose(): void {
    if (this.#isBusy()) return;
    this.store.setState({ phase: 'choosing' }, true);
  }

  /** Reads files, such as dropped ones. Does nothing while another import waits for its decision. */
  async takeFiles(given: readonly GivenFile[]): Promise<void> {
    if (given.length === 0 || this.#isBusy()) return;
    const [first] = given;
    const label = given.length === 1 && first ? first.path : `${given.length} files`;
    await this.#reading(label, async (signal) => {
      const total = given.reduce((sum, { file }) => sum + file.size, 0);
      const sent = given.map(() => 0);
      const files: { handle: string; path: string }[] = [];
      const problems: Problem[] = [];
      const hand = async (index: number) => {
        const entry = given[index];
        if (!entry || signal.aborted) return;
        const result = await this.#options.bridge.registerFile(entry.file, (fraction) => {
          sent[index] = fraction * entry.file.size;
          const fractionOfAll = total > 0 ? sent.reduce((a, b) => a + b, 0) / total : undefined;
          if (!signal.aborted)
            this.store.setState({ phase: 'reading', label, fraction: fractionOfAll }, true);
        });
        if (result.ok) files[index] = { handle: result.data.handle, path: entry.path };
        else problems.push(result.error);
      };
      await inTurns(given.length, AT_ONCE, hand);
      const handed = files.filter((file) => file !== undefined);
      const [problem] = problems;
      if (handed.length === 0 && problem) return { refused: problem };
      return { source: { kind: 'files', files: handed }, problems };
    });
  }

  async takeGitHub(url: string): Promise<void> {
    await this.#reading(url.replace(/^https:\/\/(www\.)?/, ''), () =>
      Promise.resolve({ source: { kind: 'github', url }, problems: [] }),
    );
  }

  /** Follows a folder from now on: one that main has asked for, or the path a person typed. */
  async watch(folder: RouteInput<'library.watchFolder'>): Promise<void> {
    this.store.setState({ phase: 'choosing', isWatching: true }, true);
    try {
      const state = await this.#options.client.request('library.watchFolder', folder);
      this.store.setState({ phase: 'closed' }, true);
      this.#options.onWatched(state);
    } catch (error) {
      this.store.setState({ phase: 'choosing', problem: toProblem(error) }, true);
    }
  }

  decide(decisions: Decisions): void {
    const state = this.store.getState();
    if (state.phase === 'preview') this.store.setState({ ...state, decisions }, true);
  }

  decideOne(id: string, choice: Choice): void {
    const state = this.store.getState();
    if (state.phase !== 'preview') return;
    this.decide(decideOne(state.preview, state.decisions, id, choice));
  }

  /** Mends one mistake of an item, or all that can be, and shows what the import is then. */
  async mend(id: string, finding?: Pick<Finding, 'code' | 'pointer'>): Promise<void> {
    const before = this.store.getState();
    if (before.phase !== 'preview') return;
    const { token } = before.preview;
    const wanted = finding && { code: finding.code, pointer: finding.pointer };
    try {
      const read = await this.#options.client.request('library.mendImport', {
        token,
        id,
        ...(wanted && { finding: wanted }),
      });
      this.#showMended(token, read, id);
    } catch (error) {
      const state = this.store.getState();
      if (state.phase !== 'preview' || state.preview.token !== token) return;
      const problems = [toProblem(error), ...state.preview.problems];
      this.store.setState({ ...state, preview: { ...state.preview, problems } }, true);
    }
  }

  /** Decisions about the others stay, as far as they may still be made so. */
  #showMended(token: string, read: ImportPreview, id: string): void {
    const state = this.store.getState();
    if (state.phase !== 'preview' || state.preview.token !== token) return;
    const proposed = proposedDecisions(read);
    const kept = read.items.flatMap((item) => {
      const decision = state.decisions[item.id];
      const stays = item.id !== id && decision !== undefined && item.choices.includes(decision);
      return stays ? [[item.id, decision] as const] : [];
    });
    // What the shell could not hand over is known only here.
    const preview = { ...read, problems: state.preview.problems };
    const all = { ...proposed, ...Object.fromEntries(kept) };
    // A mended version may have become the same as another one's.
    const decisions = decideOne(preview, all, id, all[id] ?? 'skip');
    this.store.setState({ ...state, preview, decisions }, true);
  }

  /** Takes what was decided. */
  async commit(): Promise<void> {
    const state = this.store.getState();
    if (state.phase !== 'preview') return;
    const { preview, decisions } = state;
    this.store.setState({ ...state, phase: 'taking' }, true);
    try {
      const outcome = await this.#options.client.request('library.commitImport', {
        token: preview.token,
        decisions: Object.entries(decisions).map(([id, as]) => ({ id, as })),
      });
      if (outcome.problems.length > 0) {
        this.store.setState({ phase: 'done', outcome }, true);
        return;
      }
      this.store.setState({ phase: 'closed' }, true);
      this.#options.onTaken(outcome.imported, preview);
    } catch (error) {
      this.store.setState({ phase: 'done', outcome: { imported: [], problems: [toProblem(error)] } }, true);
    }
  }

  /** Ends the import, wherever it is. What was being taken is taken. */
  close(): void {
    const state = this.store.getState();
    if (state.phase === 'taking') return;
    this.#abort.abort();
    if (state.phase === 'preview') {
      // Main forgets it by itself after a while too.
      void this.#options.client
        .request('library.cancelImport', { token: state.preview.token })
        .catch(() => undefined);
    }
    this.store.setState({ phase: 'closed' }, true);
  }

  #isBusy(): boolean {
    return ['reading', 'preview', 'taking'].includes(this.store.getState().phase);
  }

  async #reading(
    label: string,
    prepare: (
      signal: AbortSignal,
    ) => Promise<
      { readonly source: ImportSource; readonly problems: readonly Problem[] } | { readonly refused: Problem }
    >,
  ): Promise<void> {
    if (this.#isBusy()) return;
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.store.setState({ phase: 'reading', label, fraction: undefined }, true);
    try {
      const prepared = await prepare(signal);
      if (signal.aborted) return;
      if ('refused' in prepared) {
        this.store.setState({ phase: 'choosing', problem: prepared.refused }, true);
        return;
      }
      this.store.setState({ phase: 'reading', label, fraction: undefined }, true);
      const { source } = prepared;
      const read = await this.#options.client.request('library.previewImport', { source }, { signal });
      if (signal.aborted) return;
      const preview = { ...read, problems: [...prepared.problems, ...read.problems] };
      const [problem] = preview.problems;
      if (preview.items.length === 0 && problem && preview.problems.length === 1) {
        this.store.setState({ phase: 'choosing', problem }, true);
        return;
      }
      this.store.setState({ phase: 'preview', preview, decisions: proposedDecisions(preview) }, true);
    } catch (error) {
      if (!signal.aborted) this.store.setState({ phase: 'choosing', problem: toProblem(error) }, true);
    }
  }
}

/** Does some numbered work, so many at a time. */
async function inTurns(count: number, atOnce: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
}
