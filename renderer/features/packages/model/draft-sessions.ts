import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import { DraftSession, type SaveDraft } from './draft-session.ts';
import { TypedTextKeeper, type TypedTextPort } from './typed-text-keeper.ts';

/** What the sessions of the drafts need of the app. */
export interface DraftPort {
  readonly save: SaveDraft;
  /** Where a session keeps what is typed; another one for each session. */
  readonly typedTexts: (writer: string) => TypedTextPort;
}

interface OpenDraft {
  readonly session: DraftSession;
  readonly keeper: TypedTextKeeper;
  readonly writer: string;
}

/** Drafts that are being written, so that going elsewhere loses nothing. */
export class DraftSessions {
  readonly #open = new Map<string, OpenDraft>();

  /**
   * The session of a package: the one there is as long as it has something unsaved or can follow the draft
   * to what it says now, else a new one.
   */
  open(detail: PackageDetail, { save, typedTexts }: DraftPort): DraftSession {
    const { name } = detail.summary;
    const known = this.#open.get(name);
    if (known && (known.session.hasUnsaved || known.session.canFollow(detail))) return known.session;
    known?.keeper[Symbol.dispose]();
    known?.session[Symbol.dispose]();
    const session = new DraftSession(detail, save);
    const writer = crypto.randomUUID();
    const keeper = new TypedTextKeeper(session, typedTexts(writer));
    this.#open.set(name, { session, keeper, writer });
    return session;
  }

  /** Saves what a package's draft has unsaved here. */
  async flush(name: string): Promise<void> {
    const session = this.#open.get(name)?.session;
    if (session?.hasUnsaved) await session.save();
  }

  /** Keeps at once what is typed here and not saved. */
  async keepTyped(name: string): Promise<void> {
    await this.#open.get(name)?.keeper.flush();
  }

  /** Whether what was kept of a package under this name is the session's own. */
  isOwn(name: string, writer: string): boolean {
    return this.#open.get(name)?.writer === writer;
  }

  /** Gives up what was typed here. */
  forget(name: string): void {
    const known = this.#open.get(name);
    known?.keeper.giveUp();
    known?.session[Symbol.dispose]();
    this.#open.delete(name);
  }

  /** Whether any of them has something that is not in the library. */
  get hasUnsaved(): boolean {
    return [...this.#open.values()].some(({ session }) => session.hasUnsaved);
  }
}
