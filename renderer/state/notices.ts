import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Problem } from '#shared/problem.ts';

/** A word to the person that passes by. An error stays until it is put away. */
export interface Notice {
  readonly id: number;
  readonly tone: 'success' | 'problem';
  readonly title: string;
  readonly problem?: Problem | undefined;
  readonly action?: { readonly label: string; run(): void } | undefined;
}

export interface NoticeState {
  readonly notices: readonly Notice[];
}

/** Shows notices; the newest few, so that a burst of errors does not cover the screen. */
export class Notices {
  readonly store: StoreApi<NoticeState> = createStore<NoticeState>(() => ({ notices: [] }));
  #nextId = 1;

  say(title: string, action?: Notice['action']): void {
    this.#add({ id: this.#nextId++, tone: 'success', title, action });
  }

  /** Says what went wrong. A cancelled operation is no news, and a repeated problem is shown once. */
  report(problem: Problem): void {
    if (problem.code === 'cancelled') return;
    const same = (notice: Notice) =>
      notice.problem?.code === problem.code && notice.problem.detail === problem.detail;
    if (this.store.getState().notices.some(same)) return;
    this.#add({ id: this.#nextId++, tone: 'problem', title: problem.title, problem });
  }

  dismiss(id: number): void {
    this.store.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }));
  }

  #add(notice: Notice): void {
    this.store.setState(({ notices }) => ({ notices: [...notices, notice].slice(-4) }));
  }
}
