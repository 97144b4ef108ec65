import type { ChildProcess } from 'node:child_process';
import type * as Electron from 'electron';
import type { ControlMessage, ControlRequest } from '../standin/control.ts';

/** A function for the app's main process; it gets what the bundle gets from `electron`. */
export type MainFunction<R, A> = (electron: typeof Electron, argument: A) => R | Promise<R>;

export interface StandInConnection {
  /** Where the browser that shows the windows can be driven. */
  readonly endpoint: string;
  readonly evaluate: <R, A = undefined>(work: MainFunction<R, A>, argument?: A) => Promise<R>;
}

/** Waits for the stand-in to be ready, and speaks with it over Node's channel to a child. */
export async function connectToStandIn(child: ChildProcess): Promise<StandInConnection> {
  const ready = Promise.withResolvers<string>();
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let nextId = 1;
  child.on('message', (message) => {
    const control = message as ControlMessage;
    switch (control.kind) {
      case 'ready':
        ready.resolve(control.endpoint);
        break;
      case 'answer':
        pending.get(control.id)?.resolve(control.value);
        break;
      case 'failure':
        pending.get(control.id)?.reject(new Error(control.message));
        break;
    }
  });
  child.once('exit', (code) => {
    const gone = new Error(`The app ended with code ${code ?? 'none'}.`);
    ready.reject(gone);
    for (const { reject } of pending.values()) reject(gone);
    pending.clear();
  });
  return {
    endpoint: await ready.promise,
    evaluate<R, A = undefined>(work: MainFunction<R, A>, argument?: A): Promise<R> {
      if (!child.connected) return Promise.reject(new Error('The app has ended.'));
      const id = nextId++;
      const answer = Promise.withResolvers<unknown>();
      pending.set(id, answer);
      child.send({ id, source: String(work), argument } satisfies ControlRequest);
      return answer.promise as Promise<R>;
    },
  };
}
