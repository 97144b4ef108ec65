import type { FromChecker, ToChecker } from './messages.ts';

/** A worker as the checker sees it. */
export interface CheckerWorker {
  send(message: ToChecker): void;
  /** Stops it, whatever it is doing. */
  end(): void;
  /** Gives it back: it has answered everything, and another may go on with it. */
  setAside(): void;
}

export interface CheckerWorkerEvents {
  onAnswer(this: void, answer: FromChecker): void;
  /** It failed and answers no more. */
  onFailure(this: void): void;
}

/** A worker that has nothing to do. To start one takes longer than most checks, so the next editor takes it. */
let spare: Worker | undefined;

/** Starts a worker ahead of the first check, for a screen from which an editor may soon be opened. */
export function preloadCheckerWorker(): void {
  spare ??= startWorker();
}

/** A worker for one checker: the spare one, else a new one. */
export function takeCheckerWorker({ onAnswer, onFailure }: CheckerWorkerEvents): CheckerWorker {
  const worker = spare ?? startWorker();
  spare = undefined;
  const listening = new AbortController();
  const { signal } = listening;
  worker.addEventListener('message', ({ data }: MessageEvent<FromChecker>) => onAnswer(data), { signal });
  worker.addEventListener('error', onFailure, { signal });
  return {
    // A worker has no origin to name.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    send: (message) => worker.postMessage(message),
    end: () => {
      listening.abort();
      worker.terminate();
    },
    setAside: () => {
      listening.abort();
      if (spare === undefined) spare = worker;
      else worker.terminate();
    },
  };
}

function startWorker(): Worker {
  const worker = new Worker(new URL('./checker.worker.ts', import.meta.url), { type: 'module' });
  // One that fails while nobody listens would never answer whoever takes it.
  worker.addEventListener('error', () => {
    if (spare === worker) spare = undefined;
  });
  return worker;
}
