import type { DraftFile, DraftSession } from './draft-session.ts';

/** Where what is typed and not saved outlives the app. */
export interface TypedTextPort {
  /** In the place of what was kept before. */
  keep(files: readonly DraftFile[], basedOn: number): Promise<unknown>;
  forget(): Promise<unknown>;
}

/** Milliseconds of typing that an app which is killed may lose. */
const PAUSE = 100;

/** Keeps what is typed into a draft from its first letter until it is saved. */
export class TypedTextKeeper implements Disposable {
  readonly #session: DraftSession;
  readonly #port: TypedTextPort;
  readonly #stops: readonly (() => void)[];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasKept = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(session: DraftSession, port: TypedTextPort) {
    this.#session = session;
    this.#port = port;
    const onChange = () => {
      this.#timer ??= setTimeout(() => this.#update(), PAUSE);
    };
    this.#stops = [
      session.document.text.onChange(onChange),
      ...(session.content ? [session.content.text.onChange(onChange)] : []),
      session.store.subscribe(({ status }) => {
        if (status === 'saved' && this.#hasKept) onChange();
      }),
    ];
  }

  /** Keeps at once what is typed by now. */
  async flush(): Promise<void> {
    this.#update();
    await this.#last;
  }

  /** Forgets what was kept: the person gave it up. */
  giveUp(): void {
    this.#stop();
    if (this.#hasKept) this.#send(() => this.#port.forget());
  }

  [Symbol.dispose](): void {
    this.#stop();
    this.#update();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const stop of this.#stops) stop();
  }

  #update(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const files = this.#session.unsaved;
    if (files.length > 0) {
      this.#hasKept = true;
      const { basedOn } = this.#session;
      this.#send(() => this.#port.keep(files, basedOn));
    } else if (this.#hasKept) {
      this.#hasKept = false;
      this.#send(() => this.#port.forget());
    }
  }

  /** One after the other, so that nothing is kept after it was forgotten. */
  #send(request: () => Promise<unknown>): void {
    // What keeps it from being kept, such as a full disk, keeps the draft from being saved, which says so.
    this.#last = this.#last.then(request).catch(() => undefined);
  }
}
